import { z } from '../contract/zod.ts'

const whole = (minimum: number, maximum: number, fallback: number) => {
  const error = `Expected a whole number from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error })
    .default(fallback)
}

const address = (protocols: RegExp, example: string) =>
  z.url({ protocol: protocols, error: `Expected a URL such as ${example}` })

/** Every variable the service reads, with its default. The README lists them in this order. */
const environment = z.object({
  PORT: whole(0, 65_535, 3000),
  /** Absent listens on all addresses of the machine. */
  HOST: z.string().min(1).optional(),
  PUBLIC_URL: address(/^https?$/, 'https://bots.example.com').optional(),
  /** Whom the published document tells callers to ask, and the terms it names; absent names none. */
  CONTACT_NAME: z.string().max(255, { error: 'Expected at most 255 characters' }).optional(),
  CONTACT_URL: address(/^https?$/, 'https://bots.example.com/help').optional(),
  CONTACT_EMAIL: z.email({ error: 'Expected an address such as help@bots.example.com' }).optional(),
  TERMS_URL: address(/^https?$/, 'https://bots.example.com/terms').optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  DATABASE_URL: address(/^postgres(ql)?$/, 'postgres://user:password@host:5432/bots').optional(),
  DATABASE_POOL_SIZE: whole(1, 1000, 10),
  DATABASE_CONNECT_TIMEOUT: whole(1, 600_000, 2_000),
  DATABASE_STATEMENT_TIMEOUT: whole(1, 600_000, 5_000),
  DATABASE_LOCK_TIMEOUT: whole(1, 600_000, 2_000),
  DATABASE_TRANSACTION_POOLER: z
    .enum(['true', 'false'], { error: 'Expected true or false' })
    .default('false')
    .transform((value) => value === 'true'),
  REQUEST_TIMEOUT: whole(1_000, 600_000, 30_000),
  SHUTDOWN_DELAY: whole(0, 600_000, 2_000),
  SHUTDOWN_TIMEOUT: whole(0, 600_000, 30_000),
  MAX_WORKSPACES_PER_USER: whole(0, 1_000_000, 100),
  SMTP_URL: address(/^smtps?$/, 'smtp://user:password@mail.example.com:587').optional(),
  SMTP_FROM: z
    .string()
    .min(3, { error: 'Expected a sender such as Bots <bots@example.com>' })
    .default('Bots <bots@localhost>'),
  /** Hosts that bots may call although they are private: `host` or `host:port`, separated by commas. */
  OUTBOUND_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((hosts) =>
      hosts
        .split(',')
        .map((host) => host.trim())
        .filter(Boolean),
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'Expected trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
})

export type Config = Readonly<z.output<typeof environment>>

/** The configuration, or one line per variable that is wrong. Variables that are set but empty count as absent. */
export function readConfig(variables: NodeJS.ProcessEnv): { config: Config } | { problems: string[] } {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given)
  if (parsed.success) return { config: Object.freeze(parsed.data) }
  return { problems: parsed.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`) }
}
