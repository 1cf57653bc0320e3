import type { Clock } from '../../core/clock.ts'
import type { Informer } from '../../kube/informer.ts'
import type { KubeObject } from '../../kube/objects.ts'

/** Something that is watched on the hub's own API server. */
export type Heard = Pick<Informer<KubeObject>, 'heardAt' | 'check'>

export interface TouchDeps {
  clock: Pick<Clock, 'now' | 'countdown'>
  policies: Heard
  /** What decisions rest on besides. */
  others: readonly Heard[]
}

/** What has not been heard of for so long is asked for, while decisions go on. */
const quietMs = 75_000
/** What has not been heard of for so long may have changed without us. */
const lostMs = 150_000
/** How long a decision waits for a server that it has not heard of. */
const answerMs = 300
const againMs = 2_000

/**
 * Whether the hub still hears of what it decides by. A watch that was lost looks like one on which nothing happens, and a
 * session that was ended meanwhile would grant on. Servers need not send bookmarks for a kind that nobody changes: so
 * silence alone is no loss, and it is asked once more before anybody is refused for it. Without timers: asked about only
 * when somebody wants to know.
 */
export class Touch {
  readonly #deps: TouchDeps
  readonly #all: readonly Heard[]
  #asking: Promise<void> | undefined
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(deps: TouchDeps) {
    this.#deps = deps
    this.#all = [deps.policies, ...deps.others]
  }

  /** To be waited for, if there is something: `lost` is known better after it. */
  look(): Promise<void> | undefined {
    const nowMs = this.#deps.clock.now().getTime()
    const silentMs = this.#silentMs(nowMs)
    if (silentMs < quietMs) return undefined
    if (!this.#asking && Math.abs(nowMs - this.#askedMs) >= againMs) this.#ask(nowMs)
    return silentMs < lostMs ? undefined : this.#asking
  }

  /** What has been lost touch with: `policies` where they are among it. */
  lost(): 'policies' | 'others' | undefined {
    const nowMs = this.#deps.clock.now().getTime()
    if (this.#silentMs(nowMs) < lostMs) return undefined
    return silence(this.#deps.policies, nowMs) < lostMs ? 'others' : 'policies'
  }

  #silentMs(nowMs: number): number {
    let longest = 0
    for (const one of this.#all) longest = Math.max(longest, silence(one, nowMs))
    return longest
  }

  #ask(nowMs: number): void {
    this.#askedMs = nowMs
    const late = Promise.withResolvers<void>()
    const timer = this.#deps.clock.countdown(answerMs, late.resolve)
    const silent = this.#all.filter((one) => silence(one, nowMs) >= quietMs)
    const answers = Promise.allSettled(silent.map((one) => one.check())).then(() => {})
    this.#asking = Promise.race([answers, late.promise]).finally(() => {
      timer[Symbol.dispose]()
      this.#asking = undefined
    })
  }
}

/** A clock that was set back makes nothing younger. */
const silence = ({ heardAt }: Heard, nowMs: number): number =>
  heardAt ? Math.abs(nowMs - heardAt.getTime()) : Number.POSITIVE_INFINITY
