import { z } from '../kit/zod.ts'
import { define, user } from '../operation.ts'

/**
 * Operations that speak a protocol of their own. The router treats them as all others, and the document, which
 * describes JSON over HTTP, does not list them.
 */
export const protocols = define({
  callTool: {
    method: 'post',
    path: '/mcp',
    tag: 'bots',
    summary: 'Call a tool',
    description:
      'Responds to one message of the Model Context Protocol over streamable HTTP, without sessions.',
    access: user,
    scope: 'read',
    dispatches: true,
    callsOut: true,
    body: z.looseObject(
      { jsonrpc: z.enum(['2.0'], { error: 'Expected one JSON-RPC message with `"jsonrpc": "2.0"`' }) },
      { error: 'Expected one JSON-RPC message; send messages one by one' },
    ),
    success: { status: 200, description: 'The response.', body: z.unknown(), examples: {} },
  },
})
