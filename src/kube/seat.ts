import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { isAlreadyExists, isConflict, isNotFound } from './failures.ts'
import type { CallOptions, Collection } from './kube.ts'
import { durationMsOf, heldBy, holderOf, released } from './lease-record.ts'
import type { Stored } from './objects.ts'

export interface SeatOptions {
  leases: Collection<Lease>
  name: string
  /** Unique to one candidate in one run. */
  candidate: string
  leaseDurationMs: number
  clock: Clock
  log: Log
}

/**
 * One candidate's dealings with one Lease. Every write is an update of the version that was read, so that of two who
 * take the lease at once one meets a conflict. Whether a holder is dead is judged by how long its record has not changed
 * while we looked, never by the times in it: those are of another machine's clock.
 */
export class Seat {
  readonly #options: SeatOptions
  /** As we last wrote it; undefined when someone else may have written since. */
  #own: Stored<Lease> | undefined
  #holder: string | undefined
  #lastSeen: string | undefined
  #isSilent = false
  #silence: Disposable | undefined

  constructor(options: SeatOptions) {
    this.#options = options
  }

  /** Who held it when we last looked. */
  get holder(): string | undefined {
    return this.#holder
  }

  /** Takes the lease if it is free or its holder has fallen silent. False: another has it. Throws when that is unclear. */
  async take(options: CallOptions): Promise<boolean> {
    const { candidate } = this.#options
    const lease = await this.#read(options)
    if (this.#holder !== undefined && this.#holder !== candidate && !this.#isSilent) return false
    return this.#write(lease, options).then(isTrue, falseIf(isConflict, isAlreadyExists))
  }

  /** Keeps a lease that was taken. False: another has it, or nobody. Throws when that is unclear. */
  async keep(options: CallOptions): Promise<boolean> {
    const { candidate } = this.#options
    const isKept = this.#own && (await this.#write(this.#own, options).then(isTrue, falseIf(isConflict, isNotFound)))
    if (isKept) return true
    // Beaten, perhaps by a write of our own whose answer was lost, or by someone who only added a label.
    const lease = await this.#read(options)
    if (lease && holderOf(lease) !== candidate) return false
    await this.#write(lease, options)
    return true
  }

  /** Lets go of the lease, if it is ours. */
  async release(options: CallOptions): Promise<void> {
    const { leases, candidate, clock } = this.#options
    const lease = await this.#read(options)
    if (!lease || holderOf(lease) !== candidate) return
    await leases.update({ ...lease, spec: released(lease, clock.now()) }, options)
  }

  /** Stops watching the holder. */
  [Symbol.dispose](): void {
    this.#silence?.[Symbol.dispose]()
  }

  async #read(options: CallOptions): Promise<Stored<Lease> | undefined> {
    const { leases, name, log, leaseDurationMs, clock } = this.#options
    this.#own = undefined
    const lease = await leases.find(name, options)
    const seen = JSON.stringify(lease?.spec)
    if (this.#lastSeen === seen) return lease
    this.#lastSeen = seen
    // A lease that was deleted says nothing about its holder, who may still lead: it is given the usual time.
    if (lease && this.#holder !== holderOf(lease)) {
      this.#holder = holderOf(lease)
      log.info({ lease: name, holder: this.#holder }, 'lease holder seen')
    }
    this.#isSilent = false
    this.#silence?.[Symbol.dispose]()
    this.#silence = clock.countdown(durationMsOf(lease, leaseDurationMs), () => {
      this.#isSilent = true
    })
    return lease
  }

  async #write(lease: Stored<Lease> | undefined, options: CallOptions): Promise<void> {
    const { leases, name, candidate, clock, leaseDurationMs } = this.#options
    const spec = heldBy(candidate, lease, clock.now(), leaseDurationMs)
    this.#own = undefined
    this.#own = lease
      ? await leases.update({ ...lease, spec }, options)
      : await leases.create({ metadata: { name }, spec }, options)
  }
}

const isTrue = () => true

/** Turns failures that only say that someone was faster into an answer. */
const falseIf =
  (...isBeaten: ((error: unknown) => boolean)[]) =>
  (error: unknown): false => {
    if (isBeaten.some((is) => is(error))) return false
    throw error
  }
