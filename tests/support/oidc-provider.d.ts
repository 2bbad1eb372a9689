declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** As much of the package as the tests use: types of its own would bring those of a whole framework. */
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    Grant: new (
      properties: Record<string, unknown>,
    ) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
    ): Promise<void>
    on(event: string, listener: (...values: never[]) => void): void
  }
}
