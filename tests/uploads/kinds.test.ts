import { expect, test } from '@jest/globals'
import { isOfType, safeName } from '../../server/uploads/kinds.ts'

test.each([
  ['a.txt', '*/*'],
  ['noextension', '*'],
  ['photo.jpg', 'image/jpg'],
  ['photo.jpeg', 'jpg'],
  ['photo.JPG', '.jpeg'],
  ['scan.pdf', 'application/pdf;version=1'],
  ['scan.bmp', 'image/*'],
  ['song.flac', 'audio/*'],
  ['film.avi', 'video/*'],
  ['date.ics', 'text/calendar'],
  ['letter.rtf', 'application/rtf'],
  ['any.xyz', 'xyz'],
])('a file %s is accepted where %s is allowed', (name, type) => {
  expect(isOfType(name, [type])).toBe(true)
})

test.each([
  ['a.txt', 'image/*'],
  ['photo.png', 'jpg'],
  ['a.txt', 'unknown/type'],
  ['noextension', 'jpg'],
])('a file %s is not accepted where only %s is allowed', (name, type) => {
  expect(isOfType(name, [type])).toBe(false)
})

test('a name of a file is short enough for systems that count bytes, and keeps its type', () => {
  for (const name of [`${'名'.repeat(96)}.pdf`, `${'👨‍👩‍👧'.repeat(60)}.png`, 'a'.repeat(500)]) {
    const safe = safeName(name)
    expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(200)
    expect(safe).not.toMatch(/\u{FFFD}|\u200d(\.|$)/u)
  }
  expect(safeName(`${'名'.repeat(96)}.pdf`)).toMatch(/\.pdf$/)
})

test.each([
  ['CON', '_CON'],
  ['con.txt', '_con.txt'],
  ['NUL.tar.gz', '_NUL.tar.gz'],
  ['console.txt', 'console.txt'],
  ['👨‍👩‍👧.png', '👨‍👩‍👧.png'],
  ['فیل‌م.txt', 'فیل‌م.txt'],
  ['a\u202etxt.exe', 'atxt.exe'],
])('the name %s is saved as %s', (given, safe) => {
  expect(safeName(given)).toBe(safe)
})
