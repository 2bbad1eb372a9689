import proxyAddress from 'proxy-addr'
import { z } from '../contract/kit/zod.ts'
import { asciiHost } from '../contract/shared.ts'
import { GOOGLE_TOKEN_URL } from './outbound/google-account.ts'

const number = (minimum: number, maximum: number) => {
  const error = `Expected a whole number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error })
}

const whole = (minimum: number, maximum: number, fallback: number) =>
  number(minimum, maximum).default(fallback)

/** Keys of 32 bytes, in base64 or in hexadecimal digits. */
const keys = z
  .string()
  .transform((list) => list.split(',').map((key) => keyOf(key.trim())))
  .refine((list) => list.every((key) => key.length === 32), {
    error:
      'Expected 32 bytes in base64 or hexadecimal digits, as `openssl rand -base64 32` prints them, or several of these with commas between',
  })

function keyOf(text: string): Buffer {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
}

const yesOrNo = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'], { error: 'Expected true or false' })
    .default(fallback)
    .transform((value) => value === 'true')

const address = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `Expected a URL such as ${example}`, abort: true })

/** Public base URL of the service; paths are appended. */
const publicAddress = address(/^https?$/, 'https://bots.example.com')
  .refine((text) => !/[?#]/.test(text) && !/^\w+:\/\/[^/]*@/.test(text), {
    error: 'Expected a URL without user, query and fragment, such as https://bots.example.com/bots',
  })
  .transform((given) => {
    // Scheme and host in lower case: cookies and origins are compared with them.
    const text = new URL(given).href
    let end = text.length
    while (text[end - 1] === '/') end--
    return text.slice(0, end)
  })

/** Proxies whose forwarding headers are trusted, as Express takes it: all, none, a number, or a list of addresses. */
const trustedProxies = z
  .string()
  .default('false')
  .transform((text, context): boolean | number | string[] => {
    if (text === 'true' || text === 'false') return text === 'true'
    if (/^[1-9]\d?$/.test(text)) return Number(text)
    const addresses = text.split(',').map((address) => address.trim())
    try {
      // A string of digits alone would pass as an address of IPv4.
      if (addresses.some((address) => /^\d*$/.test(address))) throw new Error('no address')
      proxyAddress.compile(addresses)
    } catch {
      const message =
        'Expected true, false, a number of proxies from 1 to 99, or addresses such as loopback, 10.0.0.0/8'
      context.addIssue({ code: 'custom', message })
    }
    return addresses
  })

const list = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

/** Bots are compared with it as URLs write hosts, so that anything else would allow nothing. */
function isHost(text: string): boolean {
  const [, host = '', port = '1'] = /^(\[[^\]]*\]|[^:*]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  const url = `http://${host}`
  return host !== '' && Number(port) >= 1 && Number(port) <= 65_535 && URL.canParse(url)
    ? new URL(url).host === host.toLowerCase()
    : false
}

/** As browsers send them: scheme, host and port, without a path. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/i.test(text) && URL.canParse(text) && new URL(text).origin === text.toLowerCase()
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Every variable the service reads, with its default. `guides/configuration.md` lists them in this order. */
const environment = z.object({
  PORT: whole(0, 65_535, 3000),
  /** Absent listens on all addresses of the machine. */
  HOST: z.string().min(1).optional(),
  PUBLIC_URL: publicAddress.optional(),
  /** Address that serves chats alone, on a host of its own: trackers and code of authors run there. */
  CHAT_URL: publicAddress.optional(),
  /** Further names of hosts of the service, which no bot may have as its domain. */
  OWN_HOSTS: z
    .string()
    .default('')
    .transform((text) => list(text).map((host) => (/[/?#@:\\]/.test(host) ? undefined : asciiHost(host))))
    .refine((hosts): hosts is string[] => hosts.every((host) => host !== undefined), {
      error:
        'Expected names of hosts without scheme, port and path, such as bots.internal.example.com, with commas between',
    }),
  /** Name of the installation, which chats show where their bot has branding on. */
  SITE_NAME: z.string().max(100, { error: 'Expected at most 100 characters' }).optional(),
  /** Origins whose pages may call `/v1` with a token, separated by commas. */
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform(list)
    .refine((origins) => origins.every(isOrigin), {
      error:
        'Expected origins without path and placeholders, such as https://editor.example.com or http://localhost:5173, with commas between',
    })
    .transform((origins) => origins.map((origin) => origin.toLowerCase())),
  /** Contact and terms in the published document; left out if absent. */
  CONTACT_NAME: z.string().max(255, { error: 'Expected at most 255 characters' }).optional(),
  CONTACT_URL: address(/^https?$/, 'https://bots.example.com/help').optional(),
  CONTACT_EMAIL: z.email({ error: 'Expected an address such as help@bots.example.com' }).optional(),
  TERMS_URL: address(/^https?$/, 'https://bots.example.com/terms').optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: address(/^postgres(ql)?$/, 'postgres://user:password@host:5432/bots').optional(),
  /** A standby of it, for reads that are no part of a write; absent reads them from the primary. */
  DATABASE_READ_URL: address(/^postgres(ql)?$/, 'postgres://user:password@standby:5432/bots').optional(),
  /** The first key encrypts credentials, all of them decrypt. */
  ENCRYPTION_KEY: keys.optional(),
  DATABASE_POOL_SIZE: whole(1, 1000, 10),
  DATABASE_CONNECT_TIMEOUT: whole(1, 600_000, 2_000),
  DATABASE_STATEMENT_TIMEOUT: whole(1, 600_000, 5_000),
  DATABASE_LOCK_TIMEOUT: whole(1, 600_000, 2_000),
  /** On a cluster: true connects to nodes directly, besides the coordinator. */
  DATABASE_NODES: yesOrNo('true'),
  DATABASE_NAMED_STATEMENTS: yesOrNo('true'),
  DATABASE_SESSION_SETTINGS: yesOrNo('true'),
  MIGRATE: yesOrNo('true'),
  /** A seeded world, a clock that can be set, and outcomes on demand: never beside real data. */
  SANDBOX: yesOrNo('false'),
  WORKERS: whole(1, 128, 1),
  REQUEST_TIMEOUT: whole(1_000, 600_000, 30_000),
  SHUTDOWN_DELAY: whole(0, 600_000, 2_000),
  SHUTDOWN_TIMEOUT: whole(0, 600_000, 30_000),
  MAX_WORKSPACES_PER_USER: whole(0, 1_000_000, 100),
  /** Absent: results are retained until they are deleted. */
  RESULTS_RETENTION_DAYS: number(1, 36_500).optional(),
  /** Days for which draft and publications of a deleted bot are retained; its results are deleted immediately. */
  DELETED_BOTS_RETENTION_DAYS: whole(0, 36_500, 7),
  /** Absent: every publication is retained. At least a week, since only longer chats are looked for. */
  PUBLICATIONS_RETENTION_DAYS: number(7, 36_500).optional(),
  PUBLICATIONS_KEPT: whole(1, 100_000, 20),
  RATE_LIMIT: z
    .enum(['on', 'off'], { error: 'Expected on or off' })
    .default('on')
    .transform((value) => value === 'on'),
  RATE_LIMIT_SECONDS: whole(1, 3_600, 2),
  RATE_LIMIT_TOKEN: whole(1, 1_000_000, 100),
  RATE_LIMIT_ADDRESS: whole(1, 1_000_000, 20),
  RATE_LIMIT_CONCURRENT: whole(1, 10_000, 20),
  RATE_LIMIT_DELAY: whole(0, 10_000, 1_000),
  TRUST_PROXY: trustedProxies,
  CONCURRENT_REQUESTS: whole(1, 100_000, 400),
  REQUEST_QUEUE_LENGTH: whole(0, 100_000, 200),
  REQUEST_QUEUE_TIMEOUT: whole(1, 600_000, 2_000),
  /** In megabytes, as the next four. */
  UPLOAD_MAX_SIZE: whole(1, 10_000, 10),
  UPLOAD_MAX_SIZE_PER_CHAT: whole(1, 100_000, 100),
  /** Per address and day, as the next one. The one after them is per bot. */
  UPLOAD_MAX_SIZE_PER_ADDRESS: whole(1, 10_000_000, 200),
  TEXT_MAX_SIZE_PER_ADDRESS: whole(1, 10_000_000, 50),
  STORED_MAX_SIZE_PER_BOT: whole(1, 100_000_000, 5_000),
  /** Messages of members to visitors, per workspace and day. */
  MEMBER_MESSAGES_PER_WORKSPACE: whole(1, 1_000_000_000, 50_000),
  /** Megabytes of these. */
  MEMBER_MESSAGES_MAX_SIZE: whole(1, 10_000_000, 100),
  /** Megabytes; 0 takes files until the disk is full. */
  DISK_MIN_FREE: whole(0, 10_000_000, 1_000),
  UPLOAD_TIMEOUT: whole(1_000, 1_800_000, 600_000),
  /** A folder for files of visitors; absent: beside the embedded database. */
  FILES_DIR: z.string().min(1).optional(),
  /** A store for them in place of a folder. */
  S3_ENDPOINT: address(/^https?$/, 'https://s3.eu-central-1.amazonaws.com').optional(),
  S3_BUCKET: z.string().min(1).default('bot-files'),
  S3_REGION: z.string().min(1).default('us-east-1'),
  /** Absent, with the next one, takes those that the machine has. */
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  SMTP_URL: address(/^smtps?$/, 'smtp://user:password@mail.example.com:587').optional(),
  SMTP_FROM: z
    .string()
    .min(3, { error: 'Expected a sender such as Bots <bots@example.com>' })
    .default('Bots <bots@localhost>'),
  /** The provider of OpenID Connect at which people sign in to the pages. */
  OIDC_ISSUER: address(/^https?$/, 'https://login.example.com')
    .refine((text) => text.startsWith('https:') || isLoopback(new URL(text).hostname), {
      error: 'Expected https: tokens of people go to it. Only a provider on this machine may have http',
    })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** Domains whose users may sign in there; absent: only existing users may. */
  OIDC_ALLOWED_DOMAINS: z
    .string()
    .default('')
    .transform((text) =>
      list(text).map((domain) => (/[/?#:@\\]/.test(domain) ? '' : (asciiHost(domain) ?? ''))),
    )
    .refine((domains) => !domains.includes(''), {
      error: 'Expected domains of e-mail addresses such as example.com, with commas between',
    }),
  /** The OAuth client with which members consent to the use of their accounts of Google. */
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  /** Addresses of Google, for an installation that reaches it by others. */
  GOOGLE_AUTHORIZATION_URL: address(/^https?$/, 'https://accounts.google.com/o/oauth2/v2/auth').default(
    'https://accounts.google.com/o/oauth2/v2/auth',
  ),
  GOOGLE_TOKEN_URL: address(/^https?$/, GOOGLE_TOKEN_URL).default(GOOGLE_TOKEN_URL),
  /** Serves the paths that the viewer and the web component of Typebot call. */
  TYPEBOT_VIEWER: yesOrNo('false'),
  /** Hosts that bots may call although they are private: `host` or `host:port`, separated by commas. */
  OUTBOUND_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform(list)
    .refine((hosts) => hosts.every(isHost), {
      error:
        'Expected hosts without scheme and path, such as localhost:8080, 10.0.0.7 or [::1]:8080, with commas between',
    }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'Expected trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
})

/** If ignored, a pooler would reject every connection. */
const pooler =
  'DATABASE_TRANSACTION_POOLER: Expected to be absent: set DATABASE_SESSION_SETTINGS=false, and DATABASE_NAMED_STATEMENTS=false for poolers that keep no names'

/** With two stores one would never be read. */
const twoStores = 'FILES_DIR: Expected to be absent where S3_ENDPOINT is set: files are kept in one of them'

/**
 * Cookies are shared between ports, so that a port of its own would not protect members' pages from code of authors.
 */
const sharedHost =
  'CHAT_URL: Expected with a PUBLIC_URL of another host: code of authors runs at CHAT_URL, and members sign in at PUBLIC_URL'

/** One alone would leave people without the button that it is for. */
const halfProvider =
  'OIDC_ISSUER: Expected with OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none of them: the provider gives all three'

/** Google rejects one without the other. */
const halfGoogle = 'GOOGLE_CLIENT_ID: Expected with GOOGLE_CLIENT_SECRET, or none of them: Google gives both'

/** The clock of a sandbox is in one process, and in the database by the settings of its connections. */
const sandboxProblem =
  'SANDBOX: Expected to be false, or WORKERS=1, DATABASE_SESSION_SETTINGS=true and no DATABASE_READ_URL: a sandbox is one process with one database'

export type Config = Readonly<z.output<typeof environment>>

/** The configuration, or one line per variable that is wrong. Variables that are set but empty count as absent. */
export function readConfig(variables: NodeJS.ProcessEnv): { config: Config } | { problems: string[] } {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  if (given.SANDBOX === 'true') given.DATA_DIR ??= '.sandbox'
  const parsed = environment.safeParse(given)
  if (given.DATABASE_TRANSACTION_POOLER !== undefined) return { problems: [pooler] }
  if (parsed.success && parsed.data.FILES_DIR && parsed.data.S3_ENDPOINT) return { problems: [twoStores] }
  if (parsed.success && !isProviderWhole(parsed.data)) return { problems: [halfProvider] }
  if (parsed.success && !parsed.data.GOOGLE_CLIENT_ID !== !parsed.data.GOOGLE_CLIENT_SECRET)
    return { problems: [halfGoogle] }
  if (parsed.success && !isChatApart(parsed.data)) return { problems: [sharedHost] }
  if (parsed.success && parsed.data.SANDBOX && !fitsSandbox(parsed.data))
    return { problems: [sandboxProblem] }
  if (parsed.success) return { config: Object.freeze(parsed.data) }
  return { problems: parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`) }
}

function isProviderWhole({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, ...rest }: Config): boolean {
  const given = [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET].filter(Boolean)
  return given.length === 3 || (given.length === 0 && rest.OIDC_ALLOWED_DOMAINS.length === 0)
}

/** The host of a URL, without port: one name for all of its spellings. */
export const hostOf = (url: string) => new URL(url).hostname.replace(/\.$/, '')

function isChatApart({ PUBLIC_URL, CHAT_URL }: Config): boolean {
  if (CHAT_URL === undefined) return true
  return PUBLIC_URL !== undefined && hostOf(PUBLIC_URL) !== hostOf(CHAT_URL)
}

function fitsSandbox({ WORKERS, DATABASE_SESSION_SETTINGS, DATABASE_READ_URL }: Config): boolean {
  return WORKERS === 1 && DATABASE_SESSION_SETTINGS && DATABASE_READ_URL === undefined
}

/** True if an OpenTelemetry exporter is configured. Its SDK reads all other variables. */
export function wantsTelemetry(variables: NodeJS.ProcessEnv): boolean {
  const places = ['', 'TRACES_', 'METRICS_'].map((what) => variables[`OTEL_EXPORTER_OTLP_${what}ENDPOINT`])
  return places.some(Boolean) && variables.OTEL_SDK_DISABLED !== 'true'
}
