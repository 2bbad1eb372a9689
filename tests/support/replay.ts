import { operations } from '../../contract/index.ts'
import { cases } from '../cases/index.ts'
import { type Cases, outcomesOf, type Replay } from '../kit/documented-outcomes.ts'
import type { App } from './app.ts'
import { published } from './published.ts'
import type { World } from './world.ts'

/** Cases of tests/cases in the form of the kit. */
const kitCases: Cases<[World, App]> = Object.fromEntries(
  Object.entries(cases).map(([id, { needs: _, ...outcomes }]) => [
    id,
    outcomes as Cases<[World, App]>[string],
  ]),
)

export const replay: Replay<[World, App]> = { operations, document: published, cases: kitCases }

/** Every outcome that the replay of this service brings about. */
export const replayedOutcomes = outcomesOf(replay)
