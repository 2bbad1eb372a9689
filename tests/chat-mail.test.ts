import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openMailer } from '../server/chat/tools/mail.ts'

let server: Server
let port: number
let received = ''

/** As much of a mail server as one mail needs. */
beforeAll(async () => {
  server = createServer((socket) => {
    let isData = false
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      const lines = chunk.toString()
      received += lines
      if (isData) {
        if (!lines.endsWith('\r\n.\r\n')) return
        isData = false
        socket.write('250 taken\r\n')
        return
      }
      for (const line of lines.split('\r\n').filter((each) => each !== '')) {
        isData = line === 'DATA'
        if (line.includes('refused@')) socket.write('550 no\r\n')
        else socket.write(isData ? '354 go\r\n' : '250 ok\r\n')
      }
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

const mail = {
  to: ['to@x.test'],
  cc: ['cc@x.test'],
  bcc: ['bcc@x.test'],
  subject: 'Grüße',
  text: 'Hello',
  attachments: [],
}
const mailer = () => openMailer({ url: `smtp://127.0.0.1:${port}`, from: 'Bots <bots@x.test>' })

test('mails go out through the configured server', async () => {
  await mailer()({
    ...mail,
    attachments: [{ filename: 'a.txt', content: new TextEncoder().encode('inside') }],
  })
  expect(received).toMatch(/MAIL FROM:<bots@x\.test>/)
  for (const address of ['to', 'cc', 'bcc']) expect(received).toContain(`RCPT TO:<${address}@x.test>`)
  expect(received).toContain('From: Bots <bots@x.test>')
  expect(received).toContain(Buffer.from('inside').toString('base64'))
  expect(received).not.toContain('Bcc:')
})

test('names of recipients stand in the headers, addresses in the envelope', async () => {
  received = ''
  await mailer()({ ...mail, to: ['"Ada" <ada@x.test>'], replyTo: '"Doe, Bob" <bob@x.test>' })
  expect(received).toContain('RCPT TO:<ada@x.test>')
  expect(received).toContain('To: Ada <ada@x.test>')
  expect(received).toContain('Reply-To: "Doe, Bob" <bob@x.test>')
})

test('what the server refuses is an error', async () => {
  await expect(mailer()({ ...mail, to: ['refused@x.test'], cc: [], bcc: [] })).rejects.toThrow()
  await expect(openMailer({ url: 'smtp://127.0.0.1:1', from: 'a@x.test' })(mail)).rejects.toThrow()
})
