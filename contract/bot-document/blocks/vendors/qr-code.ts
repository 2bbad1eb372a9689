import { prose, variableReference } from '../../fields.ts'
import { vendor } from './vendor.ts'

export const qrCode = vendor({
  type: 'qr-code',
  prefix: 'QrCode',
  title: 'QR codes',
  options: {
    data: prose('Content of the code.', 'https://www.example.com/ticket/{{Ticket}}').optional(),
    saveUrlInVariableId: variableReference('that stores the address of the picture', 'varQrCode').optional(),
  },
  actions: {
    'Generate a QR Code': {
      hasFileOutput: true,
      required: {
        data: 'QR code: there is no data to encode',
        saveUrlInVariableId: 'QR code: no variable is chosen to save the URL in',
      },
    },
  },
})
