/** Pictures of QR codes. */
import { asString } from '../../../../json/access.ts'
import { type Execution, waitFor } from '../../execution.ts'
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
  const { toBuffer } = await waitFor(run, import('qrcode'))
  const bytes = await toBuffer(data, { type: 'png', errorCorrectionLevel: 'M' })
  await saveBytes(run, made, { name: 'qr-code.png', mediaType: 'image/png', bytes }, 'saveUrlInVariableId')
}
