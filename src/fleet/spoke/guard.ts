import type { Clock } from '../../core/clock.ts'
import type { RequestSample } from '../../kube/client/index.ts'
import type { Breaker } from './breaker.ts'
import { admit, answered, closed, givenUp, lost } from './breaker.ts'
import type { SpokeSettings } from './contract.ts'
import { failures } from './failures.ts'

/** The breaker of one cluster at work: asked before each call, told of each try. */
export class SpokeGuard {
  readonly #server: string
  readonly #clock: Clock
  readonly #settings: () => SpokeSettings
  #breaker: Breaker = closed
  #throttledAt: Date | undefined

  constructor(server: string, deps: { clock: Clock; settings(): SpokeSettings }) {
    this.#server = server
    this.#clock = deps.clock
    this.#settings = deps.settings
  }

  get isOpen(): boolean {
    return this.#breaker.is !== 'closed'
  }

  get throttledAt(): Date | undefined {
    return this.#throttledAt
  }

  /** Throws SPOKE_PAUSED. What it returns is to be called once the call is over, however it ended. */
  admit(): (() => void) | undefined {
    const limits = this.#settings().breaker
    if (!limits) return undefined
    const { next, waitMs } = admit(this.#breaker, this.#now(), limits)
    this.#breaker = next
    if (waitMs > 0)
      throw failures.SPOKE_PAUSED({
        server: this.#server,
        failures: next.failures,
        seconds: Math.ceil(waitMs / 1_000),
      })
    return next.is === 'trying' ? () => (this.#breaker = givenUp(this.#breaker, next, this.#now())) : undefined
  }

  /** A server that is not trusted, or a proxy that refuses, is there and answers fast: no reason to pause. */
  note({ code, final }: Pick<RequestSample, 'code' | 'final'>): void {
    if (code === 429) this.#throttledAt = this.#clock.now()
    const limits = this.#settings().breaker
    if (code > 0 || final !== undefined || !limits) this.#breaker = answered()
    else this.#breaker = lost(this.#breaker, this.#now(), limits)
  }

  #now(): number {
    return this.#clock.now().getTime()
  }
}
