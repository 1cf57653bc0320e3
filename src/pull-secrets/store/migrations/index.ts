import type { Migration } from 'kysely'
import { credentials } from './0001-credentials.ts'
import { outside } from './0002-outside.ts'
import { lists } from './0003-lists.ts'
import { needed } from './0004-needed.ts'

/** By name, in the order of their names. What is published is never changed: a new one is added. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-credentials': credentials,
  '0002-outside': outside,
  '0003-lists': lists,
  '0004-needed': needed,
}
