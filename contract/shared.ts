import { domainToASCII } from 'node:url'
import { z } from './kit/zod.ts'
import { canonicalTimeZone } from './time-zones.ts'

/** Converts a host name with a dot to its stored form, in ASCII and lower case. Undefined if it is invalid. */
export function asciiHost(given: string): string | undefined {
  const host = domainToASCII(given)
  const isHost = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/.test(
    host,
  )
  return isHost ? host : undefined
}

/** Schema of an e-mail address. Both spellings of international domains are valid, and become ASCII. */
export function emailAddress(description: string, example: string) {
  const error = 'Expected an e-mail address such as ada@example.com'
  return (
    z
      .string()
      .max(254)
      .regex(/^[A-Za-z0-9_'+-]+(\.[A-Za-z0-9_'+-]+)*@[^\s@/?#:\\.]+(\.[^\s@/?#:\\.]+)+$/, { error })
      .transform((address, context) => {
        const at = address.indexOf('@')
        const host = asciiHost(address.slice(at + 1))
        if (host && at + 1 + host.length <= 254) return `${address.slice(0, at)}@${host}`
        context.issues.push({ code: 'custom', input: address, message: error })
        return z.NEVER
      })
      // The format `email` allows ASCII alone, so it is not published. The pattern also excludes U+0000.
      .meta({
        maxLength: 254,
        description,
        example,
        pattern:
          "^[A-Za-z0-9_'+-]+(\\.[A-Za-z0-9_'+-]+)*@[^\\x00\\s@/?#:\\\\.]+(\\.[^\\x00\\s@/?#:\\\\.]+)+$",
      })
  )
}

export const exampleIds = {
  workspace: '01jr5x0c8m9w3q7v2k4n6p8r0t',
  folder: '01jr5x1d9n0x4r8w3m5p7q9s1v',
  parentFolder: '01jr5x1c7k8w2p6t0h3m5n7q9r',
  bot: '01jr5x2e0p1y5s9x4n6q8r0t2w',
  user: '01jr5x3f1q2z6t0y5p7r9s1v3x',
  token: '01jr5x4g2r3a7v1z6q8s0t2w4y',
  result: '01jr5x5h3s4b8w2a7r9t1v3x5z',
  session: '01jr5x6j4t5c9x3b8s0v2w4y6a',
  publication: '01jr5x7k5v6d0y4c9t1w3x5z7b',
  log: '01jr5x8m6w7e1z5d0v2x4y6a8c',
  credentials: '01jr5x9n7x8f2a6e1w3y5z7b9d',
  webhookEndpoint: '01jr5xam8y9g3b7f2x4z6a8c0e',
  webhookDelivery: '01jr5xbn9z0h4c8g3y5a7b9d1f',
  browserSession: '01jr5xcp0a1j5d9h4z6b8c0e2g',
  invitation: '01jr5xdq1b2k6e0j5a7c9d1f3h',
} as const

export const timeFilters = [
  'today',
  'last7Days',
  'last30Days',
  'monthToDate',
  'lastMonth',
  'yearToDate',
  'allTime',
] as const

export const timeFilter = z.enum(timeFilters).default('allTime').meta({
  description:
    'Calendar days that count, by the given time zone: `last7Days` and `last30Days` include today, `lastMonth` is the whole month before this one.',
  example: 'last7Days',
})

export const timeZone = z
  .string()
  .max(64)
  .transform((name, context) => {
    const canonical = canonicalTimeZone(name)
    if (canonical !== undefined) return canonical
    context.issues.push({
      code: 'custom',
      input: name,
      message: 'Expected the name of a time zone, such as Europe/Paris',
    })
    return z.NEVER
  })
  .default('UTC')
  .meta({
    maxLength: 64,
    description: 'IANA name of the time zone of the calendar days.',
    example: 'Europe/Paris',
  })
