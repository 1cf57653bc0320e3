import type { Clock } from '../../src/core/clock.ts'

interface Timer {
  /** By the wall clock, or by running time. */
  by: 'wall' | 'running'
  at: number
  order: number
  action: () => void
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `'90s'`, `'5m'`, `'2d'` or plain milliseconds. */
export function duration(value: number | string): number {
  if (typeof value === 'number') return value
  const [, amount, unit] = /^([\d.]+)(ms|s|m|h|d)$/.exec(value) ?? []
  if (!amount) throw new Error(`not a duration: ${value}`)
  return Number(amount) * units[unit as keyof typeof units]
}

/** What sums of fractions of a millisecond may be off by. */
const roundingMs = 0.001

/** Stands still until advanced. Timers fire in the order they are due, each with everything it set off settled first. */
export class FakeClock implements Clock {
  /** Milliseconds that have been advanced; a jump of the wall clock leaves it alone. */
  #ran = 0
  /** What the wall clock said at the beginning, with all its jumps. */
  #wall: number
  /** How far each advance that is under way goes, in running time. */
  readonly #goals = new Set<{ at: number }>()
  #order = 0
  #timers: Timer[] = []

  constructor(start: Date | string = '2026-01-01T00:00:00Z') {
    this.#wall = new Date(start).getTime()
  }

  now(): Date {
    return this.#wallAt(this.#ran)
  }

  timer(at: Date, action: () => void): Disposable {
    return this.#add({ by: 'wall', at: at.getTime(), order: this.#order++, action })
  }

  countdown(ms: number, action: () => void): Disposable {
    return this.#add({ by: 'running', at: this.#ran + ms, order: this.#order++, action })
  }

  /** When the next timer is due; undefined when nothing waits. */
  get nextDue(): Date | undefined {
    const next = this.#earliest()
    return next && this.#wallAt(Math.max(this.#ran, this.#dueAt(next)))
  }

  /** Moves time forward, stopping at every timer on the way. */
  async advance(by: number | string): Promise<void> {
    await this.settle()
    const goal = { at: this.#ran + duration(by) }
    this.#goals.add(goal)
    try {
      for (let next = this.#earliest(); next && this.#dueAt(next) <= goal.at + roundingMs; next = this.#earliest()) {
        this.#moveTo(Math.max(this.#ran, this.#dueAt(next)), goal)
        this.#remove(next)
        next.action()
        await this.settle()
      }
      this.#moveTo(goal.at, goal)
    } finally {
      this.#goals.delete(goal)
    }
    await this.settle()
  }

  /** Moves time to the next timer and fires it; false when nothing waits. */
  async advanceToNext(): Promise<boolean> {
    await this.settle()
    const next = this.#earliest()
    if (!next) return false
    await this.advance(Math.max(0, this.#dueAt(next) - this.#ran))
    return true
  }

  /** Sets the wall clock, as an administrator or NTP would. What has become due fires. */
  async jumpTo(now: Date): Promise<void> {
    this.#wall = now.getTime() - this.#ran
    await this.advance(0)
  }

  /** Lets everything that is already runnable run: promise chains and the event loop's own turns. */
  async settle(turns = 10): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  #add(timer: Timer): Disposable {
    this.#timers.push(timer)
    return { [Symbol.dispose]: () => this.#remove(timer) }
  }

  #remove(timer: Timer): void {
    this.#timers = this.#timers.filter((other) => other !== timer)
  }

  /** Never by steps that are added up: after a thousand timers the rounding of each would be a millisecond. */
  #moveTo(ran: number, own: { at: number }): void {
    const stepMs = ran - this.#ran
    this.#ran = ran
    // Those that run at the same time add up.
    for (const goal of this.#goals) if (goal !== own) goal.at += stepMs
  }

  /** Of running time. */
  #dueAt({ by, at }: Timer): number {
    return by === 'wall' ? at - this.#wall : at
  }

  #wallAt(ran: number): Date {
    return new Date(this.#wall + ran + roundingMs)
  }

  #earliest(): Timer | undefined {
    const isBefore = (a: Timer, b: Timer) => {
      const difference = this.#dueAt(a) - this.#dueAt(b)
      return difference < 0 || (difference === 0 && a.order < b.order)
    }
    return this.#timers.reduce<Timer | undefined>(
      (first, timer) => (first === undefined || isBefore(timer, first) ? timer : first),
      undefined,
    )
  }
}
