import { describe, expect, jest, test } from '@jest/globals'
import { timeZone } from '../../contract/shared.ts'
import { canonicalTimeZone } from '../../contract/time-zones.ts'

describe('canonicalTimeZone', () => {
  test.each([
    ['Europe/Paris', 'Europe/Paris'],
    ['eUROPE/pARIS', 'Europe/Paris'],
    ['utc', 'UTC'],
    ['ETC/gmt+5', 'Etc/GMT+5'],
    ['us/eastern', 'America/New_York'],
    ['Mars/Base', undefined],
    ['+01:23', undefined],
    ['-0500', undefined],
    ['', undefined],
    // The Kelvin sign becomes a plain k in lower case.
    ['Asia/Bang\u212Aok', undefined],
    ['x'.repeat(100_000), undefined],
  ])('returns for %j the zone %j', (name, expected) => {
    expect(canonicalTimeZone(name)).toBe(expected)
  })

  test('2,000 spellings of one name create one formatter', () => {
    const made = jest.spyOn(Intl, 'DateTimeFormat')
    const letters = [...'america/los_angeles']
    for (let bits = 0; bits < 2_000; bits++) {
      const name = letters.map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join('')
      expect(timeZone.parse(name)).toBe('America/Los_Angeles')
    }
    expect(made.mock.calls.length).toBe(1)
    made.mockRestore()
  })
})
