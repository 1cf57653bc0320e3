/** What an error of the database means: by its SQLSTATE, by its errno, by who threw it; never by its text. */
import pg from 'pg'
import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import { failures } from '../failures.ts'

const retryAfterSeconds = 5

/** As the server says it, five characters; undefined when the error is no answer of a server. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined

/** 08 connection, 53 resources (too many clients, disk full), 57 operator (shutdown, timeout), 58 system. */
const awayClasses = new Set(['08', '53', '57', '58'])
/** A standby; a transaction that idled too long; a row or table that stays locked. */
const awayStates = new Set(['25006', '25P03', '55P03'])
const repeatStates = new Set(['40001', '40P01'])

/** Whether the same transaction may well pass when it is done again: a serialization failure or a deadlock. */
export const isWorthRepeating = (error: unknown): boolean => repeatStates.has(sqlState(error) ?? '')

/** A unique index refused a row; with a name, that index. */
export const isDuplicate = (error: unknown, index?: string): boolean =>
  sqlState(error) === '23505' && (index === undefined || (error as pg.DatabaseError).constraint === index)

/** Whether the server asked is not one to write to: every connection made before may lead to it. */
export const isStandby = (error: unknown): boolean => sqlState(error) === '25006'

/** The failure that callers see; one that says so already is handed on. */
export const databaseAway = (cause?: unknown): Failure =>
  isFailure(cause, 'PULL_DATABASE_AWAY') ? cause : failures.PULL_DATABASE_AWAY({ retryAfterSeconds }, cause)

/**
 * An error of `pg` as the rest of the service wants it: PULL_DATABASE_AWAY when the connection or the server is at
 * fault, itself when it is about the statement. What `pg` throws besides answers of the server is about the connection,
 * though much of it carries no code; wrong arguments are a TypeError or a RangeError.
 */
export function translated(error: unknown): unknown {
  const state = sqlState(error)
  if (state !== undefined)
    return awayClasses.has(state.slice(0, 2)) || awayStates.has(state) ? databaseAway(error) : error
  return error instanceof TypeError || error instanceof RangeError || isFailure(error) ? error : databaseAway(error)
}
