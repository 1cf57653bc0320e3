import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { isFailure } from '../../core/failure.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import { clusterFinalizer } from '../names.ts'
import type { Session, SessionStore } from '../sessions/contract.ts'
import { isTerminal, stateOf } from '../sessions/states.ts'
import type { AccessView } from '../view.ts'
import type { AccessHubDeps } from './deps.ts'

export interface ClusterFinalizerDeps extends AccessHubDeps {
  view: AccessView
  store: SessionStore
}

/** Longer than making a session takes: whoever makes one sets the finalizer first. */
const lingersMs = 30_000

/** A cluster leaves after its sessions have ended: a ClusterConfig has the finalizer while there are any. */
export function clusterFinalizerController(deps: ClusterFinalizerDeps): Controller {
  const { kube, clock, view, spokeView, store, checkpoint } = deps
  /** Since when no session is seen. Nothing that a restart would have to know. */
  const emptySince = new Map<Key, number>()
  const lives = (session: Session) => !isTerminal(stateOf(session))
  const isOn =
    (name: string) =>
    ({ spec }: Session) =>
      spec.cluster === name

  async function reconcile(key: Key, signal: AbortSignal): Promise<Outcome> {
    const config = spokeView.configs.get(key)
    if (!config?.metadata.deletionTimestamp) return config ? keep(key, config, signal) : forget(key)
    if (!hasFinalizer(config)) return forget(key)
    // Another of the same name is the cluster now, as it was before this one was made.
    const isLast = spokeView.configs
      .byIndex('name', config.metadata.name)
      .every(({ metadata }) => metadata.uid === config.metadata.uid || metadata.deletionTimestamp)
    if (isLast) await endSessions(config.metadata.name, signal)
    await letGo(config, kube, signal)
    checkpoint('access.finalizer-removed')
    return forget(key)
  }

  async function keep(key: Key, config: Stored<ClusterConfig>, signal: AbortSignal): Promise<Outcome> {
    const { name } = config.metadata
    if (view.sessions.byIndex('cluster', name).some(lives)) {
      emptySince.delete(key)
      if (!hasFinalizer(config)) await write(config, (finalizers) => [...finalizers, clusterFinalizer], kube, signal)
      return done
    }
    if (!hasFinalizer(config)) return forget(key)
    const now = clock.now().getTime()
    const since = emptySince.get(key) ?? now
    emptySince.set(key, since)
    if (now < since + lingersMs) return requeueAfter(since + lingersMs - now)
    await letGo(config, kube, signal)
    return forget(key)
  }

  function forget(key: Key): Outcome {
    emptySince.delete(key)
    return done
  }

  /** By a list of its own: what is watched here may not be all there is. */
  async function endSessions(name: string, signal: AbortSignal): Promise<void> {
    const { items } = await kube.of(BreakglassSession.resource).list({ fieldSelector: `spec.cluster=${name}`, signal })
    const watched = view.sessions.byIndex('cluster', name)
    const places = new Map(
      [...items, ...watched]
        .filter(isOn(name))
        .filter(lives)
        .map((one) => [keyOf(one), one]),
    )
    for (const { metadata } of places.values()) {
      const at = { namespace: metadata.namespace ?? '', name: metadata.name }
      await store.act(at, { do: 'end', why: 'clusterDeleted' }, signal).catch((error: unknown) => {
        if (!isFailure(error, 'ACCESS_SESSION_GONE')) throw error
      })
    }
  }

  return controller('access-clusters', (key, { signal }) => reconcile(key, signal), {
    ...deps,
    watches: [
      watching(spokeView.configs, keyOf, {
        when: changesOf(({ metadata }) => [metadata.deletionTimestamp, metadata.finalizers]),
      }),
      watching(view.sessions, ({ spec }) => spokeView.configs.byIndex('name', spec.cluster).map(keyOf), {
        when: changesOf(({ status }) => status?.state),
      }),
    ],
  })
}

/** Of a hub without Access, on which no session grants anything: what it set before keeps no cluster from going. */
export function clusterRelease(
  deps: Pick<AccessHubDeps, 'kube' | 'spokeView' | 'clock' | 'random' | 'log' | 'metrics'>,
): Controller {
  const { kube, spokeView } = deps
  const isHeld = (config: Stored<ClusterConfig>) => config.metadata.deletionTimestamp && hasFinalizer(config)
  return controller(
    'access-release',
    async (key, { signal }) => {
      const config = spokeView.configs.get(key)
      if (config && isHeld(config)) await letGo(config, kube, signal)
      return done
    },
    { ...deps, watches: [watching(spokeView.configs, keyOf)] },
  )
}

const letGo = (config: Stored<ClusterConfig>, kube: Kube, signal: AbortSignal): Promise<void> =>
  write(config, (finalizers) => finalizers.filter((one) => one !== clusterFinalizer), kube, signal)

/** Guarded by the version: finalizers of others stay. */
async function write(
  { metadata }: Stored<ClusterConfig>,
  change: (finalizers: readonly string[]) => string[],
  kube: Kube,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, resourceVersion, finalizers = [] } = metadata
  const body = { metadata: { resourceVersion, finalizers: change(finalizers) } }
  await kube
    .of(ClusterConfig.resource, namespace)
    .patch(name, { type: 'merge', body }, { signal })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
}

const hasFinalizer = ({ metadata }: Stored<ClusterConfig>): boolean =>
  (metadata.finalizers ?? []).includes(clusterFinalizer)
