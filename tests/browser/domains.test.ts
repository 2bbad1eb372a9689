import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { chromium } from 'playwright-core'
import { type App, startApp } from '../support/app.ts'
import { ask, bot, text } from '../support/chat.ts'
import { type Published, publish } from '../support/chats.ts'
import { makeWorld, type World } from '../support/world.ts'

/*
 * Domains of bots behind a real proxy with TLS: Caddy, with an authority of its own, gets certificates for the hosts
 * that the service knows. Skipped unless CADDY names the program.
 */

const { CADDY = '', CHROMIUM = '/usr/bin/chromium' } = process.env
const withCaddy = CADDY === '' ? describe.skip : describe

let app: App
let world: World
let folder: string
let caddy: ChildProcess
let port: number
let made: Published

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Status of a response and of its certificate, or the error of the handshake. */
async function get(host: string, path: string): Promise<string> {
  const authority = join(folder, 'pki/authorities/local/root.crt')
  const options = ['-sS', '--cacert', authority, '--resolve', `${host}:${port}:127.0.0.1`, '-o', '/dev/null']
  const format = ['-w', '%{http_code} %{ssl_verify_result}']
  return promisify(execFile)('curl', [...options, ...format, `https://${host}:${port}${path}`]).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  )
}

withCaddy('behind Caddy', () => {
  beforeAll(async () => {
    port = await freePort()
    app = await startApp({
      config: {
        PUBLIC_URL: `https://bots.example.com:${port}`,
        CHAT_URL: `https://chats.example.org:${port}`,
        TRUST_PROXY: ['loopback'],
      },
    })
    world = await makeWorld(app)
    folder = await mkdtemp(join(tmpdir(), 'caddy-'))
    const proxy = `reverse_proxy ${app.url.replace('http://', '')}`
    await writeFile(
      join(folder, 'Caddyfile'),
      `{
        admin off
        http_port ${await freePort()}
        https_port ${port}
        storage file_system ${folder}
        skip_install_trust
        local_certs
        on_demand_tls {
          ask ${app.url}/hosts/known
        }
      }
      bots.example.com, chats.example.org {
        ${proxy}
      }
      https:// {
        tls internal {
          on_demand
        }
        ${proxy}
      }`,
    )
    caddy = spawn(CADDY, ['run', '--config', join(folder, 'Caddyfile')], { stdio: 'ignore' })
    while (!(await get('bots.example.com', '/livez')).startsWith('200'))
      await new Promise((resolve) => setTimeout(resolve, 200))
    const settings = {
      metadata: { customHeadCode: '<script>window.headRan = location.host</script>' },
      consent: { isRequired: true },
      security: { allowedOrigins: ['https://other.example'] },
    }
    const theme = { general: { font: 'Lobster' } }
    const parts = [text('Hi'), ask('Name'), text('Bye {{Name}}'), ask()]
    made = await publish(app, world.here, bot({ Start: parts }, { settings, theme, variables: ['Name'] }))
    await app.client.ok('updateBot', {
      as: world.here.member,
      params: { botId: made.id },
      body: { bot: { version: '6.1', customDomain: 'chat.shop.example/help' } },
    })
  })

  afterAll(async () => {
    caddy?.kill()
    await app?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test.each([
    ['bots.example.com', '/v1/workspaces', '401 0'],
    ['chats.example.org', '/v1/workspaces', '404 0'],
    ['chat.shop.example', '/help', '200 0'],
    ['chat.shop.example', '/', '404 0'],
    ['chat.shop.example', '/bots', '404 0'],
    ['nobody.example', '/', expect.stringContaining('alert')],
  ])('%s%s gets a certificate of its own, or is rejected', async (host, path, expected) => {
    expect(await get(host, path)).toEqual(expected)
  })

  test('a visitor chats at the domain, and head code and fonts come after consent, there alone', async () => {
    const rules = '--host-resolver-rules=MAP * 127.0.0.1'
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', rules] })
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const others: string[] = []
      await context.route(
        (url) => !url.hostname.includes('example'),
        (route) => {
          others.push(new URL(route.request().url()).host)
          return route.fulfill({ contentType: 'text/css', body: '' })
        },
      )
      const page = await context.newPage()
      await page.goto(`https://chat.shop.example:${port}/help`)
      await page.locator('.field').fill('Ada')
      await page.keyboard.press('Enter')
      await page.getByText('Bye Ada').waitFor()
      expect([others, await page.evaluate(`'headRan' in window`)]).toEqual([[], false])
      await page.getByRole('button', { name: 'Accept' }).click()
      await page.waitForFunction(`'headRan' in window`)
      expect(await page.evaluate('headRan')).toBe(`chat.shop.example:${port}`)
      expect(others).toEqual(['fonts.bunny.net'])
      await page.goto(`https://bots.example.com:${port}/chat/${made.publicId}`)
      await page.locator('.field').waitFor()
      expect(await page.evaluate(`'headRan' in window`)).toBe(false)
    } finally {
      await browser.close()
    }
  })
})
