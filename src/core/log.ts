import { pino } from 'pino'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import { printableFields } from './log-fields.ts'
import { prettyLine } from './log-pretty.ts'
import { maskText } from './mask.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** The logger every part receives. Message constant, data in fields, no trailing dot; the loop logs, lower levels throw. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'> & {
  child(fields: Record<string, unknown>): Log
}

export interface LogOptions {
  /** Default info. */
  level?: LogLevel
  /** Where lines go, each with its newline. Default: standard error, written before the call returns. */
  destination?: { write(line: string): unknown }
  /** One line for people instead of JSON; for a terminal. Default false. */
  pretty?: boolean
  /** Colours in pretty lines. Default false. */
  colour?: boolean
  clock?: Pick<Clock, 'now'>
}

/**
 * A line is JSON with `level`, `time` (RFC 3339), the fields and `msg`; an error goes in `err`. A secret is hidden
 * three times over: by its type, by the name of its field, and by its looks in the finished line.
 */
export function createLog(options: LogOptions = {}): Log {
  const { level = 'info', pretty = false, colour = false, clock = systemClock } = options
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true })
  const stream = pretty ? { write: (line: string) => destination.write(prettyLine(line, colour)) } : destination
  return logOn(
    pino(
      {
        level,
        base: null,
        timestamp: () => `,"time":"${clock.now().toISOString()}"`,
        formatters: { level: (label) => ({ level: label }), log: printableFields },
        // pino's own would take the printable error for an error and add to it.
        serializers: { err: (printable) => printable },
        hooks: { streamWrite: maskText },
      },
      stream as pino.DestinationStream,
    ),
  )
}

/** pino sends the fields of a child past every formatter, so they are made printable here. */
const logOn = (logger: pino.Logger): Log => ({
  debug: logger.debug.bind(logger),
  info: logger.info.bind(logger),
  warn: logger.warn.bind(logger),
  error: logger.error.bind(logger),
  child: (fields) => logOn(logger.child(printableFields(fields))),
})

export const silentLog: Log = logOn(pino({ level: 'silent' }))
