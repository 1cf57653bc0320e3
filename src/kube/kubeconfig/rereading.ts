import type { Clock } from '../../core/clock.ts'
import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'

/**
 * How long content counts as current. Content is read and compared rather than stat'ed: a Kubernetes volume swaps
 * symlinks, editors rename, and a file rewritten within the clock tick of its file system keeps its times.
 */
const recheckMs = 1_000

export interface RereadingOptions<T> {
  /** Reads and checks. Returns `previous` itself when nothing changed, so that callers can compare by identity. */
  load(previous: T | undefined): Promise<T>
  clock: Clock
  log: Log
}

/**
 * What files hold, looked at again at most once a second and only while asked for. Content that cannot be used, such
 * as one half of a new key pair, leaves the last good content in place.
 */
export class Rereading<T> {
  readonly #options: RereadingOptions<T>
  #last: { value: T; checkedAt: number } | undefined
  #underWay: Promise<T> | undefined
  #trouble = false

  constructor(options: RereadingOptions<T>) {
    this.#options = options
  }

  /** The value at hand, for those who cannot wait. */
  get last(): T | undefined {
    return this.#last?.value
  }

  async current({ refresh = false }: { refresh?: boolean | undefined } = {}): Promise<T> {
    if (!refresh && this.#last && this.#isFresh(this.#last.checkedAt)) return this.#last.value
    // A reading that began before the refresh was asked for may have seen the old content.
    if (refresh) await this.#underWay?.catch(() => {})
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  #isFresh(checkedAt: number): boolean {
    const age = this.#options.clock.now().getTime() - checkedAt
    return age >= 0 && age < recheckMs
  }

  async #read(): Promise<T> {
    const { load, clock, log } = this.#options
    const checkedAt = clock.now().getTime()
    try {
      this.#last = { value: await load(this.#last?.value), checkedAt }
      this.#trouble = false
    } catch (error) {
      if (!this.#last || !isFailure(error)) throw error
      this.#last = { ...this.#last, checkedAt }
      this.#report(log, error)
    }
    return this.#last.value
  }

  /** Once, until the files are good again. */
  #report(log: Log, failure: Failure): void {
    if (!this.#trouble)
      log.warn({ code: failure.code, err: failure }, 'credential files not usable, previous content kept')
    this.#trouble = true
  }
}
