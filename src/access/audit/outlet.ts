import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { Breaker } from '../../fleet/spoke/breaker.ts'
import { admit, answered, closed, lost } from '../../fleet/spoke/breaker.ts'
import type { Gap, Waiting } from './backlog.ts'
import { Backlog } from './backlog.ts'
import type { AuditRecord, Chain, ChainHead } from './chain.ts'
import type { AuditEvent } from './contract.ts'
import type { Driver } from './driver.ts'

export interface OutletDeps {
  clock: Clock
  random: Random
  log: Log
  /** Resolves once it is on record that this writer exists. Nothing is written before. */
  introduce(delivered: () => ChainHead, signal: AbortSignal): Promise<void>
  /** How its own events come into being. */
  gapEvent(gap: Gap): AuditEvent
  onWritten(records: number): void
  onDropped(events: number): void
}

export interface OutletStanding {
  readonly isHealthy: boolean
  readonly written: number
  readonly dropped: number
  readonly lastSuccess?: Date
  readonly lastError?: string
  /** The hub must not connect to it. */
  readonly isDenied: boolean
}

const retrying = { baseMs: 200, maxMs: 5_000 }
const breaking = { failures: 3, openMs: 15_000 }
/** How long what still waits may take when the process stops. */
const graceMs = 3_000

interface Batch {
  readonly records: readonly AuditRecord[]
  readonly waiting: readonly Waiting[]
  readonly gap: Gap | undefined
  /** Of the chain, before it. */
  readonly before: ChainHead
}

/**
 * One place that events go to, with those that wait for it. Order is kept: one batch at a time. A place that does not
 * answer is left alone for a while; what comes meanwhile waits, as much as may.
 */
export class Outlet {
  readonly chain: Chain
  readonly #deps: OutletDeps
  readonly #backlog = new Backlog(100_000)
  readonly #wake: ReturnType<typeof wakeUp>
  /** Of those who want to know what became of an event. */
  readonly #waiters = new Set<(isSettled: boolean) => void>()
  readonly #onDown = new Set<() => void>()
  #driver: Driver
  #breaker: Breaker = closed
  #isIntroduced = false
  #batch: Batch | undefined
  #letGo: () => void = () => {}
  #written = 0
  #dropped = 0
  #lastSuccess: Date | undefined
  #lastError: string | undefined
  #isDenied = false
  /** What the place has for certain. */
  delivered: ChainHead

  constructor(chain: Chain, driver: Driver, deps: OutletDeps) {
    this.chain = chain
    this.delivered = chain.head
    this.#driver = driver
    this.#deps = deps
    this.#wake = wakeUp(deps.clock)
  }

  get standing(): OutletStanding {
    return {
      isDenied: this.#isDenied,
      isHealthy: this.#breaker.is === 'closed' && this.#lastError === undefined,
      written: this.#written,
      dropped: this.#dropped,
      ...(this.#lastSuccess && { lastSuccess: this.#lastSuccess }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    }
  }

  configure(driver: Driver, limit: number): void {
    if (driver !== this.#driver) void this.#driver.close?.()
    this.#driver = driver
    this.#backlog.limit = limit
  }

  offer(event: AuditEvent, over?: Waiting['over']): void {
    const before = this.#dropped
    this.#dropped += this.#backlog.add({ event, ...(over && { over }) }, this.#deps.clock.now())
    if (this.#dropped > before) this.#deps.onDropped(this.#dropped - before)
    this.#wake.poke()
  }

  /** True when the place has it, however late, or refuses it for good; false when it was let go, or the outlet ends. */
  offerSurely(event: AuditEvent): Promise<boolean> {
    return new Promise((resolve) => {
      const over = (isSettled: boolean) => {
        this.#waiters.delete(over)
        resolve(isSettled)
      }
      this.#waiters.add(over)
      this.offer(event, over)
    })
  }

  /** Told when the place is found not to answer; at once where that is known. */
  onDown(listener: () => void): Disposable {
    this.#onDown.add(listener)
    if (this.#breaker.is !== 'closed') listener()
    return { [Symbol.dispose]: () => void this.#onDown.delete(listener) }
  }

  async run(signal: AbortSignal): Promise<void> {
    // A write that is under way when the process is to stop is waited for: cut off, nobody knew what the place has.
    const hurry = new AbortController()
    using timers = new DisposableStack()
    const onStop = () =>
      void timers.use(
        this.#deps.clock.countdown(graceMs, () => {
          hurry.abort()
          this.#letGo()
        }),
      )
    signal.addEventListener('abort', onStop, { once: true })
    if (signal.aborted) onStop()
    while (!signal.aborted) {
      this.#wake.reset()
      try {
        if (this.#batch || this.#backlog.hasNews) await this.#deliver(signal, hurry.signal)
        else await this.#wake.wait(undefined, signal)
      } catch (err) {
        if (!signal.aborted) this.#deps.log.error({ err }, 'audit sink failed unexpectedly')
      }
    }
    // Once more each, without pauses.
    while (this.#batch || this.#backlog.hasNews)
      if (hurry.signal.aborted || !(await this.#attemptInTime(this.#nextBatch(), hurry.signal))) break
    if (!hurry.signal.aborted) await this.#driver.close?.()
    for (const over of [...this.#waiters]) over(false)
  }

  /** Not even a driver that overlooks its signal keeps the process. */
  #attemptInTime(batch: Batch, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      this.#letGo = () => resolve(false)
      void this.#attempt(batch, signal).then(resolve)
    })
  }

  async #deliver(signal: AbortSignal, hurry: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const { next, waitMs } = admit(this.#breaker, this.#deps.clock.now().getTime(), breaking)
      this.#breaker = next
      if (waitMs > 0) await sleep(this.#deps.clock, waitMs, signal)
      else if (await this.#attemptInTime(this.#nextBatch(), hurry)) return
      else await sleep(this.#deps.clock, backoffMs(attempt, retrying, this.#deps.random), signal)
      signal.throwIfAborted()
    }
  }

  #nextBatch(): Batch {
    if (this.#batch) return this.#batch
    const before = this.chain.head
    const gap = this.#backlog.takeGap()
    const waiting = this.#backlog.take(this.#driver.batchSize - (gap ? 1 : 0))
    const events = [...(gap ? [this.#deps.gapEvent(gap)] : []), ...waiting.map(({ event }) => event)]
    this.#batch = { records: events.map((event) => this.chain.append(event)), waiting, gap, before }
    return this.#batch
  }

  /** Whether the batch is done with. */
  async #attempt(batch: Batch, signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#deps
    try {
      if (!this.#isIntroduced) await this.#deps.introduce(() => this.delivered, signal)
      this.#isIntroduced = true
      await this.#driver.write(batch.records, signal)
    } catch (error) {
      if (isAbort(error, signal)) return false
      this.#noteFailure(error)
      if (this.#isIntroduced && this.#driver.isFinal?.(error)) {
        this.#giveUp(batch)
        return true
      }
      this.#breaker = lost(this.#breaker, clock.now().getTime(), breaking)
      if (this.#breaker.is !== 'closed') for (const listener of [...this.#onDown]) listener()
      return false
    }
    if (this.#lastError !== undefined) log.info({ writer: this.chain.writer }, 'audit sink takes events again')
    this.#breaker = answered()
    this.#lastError = undefined
    this.#isDenied = false
    this.#lastSuccess = clock.now()
    this.#written += batch.records.length
    const last = batch.records.at(-1)
    if (last) this.delivered = { seq: last.seq, hash: last.hash }
    this.#batch = undefined
    this.#deps.onWritten(batch.records.length)
    for (const { over } of batch.waiting) over?.(true)
    return true
  }

  #noteFailure(error: unknown): void {
    const detail = isFailure(error) ? error.message : 'it failed unexpectedly'
    if (this.#lastError !== detail)
      this.#deps.log.warn({ err: error, writer: this.chain.writer }, 'audit sink does not take events')
    this.#lastError = detail
    this.#isDenied = isFailure(error, 'EGRESS_DENIED')
  }

  /** The place does not want these: it has none of them, so the chain goes on without them, and says so. */
  #giveUp({ waiting, gap, before }: Batch): void {
    this.chain.backTo(before)
    this.#batch = undefined
    const now = this.#deps.clock.now()
    for (const one of waiting) this.#backlog.lose(one, now, true)
    this.#dropped += waiting.length
    this.#deps.onDropped(waiting.length)
    // One that is itself refused would be told again without end.
    if (gap && waiting.length > 0) this.#backlog.addGap(gap)
  }
}
