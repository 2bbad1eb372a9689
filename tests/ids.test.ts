import { expect, test } from '@jest/globals'
import { decodeTime } from 'ulid'
import { newId, newIds } from '../server/ids.ts'

test('an id is a ULID in lower case with its time', () => {
  for (const moment of [0, 1_700_000_000_000, 1_700_000_000_001, 1_700_000_000_000]) {
    const id = newId(new Date(moment))
    expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
    expect(decodeTime(id.toUpperCase())).toBe(moment)
  }
})

test('ids of one millisecond are different, use every digit at every position, and are ordered', () => {
  const ids = newIds(5_000, new Date())
  expect(new Set(ids).size).toBe(5_000)
  expect(ids).toEqual(ids.toSorted())
  for (let at = 10; at < 26; at++) expect(new Set(ids.map((id) => id[at])).size).toBe(32)
})
