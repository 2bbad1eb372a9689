import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { newSecret, signatureHeaders } from '../../server/webhooks/signature.ts'

/*
 * Holds the signatures of webhooks against the official libraries of Standard Webhooks in several languages: what the
 * service signs they take, with the secret of now and the one before, and nothing that was altered.
 */

const here = fileURLToPath(new URL('./', import.meta.url))
const [secret, secretBefore] = [newSecret(), newSecret()]
const body = JSON.stringify({
  type: 'result.answered',
  timestamp: new Date().toISOString(),
  data: { id: 'result', answers: [{ blockId: 'block', content: 'Ça va? 😀 "quoted" \u2028' }] },
})
const id = '01jr5x5h3s4b8w2a7r9t1v3x5z'
const now = new Date()
const headers = signatureHeaders([secret, secretBefore], id, body, now)
const [first = '', second = ''] = (headers['webhook-signature'] ?? '').split(' ')

interface Case {
  name: string
  secret: string
  body: string
  headers: Record<string, string>
  isGood: boolean
}

const good = { secret, body, headers, isGood: true }
const bad = { ...good, isGood: false }
const cases: Case[] = [
  { ...good, name: 'the secret of now' },
  { ...good, name: 'the secret before', secret: secretBefore },
  { ...good, name: 'one signature alone', headers: { ...headers, 'webhook-signature': first } },
  { ...bad, name: 'the signature of another secret', headers: { ...headers, 'webhook-signature': second } },
  { ...bad, name: 'the secret of another endpoint', secret: newSecret() },
  { ...bad, name: 'another body', body: body.replace('Ça', 'Ca') },
  { ...bad, name: 'another id', headers: { ...headers, 'webhook-id': 'other' } },
  {
    ...bad,
    name: 'an old one',
    headers: signatureHeaders([secret], id, body, new Date(now.getTime() - 600_000)),
  },
]

interface Language {
  name: string
  library: string
  /** Tells whether the language is installed. */
  needs: [string, ...string[]]
  prepare?: string
  /** Reads the cases as JSON from standard input, and writes a list of whether each was taken. */
  verify: string
}

const languages: Language[] = [
  {
    name: 'TypeScript',
    library: 'standardwebhooks 1.1.1',
    needs: ['node', '--version'],
    verify: 'node --import tsx verify.ts',
  },
  {
    name: 'Python',
    library: 'standardwebhooks 1.1.0',
    needs: ['python3', '-c', 'import venv'],
    prepare:
      'python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check standardwebhooks==1.1.0',
    verify: '.venv/bin/python verify.py',
  },
  {
    name: 'Go',
    library: 'standard-webhooks/libraries 0.0.1',
    needs: ['go', 'version'],
    verify: 'cd go && go run .',
  },
]

const shell = (command: string, input = '') =>
  spawnSync('sh', ['-c', command], { cwd: here, input, encoding: 'utf8' })

for (const { name, library, needs, prepare, verify } of languages) {
  const [program, ...words] = needs
  if (spawnSync(program, words).status !== 0) {
    console.log(`${name}: skipped, it is not installed`)
    continue
  }
  const prepared = prepare ? shell(prepare) : undefined
  if (prepared && prepared.status !== 0) throw new Error(`${name} cannot be prepared: ${prepared.stderr}`)
  const { stdout, stderr } = shell(verify, JSON.stringify(cases))
  const taken = readList(stdout)
  if (taken?.length !== cases.length) throw new Error(`${name} said something else: ${stdout}${stderr}`)
  const wrong = cases.filter(({ isGood }, index) => taken[index] !== isGood)
  console.log(`${name}, ${library}: ${cases.length - wrong.length} of ${cases.length} as they should be`)
  for (const each of wrong) {
    console.log(`  ${each.name} was ${each.isGood ? 'refused' : 'taken'}`)
    process.exitCode = 1
  }
}

function readList(text: string): boolean[] | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
