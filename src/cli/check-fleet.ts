import type { Failure } from '../core/failure.ts'
import type { Step } from '../core/step.ts'
import { failures } from '../demo/failures.ts'
import { leaveHub } from '../registration/operations/unjoin.ts'
import type { CommandDeps } from './open-hub.ts'
import { untilGreeted } from './own-addon.ts'
import { ownFleet } from './own-fleet.ts'
import type { OwnHub } from './own-hub.ts'

const patienceMs = 60_000
const seconds = patienceMs / 1_000

/** A cluster joins the hub, an add-on works there from it, and the cluster leaves again. */
export async function* checkFleet(own: OwnHub, dir: string, deps: CommandDeps): AsyncGenerator<Step> {
  yield { doing: 'letting an embedded cluster join' }
  const over = new AbortController()
  const complete = Promise.withResolvers<void>()
  const signal = AbortSignal.any([deps.signal, over.signal])
  const wish = { dir, clusters: 1, manual: false, show: () => {}, onComplete: complete.resolve }
  const fleet = ownFleet(own, wish, deps)(signal)
  const inTime = async (what: Promise<void>, late: () => Failure) => {
    const tooLate = Promise.withResolvers<void>()
    using _late = deps.clock.countdown(patienceMs, () => tooLate.reject(late()))
    await Promise.race([what, fleet, tooLate.promise])
    deps.signal.throwIfAborted()
  }
  try {
    await inTime(complete.promise, () => failures.CHECK_JOIN_LATE({ seconds }))
    yield { did: 'a cluster joins the hub', detail: 'by a certificate of its own' }
    yield { doing: 'letting an add-on work on the hub' }
    await inTime(untilGreeted(own.client, 'cluster1', signal), () => failures.CHECK_ADDON_LATE({ seconds }))
    yield { did: 'an add-on works on the hub', detail: 'by a token of its own' }
    for await (const step of leaveHub(
      'cluster1',
      { force: false, timeoutMs: patienceMs },
      { ...deps, kube: own.client },
    ))
      if ('doing' in step) yield step
    yield { did: 'a cluster leaves the hub', detail: 'nothing of its rights is left' }
  } finally {
    over.abort()
    await fleet.catch(() => {})
  }
}
