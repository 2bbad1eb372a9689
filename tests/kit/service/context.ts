import type pg from 'pg'

export type Db = Pick<pg.ClientBase, 'query'>

export interface Grant {
  userId: string
  shelf?: { id: string; name: string; version: number }
}
