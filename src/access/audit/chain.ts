import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical.ts'
import type { AuditEvent } from './contract.ts'

/** A line of an audit log. `hash` covers the other four, and `prev` is the hash of the line before by the same writer. */
export interface AuditRecord {
  readonly writer: string
  readonly seq: number
  readonly prev: string
  readonly hash: string
  readonly event: AuditEvent
}

/** Where a chain ends. */
export interface ChainHead {
  readonly seq: number
  readonly hash: string
}

/** The `prev` of a writer's first record. */
export const noHash = ''

export const hashOf = ({ writer, seq, prev, event }: Omit<AuditRecord, 'hash'>): string =>
  createHash('sha256').update(canonicalJson({ event, prev, seq, writer })).digest('hex')

/** The records of one writer, each bound to the one before. */
export class Chain {
  readonly writer: string
  #head: ChainHead = { seq: 0, hash: noHash }

  constructor(writer: string) {
    this.writer = writer
  }

  get head(): ChainHead {
    return this.#head
  }

  /** Forgets what came after: nobody has it. */
  backTo(head: ChainHead): void {
    this.#head = head
  }

  /** What it is asked to carry is as it will be read again: dates are texts, and what is undefined is not there. */
  append(event: AuditEvent): AuditRecord {
    const plain = JSON.parse(JSON.stringify(event)) as AuditEvent
    const unsigned = { writer: this.writer, seq: this.#head.seq + 1, prev: this.#head.hash, event: plain }
    const hash = hashOf(unsigned)
    this.#head = { seq: unsigned.seq, hash }
    return { writer: unsigned.writer, seq: unsigned.seq, prev: unsigned.prev, hash, event: plain }
  }
}
