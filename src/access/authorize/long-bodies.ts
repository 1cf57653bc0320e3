import type { Readable } from 'node:stream'
import type { Clock } from '../../core/clock.ts'

/** What is read of a body before it counts as long: nearly every review is a tenth of it. */
export const shortBytes = 16 * 1024
/** What is read of one body at a time, about half a millisecond's work, and the pause for everybody else after it. */
const sliceBytes = 128 * 1024
const pauseMs = 2
/**
 * What one cluster may send at full speed, four of the longest reviews, and what it may send when it goes on: one of them
 * a second. At full speed for long, its bodies alone took 0.6 s of processor time a second.
 */
const burstBytes = 64 * 1024 * 1024
const bytesPerMs = (16 * 1024 * 1024) / 1_000
/** Bodies of one cluster that are being read. Two are done before their deadline where many would all miss it. */
const mostReading = 2
/** Bodies of one cluster that wait for that. An API server that sends more of them is flooding. */
const mostWaiting = 128

/** The turns of one body. */
export interface Turns {
  /** So much of it came. */
  took(bytes: number): void
  /** No more of it is wanted. */
  done(): void
}

interface Body {
  readonly stream: Readable
  /** What may be read of it before its next turn. */
  credit: number
}

interface Cluster {
  readonly reading: Set<Body>
  readonly waiting: Set<Body>
}

/** What a cluster has sent, less what it may send by the time that has passed since. */
interface Sent {
  bytes: number
  atMs: number
}

/**
 * Long bodies are read a slice at a time, by turns of clusters and of the bodies of each, while the others stand still:
 * their senders wait for TCP to take more. So they take a share of the process that others hardly notice, however many
 * there are, and a cluster that sends many is late for its own only.
 */
export class LongBodies {
  readonly #clock: Pick<Clock, 'now' | 'countdown'>
  /** Whose turn is next comes first. */
  readonly #clusters = new Map<string, Cluster>()
  /** Of clusters alone, whose token was seen: there are not more than the hub knows. */
  readonly #sent = new Map<string, Sent>()
  #isPausing = false

  constructor(clock: Pick<Clock, 'now' | 'countdown'>) {
    this.#clock = clock
  }

  /** Stops the body until it has a turn. Undefined where too many of its cluster wait already. */
  add(cluster: string, stream: Readable): Turns | undefined {
    const theirs = this.#clusters.get(cluster) ?? { reading: new Set(), waiting: new Set() }
    if (theirs.waiting.size >= mostWaiting) return undefined
    this.#clusters.set(cluster, theirs)
    const body: Body = { stream, credit: 0 }
    theirs.waiting.add(body)
    stream.pause()
    this.#go()
    return {
      took: (bytes) => {
        body.credit -= bytes
        this.#sentBy(cluster).bytes += bytes
        if (body.credit > 0) return
        stream.pause()
        this.#go()
      },
      done: () => {
        theirs.reading.delete(body)
        theirs.waiting.delete(body)
        if (theirs.reading.size + theirs.waiting.size === 0) this.#clusters.delete(cluster)
        else this.#go()
      },
    }
  }

  #go(): void {
    if (this.#isPausing) return
    const next = this.#next()
    if (next === undefined) return
    this.#pause()
    if (next === 'later') return
    next.credit = sliceBytes
    next.stream.resume()
  }

  #pause(): void {
    this.#isPausing = true
    this.#clock.countdown(pauseMs, () => {
      this.#isPausing = false
      this.#go()
    })
  }

  /**
   * Of the first cluster with a body that stands still; the cluster, and the body in it, are last from now on. `later`:
   * all of these have sent too much for now.
   */
  #next(): Body | 'later' | undefined {
    let found: 'later' | undefined
    for (const [name, cluster] of this.#clusters) {
      for (const body of cluster.waiting) {
        if (cluster.reading.size >= mostReading) break
        cluster.waiting.delete(body)
        cluster.reading.add(body)
      }
      const tooMuch = this.#sentBy(name).bytes - burstBytes
      for (const body of cluster.reading)
        if (body.credit <= 0) {
          if (tooMuch > 0) {
            found = 'later'
            break
          }
          cluster.reading.delete(body)
          cluster.reading.add(body)
          this.#clusters.delete(name)
          this.#clusters.set(name, cluster)
          return body
        }
    }
    return found
  }

  #sentBy(cluster: string): Sent {
    const atMs = this.#clock.now().getTime()
    const { bytes, atMs: before } = this.#sent.get(cluster) ?? { bytes: 0, atMs }
    const sent = { bytes: Math.max(0, bytes - Math.max(0, atMs - before) * bytesPerMs), atMs }
    this.#sent.set(cluster, sent)
    return sent
  }
}
