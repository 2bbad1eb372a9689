/** Amounts of payments in the smallest unit of their currency, as the vendor counts them. */

/** Currencies without decimals. */
const ZERO_DECIMALS: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)

/** Currencies with three decimals, of which the vendor takes two. */
const THREE_DECIMALS: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '))

/** Whole units alone, which the vendor takes with two decimals all the same. */
const WHOLE_UNITS: ReadonlySet<string> = new Set(['ISK', 'UGX'])

/** The vendor takes no more digits in any currency. */
const MAX_AMOUNT_DIGITS = 12

export function isCurrency(code: string): boolean {
  return /^[A-Z]{3}$/.test(code)
}

function decimalsOf(currency: string): number {
  if (ZERO_DECIMALS.has(currency)) return 0
  return THREE_DECIMALS.has(currency) ? 3 : 2
}

/** The units that the vendor rounds no further: amounts are multiples of it. */
function stepOf(currency: string): bigint {
  if (WHOLE_UNITS.has(currency)) return 100n
  return THREE_DECIMALS.has(currency) ? 10n : 1n
}

/** Reads an amount exactly, and rounds it to the units of the currency; a text explains why it is none. */
export function readAmount(text: string, currency: string): { units: number } | { problem: string } {
  const given = text.trim()
  if (given === '') return { problem: 'it has no amount' }
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?$/.exec(given) ?? []
  if (sign === undefined) {
    const wanted = 'write it like 30 or 29.90, with a point, and without separators and currency'
    return { problem: `its amount "${given.slice(0, 50)}" is no number: ${wanted}` }
  }
  if (sign === '-') return { problem: `its amount ${given} is negative` }
  const decimals = decimalsOf(currency)
  // Two more digits, so that half a step is exact.
  const digits = BigInt(whole + fraction.padEnd(decimals + 2, '0').slice(0, decimals + 2))
  const step = stepOf(currency) * 100n
  const units = ((digits + step / 2n) / step) * (step / 100n)
  if (units === 0n) return { problem: `its amount ${given} ${currency} is too small` }
  if (String(units).length > MAX_AMOUNT_DIGITS)
    return { problem: `its amount ${given} ${currency} is too large` }
  return { units: Number(units) }
}

/** The amount with its currency, for readers of that language. */
export function showAmount(units: number, currency: string, language: string): string {
  const decimals = WHOLE_UNITS.has(currency) ? 0 : decimalsOf(currency)
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  return format.format(units / 10 ** decimalsOf(currency))
}
