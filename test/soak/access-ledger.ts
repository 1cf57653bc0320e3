import { slotOf } from '../../src/access/sessions/slot.ts'
import { standingOf } from '../../src/access/sessions/standing.ts'
import { BreakglassSession } from '../../src/apis/breakglass/breakglass-session.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { informer } from '../../src/kube/informer.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { runInTest } from '../support/fleet-scene.ts'
import type { TestScope } from '../support/test-scope.ts'

type Session = Stored<BreakglassSession>

/** What an API server was told. */
export interface Told {
  readonly user: string
  readonly isAllowed: boolean
  readonly askedAt: Date
  readonly answeredAt: Date
}

/** What sessions there were, by a watch of its own, and what API servers were told meanwhile. */
export interface AccessLedger {
  /** What must never be, in words. */
  readonly contradictions: readonly string[]
  readonly counts: { allowed: number; refused: number }
  tell(told: Told): void
  /** Those that are there. */
  all(): readonly Session[]
  /** Those that were ever there. */
  seen(): readonly Session[]
}

/** How long a replica may be behind with what another one ended by hand: what ends by itself ends at the instant. */
const lagMs = 5_000

export async function keepAccessLedger(t: TestScope, kube: Kube): Promise<AccessLedger> {
  const contradictions: string[] = []
  const counts = { allowed: 0, refused: 0 }
  const sessions = informer(kube.of(BreakglassSession.resource), {
    ...{ clock: systemClock, random: systemRandom, log: silentLog },
    indexes: { slot: ({ spec }) => [slotOf(spec)] },
  })
  /** Also those that are gone: each as it was last seen. */
  const seen = new Map<string, Session>()
  sessions.on(({ type, object }) => {
    if (type === 'deleted') return
    seen.set(object.metadata.name, object)
    const now = systemClock.now()
    const live = sessions.byIndex('slot', slotOf(object.spec)).filter((one) => standingOf(one, now).live)
    if (live.length > 1) contradictions.push(`in one slot live ${live.map(({ metadata }) => metadata.name).join(', ')}`)
    const { state, approvedAt, approvers = [] } = object.status ?? {}
    if (state === 'Approved' && (approvedAt === undefined || approvers.length === 0))
      contradictions.push(`${object.metadata.name} is approved by nobody`)
  })
  runInTest(t, [sessions.run])
  await sessions.synced()

  /** Not the status at some time: what is on record by now of when it was approved, and when it ended. */
  function mayHaveGranted({ status = {} }: Session, { askedAt, answeredAt }: Told): boolean {
    const { approvedAt, approvers = [], expiresAt, reasonEnded } = status
    if (approvedAt === undefined || expiresAt === undefined || approvers.length === 0) return false
    const endedByHand = reasonEnded !== undefined && reasonEnded !== 'timeExpired'
    // Times on record are whole seconds: approved within the second that it says, over by the second that it says.
    const until = new Date(expiresAt).getTime() + (endedByHand ? lagMs : 0)
    return new Date(approvedAt).getTime() <= answeredAt.getTime() && askedAt.getTime() < until
  }

  return {
    contradictions,
    counts,
    tell(told) {
      counts[told.isAllowed ? 'allowed' : 'refused'] += 1
      if (!told.isAllowed) return
      // The watch may be a moment behind the replica that answered.
      const known = () => [...seen.values()].filter(({ spec }) => spec.user === told.user)
      const judge = () => known().some((session) => mayHaveGranted(session, told))
      if (judge()) return
      const timer = setTimeout(() => {
        if (!judge())
          contradictions.push(
            `${told.user} was let in at ${told.askedAt.toISOString()} by none of ${JSON.stringify(known().map(({ status }) => status))}`,
          )
      }, lagMs)
      timer.unref()
    },
    all: () => sessions.list(),
    seen: () => [...seen.values()],
  }
}
