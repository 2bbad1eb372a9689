import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from '../server/root.ts'

const guide = readFileSync(new URL('server/guides/sizing.md', root), 'utf8')

/** Reads the cells of the rows of the guide that begin with a pattern. */
const rowsOf = (start: RegExp) =>
  guide
    .split('\n')
    .filter((line) => start.test(line))
    .map((line) => line.split('|').slice(1, -1))

const numberOf = (cell: string | undefined) => Number(cell?.trim().replaceAll(',', ''))

const figure = (name: string) => numberOf(rowsOf(new RegExp(`^\\| ${name}`))[0]?.[1])

/** Answers in each chat of the table. */
const ANSWERS = 5

test('the machines of the guide follow from its formulas and figures', () => {
  const [turnsOfCore, result, answer, wal] = [
    figure('turns a second'),
    figure('result,'),
    figure('answer with'),
    figure('write-ahead log of a turn'),
  ] as [number, number, number, number]
  const rows = rowsOf(/^\| [\d,]+ \|/)
  expect(rows).toHaveLength(3)
  for (const cells of rows) {
    const chats = numberOf(cells[0])
    const turns = (chats * (ANSWERS + 1) * 4) / 86_400
    const cores = Math.max(2, Math.ceil((2 * turns) / turnsOfCore))
    expect(cells.slice(1, 6).map(numberOf)).toEqual([
      Math.round(turns),
      cores,
      cores / 2,
      Math.round((chats * 365 * (result + ANSWERS * answer)) / 1e9),
      Number(((chats * (ANSWERS + 1) * wal) / 1e9).toFixed(1)),
    ])
  }
})
