import { othersFirst } from '../in-slices.ts'

/** How much work begins before others are looked after, in milliseconds. */
const roundMs = 20

/**
 * Rounds of the event loop after one that took long, in which nothing begins: a new connection needs several answers
 * before it can ask, and would else wait for a long request before each.
 */
const roundsAfterLong = 8

/** Of one identity. */
interface Line {
  readonly waiting: (() => void)[]
  /** Milliseconds of work, counted from those of whom had least when it came. */
  spent: number
}

/**
 * When requests begin. At once, until those that have begun in one round of the event loop took long: then the next
 * begin in the rounds after it, and first that of the identity that had the least. What is counted is the work from where
 * a request begins to where it waits for something, which is most of what reading and merging a body takes.
 */
export class Turns {
  readonly #lines = new Map<string, Line>()
  #waiting = 0
  #spentInRound = 0
  #isRoundOpen = false
  #isCounting = false

  /** Resolves when a request of this identity may begin, with its work to follow at once. */
  begin(who: string): Promise<void> {
    this.#openRound()
    const line = this.#lineOf(who)
    this.#waiting += 1
    const begun = new Promise<void>((resolve) => line.waiting.push(resolve))
    this.#next()
    return begun
  }

  #openRound(): void {
    if (this.#isRoundOpen) return
    this.#isRoundOpen = true
    void othersFirst().then(async () => {
      if (this.#waiting > 0 && this.#spentInRound >= roundMs)
        for (let round = 0; round < roundsAfterLong; round += 1) await othersFirst()
      this.#nextRound()
    })
  }

  #nextRound(): void {
    this.#isRoundOpen = false
    this.#spentInRound = 0
    if (this.#waiting === 0) {
      this.#lines.clear()
      return
    }
    this.#openRound()
    this.#next()
  }

  /** One after the other, or nobody could tell what each of them takes. */
  #next(): void {
    if (this.#isCounting || this.#waiting === 0 || this.#spentInRound >= roundMs) return
    const [line] = [...this.#lines.values()].filter(isWaiting).sort((one, other) => one.spent - other.spent)
    if (!line) return
    this.#waiting -= 1
    this.#isCounting = true
    const began = performance.now()
    line.waiting.shift()?.()
    // The next tick comes after all promises that are settled: when there is nothing more to do than to wait.
    queueMicrotask(() =>
      process.nextTick(() => {
        const spent = performance.now() - began
        line.spent += spent
        this.#spentInRound += spent
        this.#isCounting = false
        this.#next()
      }),
    )
  }

  #lineOf(who: string): Line {
    const known = this.#lines.get(who)
    if (known) return known
    const spent = [...this.#lines.values()].filter(isWaiting).map((line) => line.spent)
    const line = { waiting: [], spent: spent.length > 0 ? Math.min(...spent) : 0 }
    this.#lines.set(who, line)
    return line
  }
}

const isWaiting = ({ waiting }: Line): boolean => waiting.length > 0
