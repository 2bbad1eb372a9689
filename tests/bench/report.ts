import { peers } from './operations.ts'

/** Figures of one server in one operation, over all rounds. */
export interface Figures {
  requestsPerSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Milliseconds of CPU time of the server process per request. */
  cpu: number
  /** Against the floor; null without one. */
  toFloor: Ratio | null
}

/** Ratio of one server to another in the same round, median over all rounds: above 1 is faster, or less CPU time. */
export interface Ratio {
  throughput: number
  cpu: number
}

export interface Line {
  operation: string
  title: string
  /** The ratio the service has to reach. */
  bar: number
  servers: Record<string, Figures>
  /** The service against each of the others. */
  against: Record<string, Ratio>
}

export interface Report {
  machine: string
  date: string
  rounds: number
  connections: number
  /** Servers that were left out, and why. */
  missing: string | undefined
  lines: Line[]
  /** Ratios between operations of the service, each with the most it may be. */
  growth: { title: string; ratio: number; bar: number | null }[]
  /** Start time and memory of the process of the service. */
  size: { coldStart: number; memoryAtRest: number; memoryUnderLoad: number }
}

const digits = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const shown = (ratio: Ratio | undefined) =>
  ratio ? `${ratio.throughput.toFixed(2)} / ${ratio.cpu.toFixed(2)}` : ''

/** The service against the framework that comes closest, with its name. */
function againstBest({ against }: Line): string {
  const ratios = peers.flatMap((name) => (against[name] ? [{ name, ratio: against[name] }] : []))
  const [best] = ratios.sort((a, b) => a.ratio.throughput - b.ratio.throughput)
  return best ? `${shown(best.ratio)} ${best.name}` : ''
}

/** The report as Markdown: first the service against the others, then every figure. */
export function toMarkdown({
  machine,
  date,
  rounds,
  connections,
  missing,
  lines,
  growth,
  size,
}: Report): string {
  const summary = lines.map((line) => {
    const { requestsPerSecond = 0, p50 = 0, p99 = 0, cpu = 0 } = line.servers.service ?? {}
    const figures = [
      Math.round(requestsPerSecond).toLocaleString('en'),
      digits(p50),
      digits(p99),
      digits(cpu),
    ]
    const ratios = ['floor', 'rust A', 'rust B'].map((name) => shown(line.against[name]))
    return `| ${[line.title, ...figures, ...ratios, againstBest(line)].join(' | ')} |`
  })
  const rows = lines.flatMap(({ title, bar, servers }) =>
    Object.entries(servers).map(([server, figures]) => {
      const { requestsPerSecond, p50, p99, cpu, toFloor } = figures
      const ratios = [toFloor?.throughput, toFloor?.cpu].map((ratio) => ratio?.toFixed(2) ?? '')
      const cells = [title, server, digits(requestsPerSecond), ratios[0], digits(p50), digits(p99)]
      const wanted = server === 'service' && toFloor ? String(bar) : ''
      return `| ${[...cells, cpu.toFixed(3), ratios[1], wanted].join(' | ')} |`
    }),
  )
  return [
    `${machine}; ${date}; ${rounds} rounds in alternation, ${connections} connections.`,
    ...(missing ? ['', missing] : []),
    '',
    'The service, and its throughput / CPU time per request against the others: above 1 is better than they are.',
    '',
    '| Operation | Requests/s | p50 ms | p99 ms | CPU ms | Service / floor | / Rust A | / Rust B | / best framework |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --- |',
    ...summary,
    '',
    'Every server; ratios are against the floor: above 1 is faster, or less CPU time.',
    '',
    '| Operation | Server | Requests/s | Ratio | p50 ms | p99 ms | CPU ms/request | Ratio | Bar |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: |',
    ...rows,
    '',
    '| Growth | Times as long | At most |',
    '| --- | --: | --: |',
    ...growth.map(({ title, ratio, bar }) => `| ${title} | ${ratio.toFixed(2)} | ${bar ?? ''} |`),
    '',
    `Cold start to first answer ${size.coldStart.toFixed(0)} ms; memory ${megabytes(size.memoryAtRest)} MB at rest, ${megabytes(size.memoryUnderLoad)} MB after the load.`,
    '',
  ].join('\n')
}

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

const colours: Record<string, string> = {
  service: '#2563eb',
  'two workers': '#93c5fd',
  'rust A': '#f59e0b',
  'rust B': '#fcd34d',
  fastify: '#94a3b8',
  hono: '#cbd5e1',
  express: '#64748b',
}

/** Throughput of every operation as bars, in parts of the floor, which is the line at 1. */
export function toSvg({ lines, machine }: Report): string {
  const [left, width, thickness] = [270, 520, 11]
  const scale = width / 1.25
  const shapes: string[] = []
  let y = 64
  for (const { title, servers, bar } of lines.filter(({ servers }) => servers.floor)) {
    const top = y
    for (const [server, { toFloor }] of Object.entries(servers)) {
      if (server === 'floor' || !toFloor) continue
      const length = Math.min(toFloor.throughput, 1.25) * scale
      shapes.push(
        `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${thickness - 2}" fill="${colours[server]}"/>`,
        `<text x="${(left + length + 4).toFixed(1)}" y="${y + 8}" font-size="9">${toFloor.throughput.toFixed(2)}</text>`,
      )
      y += thickness
    }
    const x = left + bar * scale
    shapes.push(
      `<text x="${left - 8}" y="${(top + y) / 2 + 3}" text-anchor="end">${title}</text>`,
      `<line x1="${x}" y1="${top - 2}" x2="${x}" y2="${y}" stroke="#dc2626"/>`,
    )
    y += 8
  }
  const legend = Object.entries(colours).map(
    ([server, colour], at) =>
      `<rect x="${left + at * 80}" y="34" width="10" height="10" fill="${colour}"/><text x="${left + at * 80 + 14}" y="43">${server}</text>`,
  )
  const one = left + scale
  return `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="${y + 12}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="12" y="20" font-size="14">Requests per second in parts of the floor (black line); red marks: the bar of the service</text>
<text x="12" y="43">${machine}</text>
${legend.join('\n')}
<line x1="${one}" y1="54" x2="${one}" y2="${y}" stroke="#000000"/>
${shapes.join('\n')}
</svg>
`
}
