import { join } from 'node:path'
import type { Failure } from '../core/failure.ts'
import type { Step } from '../core/step.ts'
import { failures } from '../demo/failures.ts'
import { leaveHub } from '../registration/operations/unjoin.ts'
import { checkAccess } from './check-access.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OpenGlass } from './own-access.ts'
import { untilGreeted } from './own-addon.ts'
import { ownFleet } from './own-fleet.ts'
import type { OwnHub } from './own-hub.ts'

const patienceMs = 60_000
const seconds = patienceMs / 1_000

/** Clusters join the hub, an add-on works there, the hub gets into them both ways, and one of them leaves again. */
export async function* checkFleet(own: OwnHub, dir: string, deps: CommandDeps): AsyncGenerator<Step> {
  yield { doing: 'letting embedded clusters join' }
  const over = new AbortController()
  const complete = Promise.withResolvers<void>()
  const reached = { Kubeconfig: Promise.withResolvers<void>(), OIDC: Promise.withResolvers<void>() }
  const signal = AbortSignal.any([deps.signal, over.signal])
  const onReached = (_: string, auth: keyof typeof reached) => reached[auth].resolve()
  const open = Promise.withResolvers<OpenGlass>()
  const news = { show: () => {}, onComplete: complete.resolve, onReached, onOpen: open.resolve }
  const wish = { dir, clusters: 2, manual: false, ...news }
  const fleet = ownFleet(own, wish, deps)(signal)
  const inTime = async <T>(what: Promise<T>, late: () => Failure): Promise<T> => {
    const tooLate = Promise.withResolvers<void>()
    using _late = deps.clock.countdown(patienceMs, () => tooLate.reject(late()))
    await Promise.race([what, fleet, tooLate.promise])
    deps.signal.throwIfAborted()
    return await what
  }
  try {
    await inTime(complete.promise, () => failures.CHECK_JOIN_LATE({ seconds }))
    yield { did: 'a cluster joins the hub', detail: 'by a certificate of its own' }
    yield { doing: 'letting an add-on work on the hub' }
    await inTime(untilGreeted(own.client, 'cluster1', signal), () => failures.CHECK_ADDON_LATE({ seconds }))
    yield { did: 'an add-on works on the hub', detail: 'by a token of its own' }
    yield { doing: 'getting into clusters from the hub' }
    await inTime(reached.Kubeconfig.promise, () => failures.CHECK_REACH_LATE({ auth: 'a kubeconfig', seconds }))
    yield { did: 'the hub gets into a cluster by a kubeconfig', detail: 'as a user of few rights' }
    await inTime(reached.OIDC.promise, () => failures.CHECK_REACH_LATE({ auth: 'OIDC', seconds }))
    yield { did: 'the hub gets into a cluster by OIDC', detail: 'by a token of an identity provider' }
    yield { doing: 'waiting until people may ask for access' }
    const late = () => failures.CHECK_ACCESS_LATE({ seconds })
    await inTime(open.promise, late)
    const glass = { cluster: 'cluster2', clusterDir: join(dir, 'cluster2'), glass: await open.promise }
    const walk = checkAccess(glass, { ...deps, signal })
    for (;;) {
      const next = await inTime(walk.next(), late)
      if (next.done) break
      yield next.value
    }
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
