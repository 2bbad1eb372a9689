import { kindOf } from '../model/words.ts'

/** Types of credentials that no block has as its type. */
const others: Record<string, string> = {
  smtp: 'Mail server',
  'google sheets': 'Google Sheets',
  stripe: 'Stripe',
}

export const serviceName = (type: string) => others[type] ?? kindOf(type).label
