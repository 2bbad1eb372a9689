import { spawnSync } from 'node:child_process'
import type { Worker } from 'node:cluster'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../server/config.ts'
import { createMetrics } from '../server/metrics.ts'
import { root } from '../server/root.ts'
import { createGatherer } from '../server/workers/cluster-metrics.ts'
import type { ToWorker } from '../server/workers/messages.ts'

/* Deployment files name settings, files, commands and metrics that exist. */

const read = (path: string) => readFileSync(new URL(`server/deploy/${path}`, root), 'utf8')
const manifests = Object.fromEntries(
  readdirSync(new URL('server/deploy/kubernetes/', root), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name.replace('.yaml', ''), parse(read(`kubernetes/${name}`))]),
)
const compose = parse(read('compose/compose.yaml'), { merge: true })
const alone = parse(readFileSync(new URL('compose.yaml', root), 'utf8'))
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8')
const guide = (name: string) => readFileSync(new URL(`server/guides/${name}.md`, root), 'utf8')
const guides = readdirSync(new URL('server/guides/', root)).map((name) => guide(name.replace('.md', '')))
const documented = new Set(
  [...guide('configuration').matchAll(/^\| `([A-Z][A-Z\d_]*)` \|/gm)].map(([, name]) => name),
)
const scripts = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).scripts

describe('settings', () => {
  const given: [string, Record<string, string>][] = [
    ['compose', compose.services.service.environment],
    ['compose of one container', alone.services.service.environment],
    ['compose, of migrations', compose.services.migrate.environment],
    ['kubernetes', manifests.configmap.data],
    [
      'systemd',
      Object.fromEntries(
        [...read('bots.service').matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [
          name,
          value,
        ]),
      ),
    ],
  ]
  const values: Record<string, string> = {
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    POSTGRES_PASSWORD: 'secret',
    SITE: 'localhost',
  }

  test.each(given)('settings of %s exist and have valid values', (_, variables) => {
    const { NODE_ENV: _environment, ...own } = variables
    const filled = Object.entries(own).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):-?([^}]*)\}/g, (_, filled, fallback) => values[filled] ?? fallback),
    ])
    expect(Object.keys(own).length).toBeGreaterThan(0)
    expect(Object.keys(own).filter((name) => !documented.has(name))).toEqual([])
    expect(readConfig(Object.fromEntries(filled))).toHaveProperty('config')
  })

  test('every setting that a guide names exists', () => {
    const named = [
      ...guides.join('\n').matchAll(/`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+|WORKERS|MIGRATE)(?:=\S+)?`/g),
    ].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(10)
    // Those of OpenTelemetry are read by its SDK.
    const own = named.filter((name) => !name?.startsWith('OTEL_'))
    expect(own.filter((name) => !documented.has(name))).toEqual([])
  })
})

describe('the image', () => {
  test('copies existing files', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, paths]) => paths?.split(' ') ?? [],
    )
    expect(copied.length).toBeGreaterThan(3)
    expect(copied.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })

  test('has every file that the service reads beside its code', () => {
    const sources = readdirSync(new URL('server/', root), { recursive: true, encoding: 'utf8' })
    const texts = sources
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(`server/${name}`, root), 'utf8'))
    const paths = texts.flatMap((text) =>
      [...text.matchAll(/new URL\([`']([\w./-]+\/[\w.-]*)[^`']*[`'], root\)/g)].map(([, path]) => path ?? ''),
    )
    expect(paths).toEqual(expect.arrayContaining(['migrations/', 'generated/arazzo.yaml']))
    const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { files: string[] }
    const packed = (path: string) => files.some((part) => path.startsWith(part.replace(/\/\*\..*/, '/')))
    // The sources of the members' pages are bundled into the build.
    expect(paths.filter((path) => !packed(path))).toEqual([])
    const yaml = readdirSync(root).filter((name) => name.endsWith('.yaml') && name !== 'compose.yaml')
    expect(yaml.filter((name) => !files.includes(name))).toEqual([])
  })

  test('starts as the project does, without root', () => {
    const command = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]')
    expect(command.join(' ')).toBe(scripts.start)
    expect(read('bots.service')).toContain(`ExecStart=/usr/bin/${scripts.start}`)
    expect(dockerfile).toMatch(/^USER [1-9]\d*$/m)
  })
})

describe('manifests', () => {
  const { template } = manifests.deployment.spec
  const [container] = template.spec.containers

  test('are all applied', () => {
    const applied = manifests.kustomization.resources.map((name: string) => name.replace('.yaml', ''))
    expect(applied.sort()).toEqual(
      Object.keys(manifests)
        .filter((name) => name !== 'kustomization')
        .sort(),
    )
  })

  test('probe the service at its port, and give it time to stop', () => {
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      (probe) => probe.httpGet.path,
    )
    expect(paths).toEqual(['/livez', '/livez', '/readyz'])
    const known = readConfig(manifests.configmap.data)
    if ('problems' in known) throw new Error(known.problems.join())
    const { SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = known.config
    expect(template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      SHUTDOWN_DELAY + SHUTDOWN_TIMEOUT,
    )
    expect(Number.parseInt(compose.services.service.stop_grace_period, 10) * 1000).toBeGreaterThan(32_000)
  })

  test('migrate an existing database: on its first start it listens on its socket alone for a while', () => {
    expect(compose.services.postgres.healthcheck.test).toContain('--host')
  })

  test('refer to each other', () => {
    const { labels } = template.metadata
    for (const selector of [
      manifests.deployment.spec.selector.matchLabels,
      manifests.service.spec.selector,
      manifests['disruption-budget'].spec.selector.matchLabels,
    ]) {
      expect(labels).toMatchObject(selector)
    }
    expect(manifests.autoscaler.spec.scaleTargetRef.name).toBe(manifests.deployment.metadata.name)
    const [rule] = manifests.ingress.spec.rules
    expect(rule.http.paths[0].backend.service.name).toBe(manifests.service.metadata.name)
  })

  test('store files of visitors in a volume that is mounted at FILES_DIR', () => {
    const { FILES_DIR, DATABASE_URL } = compose.services.service.environment
    expect(DATABASE_URL).toBeDefined()
    expect(compose.services.service.volumes).toContain(`files:${FILES_DIR}`)
    expect(compose.volumes).toHaveProperty('files')
    expect(dockerfile).toContain(`--owner=1000 --group=1000 --mode=0700 /var/lib/bots ${FILES_DIR}\n`)
    const { environment, volumes } = alone.services.service
    expect(environment.FILES_DIR).toBe(FILES_DIR)
    expect(volumes).toEqual(['data:/var/lib/bots'])
    const unit = read('bots.service')
    const [, folder] = /^Environment=DATA_DIR=(.+)$/m.exec(unit) ?? []
    expect(unit).toContain(`Environment=FILES_DIR=${folder}/files\n`)

    const { patches, resources } = parse(read('kubernetes/files/kustomization.yaml'))
    expect(resources).toEqual(['claim.yaml'])
    const claim = parse(read('kubernetes/files/claim.yaml'))
    const [{ value }] = parse(patches[1].patch)
    const { spec, metadata } = parse(read(`kubernetes/files/${patches[0].path}`))
    expect(metadata.name).toBe(manifests.deployment.metadata.name)
    expect(spec.template.spec.containers).toEqual([
      { name: container.name, volumeMounts: [{ name: 'files', mountPath: value }] },
    ])
    expect(spec.template.spec.volumes).toEqual([
      { name: 'files', persistentVolumeClaim: { claimName: claim.metadata.name } },
    ])
    expect(spec.template.spec.securityContext.fsGroup).toBe(template.spec.securityContext.runAsUser)
  })

  test('migrate before they serve, with a command that exists', () => {
    expect(readFileSync(new URL('server/admin/commands.ts', root), 'utf8')).toContain('  migrate: {')
    const admin = scripts.admin.replace('--require ./server/supported.cjs --enable-source-maps ', '')
    for (const { command } of [
      manifests.migrate.spec.template.spec.containers[0],
      compose.services.migrate,
    ]) {
      expect(command.join(' ')).toBe(`${admin} migrate`)
    }
    for (const { MIGRATE } of [manifests.configmap.data, compose.services.service.environment])
      expect(MIGRATE).toBe('false')
  })
})

describe('metrics', () => {
  async function namesOf(): Promise<string[]> {
    const own = await createMetrics(new pg.Pool()).text()
    const ofWorkers = await new Promise<string>((resolve) => {
      const send = (message: ToWorker) => message.kind === 'metrics' && resolve(message.text)
      const worker = { id: 1, isConnected: () => true, send } as unknown as Worker
      createGatherer(() => []).hear(worker, { kind: 'scrape', id: 1 })
    })
    return [...`${own}\n${ofWorkers}`.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name as string)
  }
  const rows = [...guide('monitoring').matchAll(/^\| `([a-z_\d]+)` \| (.+) \| (.+) \|$/gm)].map(
    ([, name, , alerts]) => ({
      name: name as string,
      alerts: [...(alerts as string).matchAll(/`(\w+)`/g)].map(([, alert]) => alert as string),
    }),
  )
  const rules: { alert: string; expr: string }[] = parse(read('monitoring/alerts.yml')).groups.flatMap(
    (group: { rules: unknown[] }) => group.rules,
  )
  const dashboard = JSON.parse(read('monitoring/dashboard.json'))
  const queries: string[] = dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) =>
    panel.targets.map(({ expr }) => expr),
  )

  /** The metrics that an expression asks for: what is no function, label, keyword or text. */
  function metricsIn(expression: string): string[] {
    const bare = expression
      .replaceAll(/\{[^}]*\}/g, '')
      .replaceAll(/\[[^\]]*\]/g, '')
      .replaceAll(/\b(?:by|ignoring|on|without)\s*\([^)]*\)/g, '')
    return [...bare.matchAll(/\b[a-z][a-z_\d]*_[a-z_\d]+\b(?!\s*\()|\bworkers\b|\bup\b/g)].map(
      ([name]) => name,
    )
  }
  const base = (name: string) => name.replace(/_(count|bucket|sum)$/, '')

  test('are all in the table, which has no others', async () => {
    expect(rows.map(({ name }) => name).sort()).toEqual((await namesOf()).sort())
  })

  test('that rules and the dashboard query exist', async () => {
    const known = [...(await namesOf()), 'up']
    const asked = [...rules.map(({ expr }) => expr), ...queries].flatMap(metricsIn)
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.filter((name) => !known.includes(name) && !known.includes(base(name)))).toEqual([])
  })

  test('have the alerts of the table', () => {
    const said = rows.flatMap(({ name, alerts }) => alerts.map((alert) => `${alert} ${name}`))
    const made = rules.flatMap(({ alert, expr }) =>
      [...new Set(metricsIn(expr).map(base))].map((name) => `${alert} ${name}`),
    )
    expect(said.sort()).toEqual(
      made.filter((line) => !/ (up|workers)$/.test(line) || line === 'BotsWorkerSilent workers').sort(),
    )
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('are queried by the name of the job, since other programs have some of the same names', () => {
    const selectors = [...rules.map(({ expr }) => expr), ...queries].flatMap((expression) =>
      metricsIn(expression).map((name) => [name, expression] as const),
    )
    const foreign = selectors.filter(([name, expression]) =>
      new RegExp(`\\b${name}\\b(?!{job="bots")`).test(expression),
    )
    expect(foreign).toEqual([])
  })

  test('have alerts, each with a case in which it fires', () => {
    const cases = read('monitoring/alerts.test.yml')
    expect(rules.filter(({ alert }) => !cases.includes(`alertname="${alert}"`))).toEqual([])
  })
})

/* Checks that need the tools of the field. Without a tool its check is skipped, and the output names it. */
describe('linters of the deployment files find nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bots-deploy-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const pathOf = (name: string) => fileURLToPath(new URL(`server/deploy/${name}`, root))

  function draft(name: string, text: string): string {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  /** Runs a tool, and gives what it has to say, which is nothing where all is well. */
  function objections(tool: string, ...given: string[]): string {
    const { status, stdout, stderr } = spawnSync(tool, given, { encoding: 'utf8' })
    return status === 0 ? '' : `${tool} ${given.join(' ')} ended with ${status}: ${stdout}${stderr}`
  }

  function testWith(tool: string, name: string, work: () => void) {
    const isThere = !spawnSync(tool, ['-h']).error
    if (isThere) test(name, work)
    else test.skip(`${name} (no ${tool} here)`, () => {})
  }

  testWith('promtool', 'with rules, which fire when they should, and the dashboard', () => {
    const { panels } = JSON.parse(read('monitoring/dashboard.json'))
    const asked = panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets)
    const recorded = asked.map(({ expr }: { expr: string }, place: number) => ({
      record: `panel:${place}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }))
    const dashboard = draft(
      'dashboard.yml',
      JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }),
    )
    expect(objections('promtool', 'check', 'rules', pathOf('monitoring/alerts.yml'), dashboard)).toBe('')
    const configuration = pathOf('monitoring/prometheus.yml')
    expect(objections('promtool', 'check', 'config', '--syntax-only', configuration)).toBe('')
    expect(objections('promtool', 'test', 'rules', pathOf('monitoring/alerts.test.yml'))).toBe('')
  })

  testWith('hadolint', 'with the Dockerfile', () => {
    expect(objections('hadolint', fileURLToPath(new URL('Dockerfile', root)))).toBe('')
  })

  testWith('systemd-analyze', 'with the unit, which may do little', () => {
    const unit = draft('bots.service', read('bots.service').replaceAll('/usr/bin/node', process.execPath))
    // It warns of what it does not know, and of other units of the machine too.
    const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    expect(stderr.split('\n').filter((line) => line.includes('bots.service'))).toEqual([])
    expect(objections('systemd-analyze', 'security', '--offline=true', '--threshold=40', unit)).toBe('')
  })

  testWith('kubernetes-validate', 'with the manifests', () => {
    const files = [...Object.keys(manifests).filter((name) => name !== 'kustomization'), 'files/claim']
    const paths = files.map((name) => pathOf(`kubernetes/${name}.yaml`))
    expect(objections('kubernetes-validate', '--strict', ...paths)).toBe('')
  })

  testWith('kubectl', 'with what is put together of the manifests, all of one image', () => {
    const { stdout, stderr } = spawnSync('kubectl', ['kustomize', pathOf('kubernetes')], { encoding: 'utf8' })
    expect(stderr).toBe('')
    const [{ newName, newTag }] = manifests.kustomization.images
    expect(new Set(stdout.match(/image: .+/g))).toEqual(new Set([`image: ${newName}:${newTag}`]))

    const known = parseAllDocuments(stdout).map((document) => document.toJS())
    const find = (kind: string) => known.find((each) => each.kind === kind)
    expect(find('ConfigMap').data).toEqual({
      ...manifests.configmap.data,
      FILES_DIR: '/var/lib/bots/files',
    })
    const { containers, volumes } = find('Deployment').spec.template.spec
    expect(containers[0].volumeMounts.map(({ name }: { name: string }) => name).sort()).toEqual([
      'files',
      'tmp',
    ])
    expect(volumes).toHaveLength(2)
    expect(find('PersistentVolumeClaim').spec.accessModes).toEqual(['ReadWriteMany'])

    // With a bucket there is no volume.
    const copy = join(folder, 'kubernetes')
    cpSync(pathOf('kubernetes'), copy, { recursive: true })
    const kustomization = join(copy, 'kustomization.yaml')
    writeFileSync(kustomization, readFileSync(kustomization, 'utf8').replace(/^components:.*$/m, ''))
    const withBucket = spawnSync('kubectl', ['kustomize', copy], { encoding: 'utf8' })
    expect([withBucket.stderr, withBucket.stdout.includes('FILES_DIR')]).toEqual(['', false])
  })

  testWith('caddy', 'with the proxy of the compose file', () => {
    const given = ['validate', '--adapter', 'caddyfile', '--config', pathOf('compose/Caddyfile')]
    expect(objections('caddy', ...given)).toBe('')
  })

  testWith('nginx', 'with what the guide of the proxy says of nginx', () => {
    const [server = '', below = ''] = [...guide('proxy').matchAll(/^```nginx\n(.*?)^```/gms)].map(
      ([, text]) => text,
    )
    const files = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi']
    // Certificates of one's own are not there, and neither port nor folders may be those of a machine that serves.
    const within = (text: string) => `
      error_log stderr; pid ${join(folder, 'pid')}; events {}
      http {
        access_log off;
        ${files.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ')}
        ${text.replaceAll(/^ *ssl_certificate.*$/gm, '').replaceAll('listen 443 ssl', 'listen unix:bots.socket')}
      }`
    for (const text of [server, server.replace(/^ {2}location .*?^ {2}}/ms, below)]) {
      expect(text).toContain('proxy_pass http://bots')
      expect(objections('nginx', '-p', folder, '-t', '-c', draft('nginx.conf', within(text)))).toBe('')
    }
  })
})
