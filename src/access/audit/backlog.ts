import type { AuditEvent, AuditType } from './contract.ts'
import { rankOf } from './kinds.ts'

/** An event that waits for a sink. */
export interface Waiting {
  readonly event: AuditEvent
  /** Told once: that the sink has it or refuses it for good, or else that it was let go. */
  readonly over?: (isSettled: boolean) => void
}

/** What was let go because no more may wait. */
export interface Gap {
  readonly since: Date
  readonly until: Date
  readonly dropped: Readonly<Partial<Record<AuditType, number>>>
}

/**
 * Events in the order they came, as many as may wait. When one more comes, the oldest of the lowest rank goes: so that
 * neither use nor refusals, however many, take the place of what happened to sessions. What goes is counted.
 */
export class Backlog {
  /** By rank. */
  readonly #lines = [new Line(), new Line(), new Line()] as const
  #limit: number
  #order = 0
  #gap: { since: Date; until: Date; dropped: Partial<Record<AuditType, number>> } | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  set limit(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#lines.reduce((sum, { size }) => sum + size, 0)
  }

  /** How many were let go for it. */
  add(waiting: Waiting, now: Date): number {
    this.#order += 1
    this.#lines[rankOf(waiting.event.type)].push({ ...waiting, order: this.#order })
    let dropped = 0
    for (; this.size > this.#limit; dropped += 1) {
      const oldest = this.#lines.find(({ size }) => size > 0)?.shift()
      if (oldest) this.lose(oldest, now, false)
    }
    return dropped
  }

  take(most: number): Waiting[] {
    const taken: Waiting[] = []
    while (taken.length < most) {
      const next = this.#lines.reduce<Line | undefined>((first, line) => {
        if (!line.first) return first
        return first?.first && first.first.order < line.first.order ? first : line
      }, undefined)
      const waiting = next?.shift()
      if (!waiting) break
      taken.push(waiting)
    }
    return taken
  }

  /** Counts one that will not reach its sink. */
  lose({ event, over }: Waiting, now: Date, isRefused: boolean): void {
    this.#gap ??= { since: now, until: now, dropped: {} }
    this.#gap.until = now
    this.#gap.dropped[event.type] = (this.#gap.dropped[event.type] ?? 0) + 1
    over?.(isRefused)
  }

  /** One that was taken and could not be told. */
  addGap({ since, until, dropped }: Gap): void {
    const sum: Partial<Record<AuditType, number>> = { ...this.#gap?.dropped }
    for (const [type, count] of Object.entries(dropped) as [AuditType, number][]) sum[type] = (sum[type] ?? 0) + count
    this.#gap = { since, until: this.#gap?.until ?? until, dropped: sum }
  }

  /** What is to be told of it, once. */
  takeGap(): Gap | undefined {
    const gap = this.#gap
    this.#gap = undefined
    return gap
  }

  get hasNews(): boolean {
    return this.size > 0 || this.#gap !== undefined
  }
}

type Ordered = Waiting & { readonly order: number }

/** First in, first out. `Array.shift` would move all that wait, each time. */
class Line {
  #items: (Ordered | undefined)[] = []
  #from = 0

  get size(): number {
    return this.#items.length - this.#from
  }

  get first(): Ordered | undefined {
    return this.#items[this.#from]
  }

  push(item: Ordered): void {
    this.#items.push(item)
  }

  shift(): Ordered | undefined {
    const item = this.#items[this.#from]
    if (!item) return undefined
    this.#items[this.#from] = undefined
    this.#from += 1
    if (this.#from > 1_024 && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from)
      this.#from = 0
    }
    return item
  }
}
