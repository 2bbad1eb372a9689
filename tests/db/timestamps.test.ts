import { expect, test } from '@jest/globals'
import pg from 'pg'
import { toIso } from '../../server/db/iso-time.ts'
import { readTimestampsFast, timestampToIso } from '../../server/db/timestamps.ts'
import fc from '../kit/fast-check.ts'
import { runs } from '../support/runs.ts'

const { TIMESTAMPTZ } = pg.types.builtins
const readAny = pg.types.getTypeParser(TIMESTAMPTZ)
readTimestampsFast()
const readFast = pg.types.getTypeParser(TIMESTAMPTZ)

const day = (from: string, to: string) =>
  fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true })

test('a timestamp is parsed as by pg, however PostgreSQL writes it', () => {
  const fraction = fc.constantFrom('', '.1', '.12', '.123', '.1234', '.123456', '.999999', '.000001')
  const zone = fc.constantFrom('+00', '+00', '+01', '-03:30', '+00:30', '+00 BC')
  fc.assert(
    fc.property(day('0000-01-01', '9999-12-31'), fraction, zone, (date, part, offset) => {
      const written = `${date.toISOString().slice(0, 19).replace('T', ' ')}${part}${offset}`
      const moment = readAny(written)
      expect(readFast(written)).toEqual(moment)
      expect(timestampToIso(written)).toBe(moment.toISOString())
    }),
    { numRuns: runs(500, 20_000) },
  )
})

test.each(['infinity', '-infinity', '12026-11-22 13:40:20+00'])('%s is parsed as by pg', (written) => {
  expect(readFast(written)).toEqual(readAny(written))
})

test('a timestamp is printed as by JavaScript', () => {
  fc.assert(
    fc.property(fc.array(day('-002000-01-01', '+012000-01-01'), { minLength: 1 }), (dates) => {
      expect(dates.map(toIso)).toEqual(dates.map((date) => date.toISOString()))
    }),
    { numRuns: runs(200, 5_000) },
  )
})
