import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { accountMailer, openMailer, type SendMail } from '../../server/outbound/mail.ts'

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
const mailer = (): ((given: Parameters<SendMail>[0]) => Promise<void>) => {
  const send = openMailer({ url: `smtp://127.0.0.1:${port}`, from: 'Bots <bots@x.test>' })
  return (given) => send(given, 60_000.5)
}

test('mails are sent through the configured server', async () => {
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

test('names of recipients are in the headers, addresses in the envelope', async () => {
  received = ''
  await mailer()({ ...mail, to: ['"Ada" <ada@x.test>'], replyTo: '"Doe, Bob" <bob@x.test>' })
  expect(received).toContain('RCPT TO:<ada@x.test>')
  expect(received).toContain('To: Ada <ada@x.test>')
  expect(received).toContain('Reply-To: "Doe, Bob" <bob@x.test>')
})

test('the mailer throws if the server rejects a message or a connection', async () => {
  await expect(mailer()({ ...mail, to: ['refused@x.test'], cc: [], bcc: [] })).rejects.toThrow()
  await expect(openMailer({ url: 'smtp://127.0.0.1:1', from: 'a@x.test' })(mail, 60_000)).rejects.toThrow()
})

describe('a server that never ends its response', () => {
  const talking: Socket[] = []
  const talkative = createServer((socket) => {
    talking.push(socket)
    socket.on('error', () => {}).resume()
    socket.write('220 test\r\n')
    const lines = setInterval(() => socket.write('250-more\r\n'), 20)
    socket.on('close', () => clearInterval(lines))
  })

  beforeAll(() => once(talkative.listen(0, '127.0.0.1'), 'listening'))

  afterAll(() => {
    for (const socket of talking) socket.destroy()
    talkative.close()
  })

  test.each(['the service', 'a workspace'])(
    'delays a mail through %s only until its timeout',
    async (whose) => {
      const { port } = talkative.address() as AddressInfo
      const account = { host: 'mail.test', port, from: { email: 'a@x.test' } }
      const sent =
        whose === 'the service'
          ? openMailer({ url: `smtp://127.0.0.1:${port}`, from: 'a@x.test' })(mail, 1_000)
          : accountMailer(async () => ['127.0.0.1'])(account, mail, 1_000)
      await expect(sent).rejects.toThrow('in time')
      for (const socket of talking) if (!socket.closed) await once(socket, 'close')
    },
  )
})
