import type { AuditRecord, ChainHead } from './chain.ts'
import { hashOf, noHash } from './chain.ts'
import type { AuditHead } from './heads.ts'
import { isForeign } from './unanchored.ts'

/** The first bad place of a log. */
export interface AuditFault {
  /** Counted from 1. Absent where what is wrong is that something is not there. */
  readonly line?: number
  readonly writer?: string
  readonly seq?: number
  readonly what:
    | 'edited'
    | 'missing'
    | 'reordered'
    | 'duplicated'
    | 'tail cut'
    | 'unknown writer'
    | 'writer missing'
    | 'not anchored'
  /** For people. */
  readonly detail: string
}

export interface AuditCounts {
  readonly records: number
  readonly writers: number
  /** Lines that end in the middle: somebody was killed while writing. Nothing that was anchored is missing for it. */
  readonly torn: readonly number[]
  /**
   * Records after what the hub has anchored of their writer: it has yet to anchor them, or was killed before. Nobody can
   * tell them from what somebody else added. Absent: none.
   */
  readonly unanchored?: { readonly records: number; readonly line: number }
}

export type AuditVerdict =
  | ({ readonly ok: true } & AuditCounts)
  | ({ readonly ok: false; readonly fault: AuditFault } & AuditCounts)

export interface VerifyOptions {
  /** Whose records these are: `log`, or `<AuditConfig>/<sink>`. Default: `log`. */
  sink?: string
  /** Only what is here is looked at: others may be in older files, and a writer may begin in the middle. */
  partial?: boolean
  /** Reads the heads anew: while a log is looked at, a writer may begin. */
  headsNow?: () => Promise<readonly AuditHead[]>
}

interface Progress extends ChainHead {
  readonly line: number
}

/** A line that stops in the middle of a record. */
interface Torn {
  readonly line: number
  readonly writer: string | undefined
  readonly seq: number | undefined
}

/**
 * Proves that a log is as it was written: every record is unchanged, in its order and there, up to where the hub has
 * anchored its writer. The heads must be read before the log where that is still written to.
 */
export async function verifyAudit(
  lines: AsyncIterable<string> | Iterable<string>,
  heads: readonly AuditHead[],
  { sink = 'log', partial = false, headsNow = async () => [] }: VerifyOptions = {},
): Promise<AuditVerdict> {
  const anchored = new Map(heads.filter((head) => head.sink === sink).map((head) => [head.writer, head]))
  const writers = new Map<string, Progress>()
  const torn: Torn[] = []
  const began = new Set<string>()
  const newest = Math.max(...heads.map(({ at }) => Date.parse(at)).filter((at) => !Number.isNaN(at)))
  let foreign: (AuditFault & { readonly writer: string; readonly seq: number }) | undefined
  let unanchored: { records: number; line: number } | undefined
  let records = 0
  let line = 0
  let gap: (AuditFault & { readonly writer: string; readonly seq: number }) | undefined
  const counts = (): AuditCounts => ({
    ...{ records, writers: writers.size, torn: torn.map((one) => one.line) },
    ...(unanchored && { unanchored }),
  })
  const bad = (fault: AuditFault): AuditVerdict => ({ ok: false, fault, ...counts() })

  for await (const text of lines) {
    line += 1
    if (text.trim() === '') continue
    const record = recordIn(text)
    // All that is still to be found out is whether what is missing comes later.
    if (gap) {
      if (record?.writer === gap.writer && record.seq === gap.seq)
        return bad({ ...gap, what: 'reordered', detail: `record ${gap.seq} comes later, in line ${line}` })
      continue
    }
    if (!record) {
      const begun = beginningOf(text)
      if (!begun) return bad({ line, what: 'edited', detail: 'this is no record' })
      torn.push({ line, ...begun })
      continue
    }
    records += 1
    const { writer, seq, hash } = record
    const at = { line, writer, seq }
    const before = writers.get(writer)
    if (hashOf(record) !== hash) return bad({ ...at, what: 'edited', detail: 'it is not what its hash was made of' })
    // Of one that began meanwhile nothing but its name is held against the log: the end of that may be read already.
    if (!anchored.has(writer))
      for (const head of await headsNow())
        if (head.sink === sink && !anchored.has(head.writer)) {
          anchored.set(head.writer, { ...head, seq: 0, hash: noHash })
          began.add(head.writer)
        }
    if (!anchored.has(writer))
      return bad({ ...at, what: 'unknown writer', detail: 'the hub knows of nobody of this name' })
    if (before && seq <= before.seq)
      return bad({ ...at, what: 'duplicated', detail: `record ${seq} of this writer was here before` })
    const expected = before ? before.seq + 1 : partial ? seq : 1
    if (seq > expected) {
      const whole = torn.find((one) => one.writer === writer && one.seq === expected)
      if (whole) return bad({ line: whole.line, writer, seq: expected, what: 'edited', detail: 'the line was cut' })
      gap = { ...at, seq: expected, what: 'missing', detail: `record ${expected} is not before record ${seq}` }
      continue
    }
    if ((before || !partial) && record.prev !== (before?.hash ?? noHash))
      return bad({ ...at, what: 'edited', detail: 'it does not follow from the record before it' })
    if (anchored.get(writer)?.seq === seq && anchored.get(writer)?.hash !== hash)
      return bad({ ...at, what: 'edited', detail: 'it is not what the hub has anchored' })
    writers.set(writer, { seq, hash, line })
    const head = anchored.get(writer)
    if (!head || seq <= head.seq || began.has(writer)) continue
    unanchored = { records: (unanchored?.records ?? 0) + 1, line: unanchored?.line ?? line }
    const detail = `the hub has anchored ${head.seq} records of this writer, and it wrote no more`
    if (!foreign && isForeign(record, head, newest)) foreign = { ...at, what: 'not anchored', detail }
  }
  // Unless its writer has come this far meanwhile.
  const since = foreign && (await headsNow()).find((head) => head.sink === sink && head.writer === foreign?.writer)
  if (foreign && !(since && since.seq >= foreign.seq)) return bad(foreign)
  const fault = gap ?? whatIsNotThere(anchored, writers, torn, partial)
  return fault ? bad(fault) : { ok: true, ...counts() }
}

function whatIsNotThere(
  anchored: ReadonlyMap<string, AuditHead>,
  writers: ReadonlyMap<string, Progress>,
  torn: readonly Torn[],
  partial: boolean,
): AuditFault | undefined {
  for (const [writer, head] of anchored) {
    const last = writers.get(writer)
    if (last && last.seq >= head.seq) continue
    // One without records may have been killed before its first.
    if (!last && (partial || head.seq === 0)) continue
    const seq = (last?.seq ?? 0) + 1
    const cut = torn.find((one) => one.writer === writer && one.seq === seq)
    if (cut)
      return {
        line: cut.line,
        writer,
        seq,
        what: 'edited',
        detail: `the line was cut; the hub has anchored ${head.seq} records`,
      }
    if (!last) return { writer, seq, what: 'writer missing', detail: `none of its ${head.seq} records is here` }
    const detail = `the last of its records here is ${last.seq}, the hub has anchored ${head.seq}`
    return { line: last.line, writer, seq, what: 'tail cut', detail }
  }
  return undefined
}

/** Undefined for what is no record, or not as one is written: twice the same key would show people what is not proven. */
function recordIn(text: string): AuditRecord | undefined {
  try {
    const { writer, seq, prev, hash, event } = JSON.parse(text) as AuditRecord
    const isWhole =
      typeof writer === 'string' && Number.isSafeInteger(seq) && typeof prev === 'string' && typeof hash === 'string'
    if (!isWhole || typeof event !== 'object' || event === null) return undefined
    return JSON.stringify({ writer, seq, prev, hash, event }) === text.trim()
      ? { writer, seq, prev, hash, event }
      : undefined
  } catch {
    return undefined
  }
}

/** How a record begins that was not written to its end. */
function beginningOf(text: string): Pick<Torn, 'writer' | 'seq'> | undefined {
  const start = '{"writer":"'
  if (isJson(text)) return undefined
  if (start.startsWith(text)) return { writer: undefined, seq: undefined }
  const [, writer, seq] = /^\{"writer":"([^"\\]*)(?:","seq":(\d+),)?/.exec(text) ?? []
  return writer === undefined ? undefined : { writer, seq: seq === undefined ? undefined : Number(seq) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
