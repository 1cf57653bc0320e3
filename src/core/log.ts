import { pino } from 'pino'

/** The logger every part receives. Message constant, data in fields, no trailing dot; the loop logs, lower levels throw. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'> & {
  child(fields: Record<string, unknown>): Log
}

export const silentLog: Log = pino({ level: 'silent' })
