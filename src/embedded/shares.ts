import { tooManyRequests } from './status.ts'

/**
 * Something of which there is so much, for all that ask together. While some is left, anyone may have it; then each may
 * have as much as if all that hold some had the same. So nobody can keep others from their part by coming first, and
 * the sum stays within a few times the total, however many there are.
 */
export class Shares {
  readonly #total: number
  readonly #held = new Map<string, number>()
  #sum = 0

  constructor(total: number) {
    this.#total = total
  }

  hasRoom(who: string, more = 1): boolean {
    if (this.#sum + more <= this.#total) return true
    const own = this.#held.get(who) ?? 0
    const holders = this.#held.size + (own === 0 ? 1 : 0)
    return own + more <= this.#total / holders
  }

  /** Until it is disposed. Throws 429 where this one has its share. */
  take(who: string, amount = 1): Disposable {
    if (!this.hasRoom(who, amount)) throw tooManyRequests('too many requests, please try again later', 1)
    return this.hold(who, amount)
  }

  /** What cannot be refused any more, but counts. */
  hold(who: string, amount: number): Held {
    let own = 0
    const set = (next: number): void => {
      this.#change(who, next - own)
      own = next
    }
    set(amount)
    return { set, [Symbol.dispose]: () => set(0) }
  }

  #change(who: string, by: number): void {
    this.#sum += by
    const held = (this.#held.get(who) ?? 0) + by
    if (held > 0) this.#held.set(who, held)
    else this.#held.delete(who)
  }
}

export interface Held extends Disposable {
  set(amount: number): void
}
