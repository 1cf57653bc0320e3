import type { Clock } from '../../core/clock.ts'
import type { Key } from '../../kube/objects.ts'
import type { Basis } from './basis.ts'
import type { Opened } from './open-spoke.ts'

/** Longer than the deadline of a call that names none: what was under way when something changed is over by then. */
export const graceMs = 60_000

/** One opening, and the client that it came to. */
export interface Holder {
  readonly basis: Basis
  readonly opening: Promise<Opened>
  /** Once the opening is done. */
  opened?: Opened
  /** Something changed that it was made of: it is nobody's any more. */
  left: boolean
}

/** The clients there are, one a cluster, each found by the Secrets that it was made of. */
export class HeldSpokes {
  readonly #clock: Clock
  readonly #holders = new Map<string, Holder>()
  readonly #bySecret = new Map<Key, Set<string>>()
  readonly #retiring = new Map<Opened, Disposable>()
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(cluster: string): Holder | undefined {
    return this.#holders.get(cluster)
  }

  /** Those whose opening is done. */
  *opened(): Iterable<[cluster: string, opened: Opened]> {
    for (const [cluster, { opened }] of this.#holders) if (opened) yield [cluster, opened]
  }

  clustersOf(secret: Key): string[] {
    return [...(this.#bySecret.get(secret) ?? [])]
  }

  /** A failed opening is not kept: whoever comes next tries again. */
  add(cluster: string, basis: Basis, opening: Promise<Opened>): Holder {
    const holder: Holder = { basis, opening, left: false }
    this.#holders.set(cluster, holder)
    for (const secret of basis.secrets) {
      const clusters = this.#bySecret.get(secret) ?? new Set()
      this.#bySecret.set(secret, clusters.add(cluster))
    }
    opening.then(
      (opened) => {
        if (holder.left) this.#retire(opened)
        else holder.opened = opened
      },
      () => {
        if (this.#holders.get(cluster) === holder) this.#remove(cluster, holder)
      },
    )
    return holder
  }

  /** False where there was none. A client is closed after a while, or at once: calls under way then fail. */
  drop(cluster: string, { atOnce }: { atOnce: boolean }): boolean {
    const holder = this.#holders.get(cluster)
    if (!holder) return false
    this.#remove(cluster, holder)
    holder.left = true
    if (holder.opened && atOnce) void holder.opened.client.close()
    else if (holder.opened) this.#retire(holder.opened)
    return true
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const open = [...this.opened()].map(([, { client }]) => client)
    const retiring = [...this.#retiring.keys()].map(({ client }) => client)
    for (const timer of this.#retiring.values()) timer[Symbol.dispose]()
    this.#retiring.clear()
    for (const cluster of [...this.#holders.keys()]) this.drop(cluster, { atOnce: true })
    await Promise.all([...open, ...retiring].map((client) => client.close()))
  }

  #retire(opened: Opened): void {
    if (this.#isClosed) return void opened.client.close()
    const timer = this.#clock.countdown(graceMs, () => {
      this.#retiring.delete(opened)
      void opened.client.close()
    })
    this.#retiring.set(opened, timer)
  }

  #remove(cluster: string, { basis }: Holder): void {
    this.#holders.delete(cluster)
    for (const secret of basis.secrets) {
      const clusters = this.#bySecret.get(secret)
      clusters?.delete(cluster)
      if (clusters?.size === 0) this.#bySecret.delete(secret)
    }
  }
}
