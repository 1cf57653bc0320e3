import type { Clock } from '../../core/clock.ts'
import { after, sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { wakeUp } from '../../core/wake-up.ts'
import { deadline } from '../../kube/deadline.ts'
import type { Kube } from '../../kube/kube.ts'
import type { ChainHead } from './chain.ts'
import { failures } from './failures.ts'
import type { AuditHead } from './heads.ts'
import { anchorHeads, pruneHeads } from './heads.ts'

export interface AnchoringDeps {
  kube: Kube
  namespace: string
  replica: string
  clock: Clock
  log: Log
}

export interface AnchoredChain {
  readonly sink: string
  readonly writer: string
  /** What its place has for certain. */
  delivered(): ChainHead
  /** Whether nothing is under way of which nobody knows if its place has it. */
  isAtRest(): boolean
}

export interface Anchoring {
  readonly run: Run
  /**
   * Resolves once the hub has the writer on record, with nothing written yet. Called before its first line goes
   * anywhere: so whoever has lines and no head is a forger, and nobody who was killed is taken for one.
   */
  introduce(chain: AnchoredChain, signal: AbortSignal): Promise<void>
  /** There is news. */
  poke(): void
  /** Once more, at the orderly end: what comes after that is of somebody else. */
  last(): Promise<void>
}

/** What a killed process wrote within this time can be cut off unseen. */
const everyMs = 3_000
/** Also where nothing is new: so a line that is much younger than its writer's head is not of the writer's last moments. */
export const freshenEveryMs = 60_000
const pruneEveryMs = 86_400_000
const lastTryMs = 3_000
const introductionMs = 5_000

/** Keeps on the hub how far each chain of this process got, so that its end cannot be cut off unseen. */
export function anchoring({ kube, namespace, replica, clock, log }: AnchoringDeps): Anchoring {
  const chains: AnchoredChain[] = []
  const anchored = new Map<string, number>()
  const wake = wakeUp(clock)
  let freshenAt = after(clock.now(), freshenEveryMs)

  const headOf = ({ sink, writer, delivered }: AnchoredChain): AuditHead => ({
    ...{ writer, ...delivered(), sink },
    at: clock.now().toISOString(),
  })

  async function anchor(signal: AbortSignal): Promise<void> {
    const heads = chains.map(headOf)
    const isKnown = heads.every(({ writer, seq }) => anchored.get(writer) === seq)
    if (heads.length === 0 || (isKnown && clock.now() < freshenAt)) return
    await anchorHeads(kube, namespace, replica, heads, signal)
    freshenAt = after(clock.now(), freshenEveryMs)
    for (const { writer, seq } of heads) anchored.set(writer, seq)
  }

  async function prune(signal: AbortSignal): Promise<void> {
    try {
      await pruneHeads(kube, namespace, clock.now(), signal)
    } catch (err) {
      if (!isAbort(err, signal)) log.warn({ err }, 'old audit heads not removed')
    }
  }

  return {
    async introduce(chain, signal) {
      const tooLate = () => failures.AUDIT_WRITER_UNANCHORED({ seconds: introductionMs / 1_000 })
      using limit = deadline(clock, introductionMs, tooLate, signal)
      const head = headOf(chain)
      await anchorHeads(kube, namespace, replica, [head], limit.signal)
      anchored.set(chain.writer, head.seq)
      chains.push(chain)
      wake.poke()
    },
    poke: wake.poke,
    async run(signal) {
      let pruneAt = after(clock.now(), pruneEveryMs)
      while (!signal.aborted) {
        wake.reset()
        try {
          await anchor(signal)
          if (clock.now() >= pruneAt) {
            await prune(signal)
            pruneAt = after(clock.now(), pruneEveryMs)
          }
          await wake.wait(chains.length > 0 && freshenAt < pruneAt ? freshenAt : pruneAt, signal)
        } catch (err) {
          if (!signal.aborted) log.warn({ err }, 'audit heads not anchored')
        }
        await sleep(clock, everyMs, signal).catch(() => {})
      }
    },
    async last() {
      using limit = deadline(clock, lastTryMs, () => new Error('too late'))
      const heads = chains.map((chain) => ({ ...headOf(chain), ...(chain.isAtRest() && { final: true as const }) }))
      if (heads.length === 0) return
      await anchorHeads(kube, namespace, replica, heads, limit.signal).catch((err: unknown) =>
        log.warn({ err }, 'audit heads not anchored at the end'),
      )
    },
  }
}
