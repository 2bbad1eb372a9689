import { type AddressInfo, createServer } from 'node:net'

/** As much of a mail server as mails need; `mails` holds what it took. */
export async function startMailServer() {
  const mails: string[] = []
  const server = createServer((socket) => {
    let mail: string | undefined
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      const lines = chunk.toString()
      if (mail !== undefined) {
        mail += lines
        if (!mail.endsWith('\r\n.\r\n')) return
        mails.push(mail)
        mail = undefined
        socket.write('250 taken\r\n')
        return
      }
      for (const line of lines.split('\r\n').filter((each) => each !== '')) {
        if (line === 'DATA') mail = ''
        socket.write(line === 'DATA' ? '354 go\r\n' : '250 ok\r\n')
      }
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, mails, close: () => server.close() }
}
