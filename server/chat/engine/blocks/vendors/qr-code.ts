/** Pictures of QR codes. */
import { asString } from '../../../../json/access.ts'
import { type Execution, spendOutboundCall, waitFor } from '../../execution.ts'
import { failCall, type VendorCall } from './call.ts'
import { saveBytes } from './send.ts'

/** A code of the usual correction level holds no more. */
const MAX_CODE_BYTES = 2_331

export async function generateQrCode(run: Execution, made: VendorCall): Promise<void> {
  const data = asString(made.call.options.data) ?? ''
  const size = Buffer.byteLength(data)
  if (size > MAX_CODE_BYTES) {
    return failCall(run, made.block, `QR code: the data have ${size} bytes, a code holds ${MAX_CODE_BYTES}`)
  }
  // A tenth of a second of work for the largest code, so that a turn may draw as many as it may call out.
  if (!(await spendOutboundCall(run))) return
  const bytes = await waitFor(run, draw(data))
  await saveBytes(run, made, { name: 'qr-code.png', mediaType: 'image/png', bytes }, 'saveUrlInVariableId')
}

async function draw(data: string): Promise<Buffer> {
  const { toBuffer } = await import('qrcode')
  return toBuffer(data, { type: 'png', errorCorrectionLevel: 'M' })
}
