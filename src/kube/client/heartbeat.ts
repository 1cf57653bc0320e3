import type { Clock } from '../../core/clock.ts'

export interface HeartbeatOptions {
  pingAfterMs: number
  pingTimeoutMs: number
  idleMs: number
}

/** What a heartbeat looks after. */
export interface Pulse {
  /** Bytes received so far: a connection that moves is alive, whatever became of a ping in the crowd. */
  received(): number
  /** Requests under way. */
  active(): number
  /** False when the kernel has given the connection up, whether or not Node has heard of it. */
  connected(): boolean
  ping(answered: () => void): void
  onDead(): void
  onIdle(): void
}

/**
 * Finds connections that died without a word (a pulled cable, a firewall that forgot them) and those nobody needs any
 * more. One timer a connection, not one a request.
 */
export class Heartbeat implements Disposable {
  readonly #clock: Clock
  readonly #options: HeartbeatOptions
  readonly #pulse: Pulse
  readonly #everyMs: number
  #timer: Disposable | undefined
  #heard = 0
  #quiet = false
  #probing = false
  #idleSince: number | undefined
  #stopped = false

  constructor(clock: Clock, options: HeartbeatOptions, pulse: Pulse) {
    this.#clock = clock
    this.#options = options
    this.#pulse = pulse
    this.#everyMs = options.pingAfterMs > 0 ? Math.min(options.pingAfterMs, options.idleMs) : options.idleMs
    this.#arm(this.#everyMs)
  }

  /** To be called when a request starts: a connection that was quiet before is probed now, not a full period later. */
  onRequest(): void {
    this.#idleSince = undefined
    if (this.#quiet && !this.#probing && this.#options.pingAfterMs > 0) this.#probe()
  }

  /** To be called when a request is given up unanswered: who waits next should not wait for a dead connection as well. */
  onUnanswered(): void {
    if (this.#stopped || this.#options.pingAfterMs === 0) return
    if (!this.#pulse.connected()) this.#pulse.onDead()
    else if (!this.#probing) this.#probe()
  }

  [Symbol.dispose](): void {
    this.#stopped = true
    this.#timer?.[Symbol.dispose]()
  }

  #arm(ms: number, action = () => this.#beat()): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = this.#stopped ? undefined : this.#clock.countdown(ms, action)
  }

  #beat(): void {
    const received = this.#pulse.received()
    this.#quiet = received === this.#heard
    this.#heard = received
    if (this.#pulse.active() === 0) this.#rest()
    else if (this.#quiet && !this.#pulse.connected()) this.#pulse.onDead()
    else if (this.#quiet && this.#options.pingAfterMs > 0) this.#probe()
    else this.#arm(this.#everyMs)
  }

  #rest(): void {
    const now = this.#clock.now().getTime()
    this.#idleSince ??= now - (this.#quiet ? this.#everyMs : 0)
    const leftMs = this.#idleSince + this.#options.idleMs - now
    if (leftMs <= 0) this.#pulse.onIdle()
    else this.#arm(Math.min(leftMs, this.#everyMs))
  }

  #probe(): void {
    this.#probing = true
    this.#heard = this.#pulse.received()
    const settle = () => {
      if (!this.#probing) return
      this.#probing = false
      this.#quiet = false
      this.#arm(this.#everyMs)
    }
    this.#arm(this.#options.pingTimeoutMs, () =>
      this.#pulse.received() === this.#heard ? this.#pulse.onDead() : settle(),
    )
    this.#pulse.ping(settle)
  }
}
