import { randomBytes } from 'node:crypto'

/** W3C Trace Context: ours is the parent of what we set off, within the trace of whoever called. */
export interface Trace {
  traceId: string
  traceparent: string
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** A header that is not right starts a new trace, as the recommendation has it. */
export function traceOf(header: string | undefined): Trace {
  const [, version, given = '', parent = '', flags = '', more] = shape.exec(header ?? '') ?? []
  const isTaken =
    version !== undefined &&
    version !== 'ff' &&
    !(version === '00' && more !== undefined) &&
    !/^0+$/.test(given) &&
    !/^0+$/.test(parent)
  const traceId = isTaken ? given : randomBytes(16).toString('hex')
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${isTaken ? flags : '00'}` }
}
