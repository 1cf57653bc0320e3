import { failures } from './failures.ts'

const mostOfOne = 5
const mostInAll = 500
const retryAfterSeconds = 30

/** How many may listen at a time: each of them costs for as long as it does. */
export class StreamPlaces {
  readonly #taken = new Map<string, number>()
  #all = 0

  /** Until the signal aborts. Throws where there is none left. */
  take(who: string, until: AbortSignal): void {
    const own = this.#taken.get(who) ?? 0
    if (own >= mostOfOne) throw failures.ACCESS_TOO_MANY_STREAMS({ most: mostOfOne, whose: 'yours', retryAfterSeconds })
    if (this.#all >= mostInAll)
      throw failures.ACCESS_TOO_MANY_STREAMS({ most: mostInAll, whose: 'of everybody', retryAfterSeconds })
    if (until.aborted) return
    this.#taken.set(who, own + 1)
    this.#all += 1
    until.addEventListener('abort', () => this.#giveBack(who), { once: true })
  }

  #giveBack(who: string): void {
    const left = (this.#taken.get(who) ?? 1) - 1
    if (left > 0) this.#taken.set(who, left)
    else this.#taken.delete(who)
    this.#all -= 1
  }
}
