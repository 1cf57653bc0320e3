import type { Step } from '../core/step.ts'
import { failures } from '../demo/failures.ts'
import { leaveHub } from '../registration/operations/unjoin.ts'
import type { CommandDeps } from './open-hub.ts'
import { ownFleet } from './own-fleet.ts'
import type { OwnHub } from './own-hub.ts'

const patienceMs = 60_000

/** A cluster joins the hub, and leaves it again. */
export async function* checkFleet(own: OwnHub, dir: string, deps: CommandDeps): AsyncGenerator<Step> {
  yield { doing: 'letting an embedded cluster join' }
  const over = new AbortController()
  const complete = Promise.withResolvers<void>()
  const signal = AbortSignal.any([deps.signal, over.signal])
  const wish = { dir, clusters: 1, manual: false, show: () => {}, onComplete: complete.resolve }
  const fleet = ownFleet(own, wish, deps)(signal)
  using _late = deps.clock.countdown(patienceMs, () =>
    complete.reject(failures.CHECK_JOIN_LATE({ seconds: patienceMs / 1_000 })),
  )
  try {
    await Promise.race([complete.promise, fleet])
    deps.signal.throwIfAborted()
    yield { did: 'a cluster joins the hub', detail: 'by a certificate of its own' }
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
