import { afterEach, expect, test } from '@jest/globals'
import { endProcesses } from './support/process.ts'
import { runs } from './support/runs.ts'
import { deleteUnderKills } from './torture/deletions.ts'
import { processFaults } from './torture/faults/processes.ts'
import { races } from './torture/faults/races.ts'
import { runHistories } from './torture/histories.ts'
import { payUnderKills } from './torture/payments.ts'
import { randomOf } from './torture/random.ts'

/*
 * The part of `make torture` that runs with every change (`make test-long`): less of everything, and without checks
 * of time. `make test` runs those faults that no test in one process stands for; flows/races.test.ts has the rest.
 * F1, F2, F7 and F17 are in process*.test.ts and migrations.test.ts.
 */

afterEach(endProcesses)

const wanted = ['F9', 'F16', 'F6', 'F11', 'F12', 'F14']
const faults = [...processFaults, ...races].filter(({ id }) =>
  wanted.slice(0, runs(2, wanted.length)).includes(id),
)

test.each(faults.map((fault) => [fault.id, fault.what, fault] as const))(
  '%s: %s',
  async (_id, _what, fault) => {
    // A broken promise throws.
    expect(await fault.run({ random: randomOf(1), scale: 0.1, isTimed: false })).not.toContain('NOT RUN')
  },
)

test('results that are deleted while they are written and processes are killed leave no text and no late event', async () => {
  const setting = { total: runs(40, 1_000), killEveryMs: 5_000 }
  expect(await deleteUnderKills(setting, randomOf(1))).toContain('nothing left')
})

test('payments while processes are killed let no visitor pass unpaid, charge none twice and are found from results', async () => {
  const setting = { total: runs(40, 1_000), width: 8, kills: runs(2, 10) }
  expect(await payUnderKills(setting, randomOf(1))).toContain('found once from its result')
})

test('histories of three processes with faults are linearizable', async () => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  const { violation, log, answers } = await runHistories({
    seed,
    milliseconds: runs(4_000, 20_000),
    processes: 3,
    width: 1,
    isBroken: true,
  })
  // Said in words: of an error jest shows the class alone.
  if (violation) throw new Error(`seed ${seed}: ${violation.stack}\n${log.join('\n')}`)
  expect(answers).toBeGreaterThan(0)
})
