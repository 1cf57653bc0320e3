import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import { apiCallMetrics } from '../../kube/client-metrics.ts'
import { failures as kubeFailures } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { Basis, configNamed } from './basis.ts'
import type { Note, OidcWay, OpenSpoke, SpokeSettings, Spokes } from './contract.ts'
import { HeldSpokes } from './held.ts'
import { keepRotatedIn } from './keep-rotated.ts'
import { spokeMetrics } from './metrics.ts'
import { notingKube } from './noting-kube.ts'
import type { TokenDeps } from './oidc/index.ts'
import { tokenSources } from './oidc/index.ts'
import { unlessAborted } from './oidc/unless-aborted.ts'
import { openSpoke } from './open-spoke.ts'
import type { Version } from './own-writes.ts'
import { OwnWrites } from './own-writes.ts'
import type { ChangedKeys } from './secret-changes.ts'
import { concerns } from './secret-changes.ts'
import { readSecretValue } from './secret-value.ts'
import type { TrustDeps } from './trust/index.ts'
import type { SpokeView } from './view.ts'
import { wayOf } from './way.ts'

export interface SpokesDeps {
  /** The hub. */
  kube: Kube
  /** Run by whoever made it. */
  view: SpokeView
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  settings(): SpokeSettings
  /** See there. */
  roots?: TrustDeps['roots']
  checkpoint?: TrustDeps['checkpoint']
}

/** How often an opening may be overtaken by a change before what it came to is taken all the same. */
const mostOpenings = 3

/** `run` forgets what changed on the hub; until it runs nothing is forgotten by itself. */
export function createSpokes(deps: SpokesDeps): Spokes & { readonly run: Run } {
  const { kube, view, clock, log, metrics } = deps
  const ending = new AbortController()
  const held = new HeldSpokes(clock)
  const counted = spokeMetrics(metrics, held)
  const ownWrites = new OwnWrites((key, version) => secretIs(key, version, undefined))
  const onRequest = apiCallMetrics(metrics)
  const throttleListeners = new Set<(cluster: string) => void>()
  const onThrottled = (cluster: string) => {
    for (const listener of throttleListeners) listener(cluster)
  }
  const seen = (found: Stored<Secret> | undefined) => found && view.secretChanges.seen(found)
  const tokens = tokenSources({
    ...{ clock, log, metrics },
    egress: () => deps.settings().egress,
    readSecret: (wanted, signal) => readSecretValue(kube, wanted, signal),
    keepRotated: keepRotatedIn(kube),
  })

  function begin(cluster: string) {
    const config = configNamed(view, cluster)
    const way = wayOf(config, (name) => view.providers.get(name))
    const basis = new Basis(config, way, view)
    const noting = (note: (key: Key, version: Version) => boolean) =>
      notingKube(kube, ownWrites, (key, found) => {
        seen(found)
        if (!note(key, found?.metadata.resourceVersion) && held.get(cluster)?.basis === basis) forget(cluster, 'secret')
      })
    const notingFirst = noting((key, version) => basis.noteFirst(key, version))
    const readSecret: TokenDeps['readSecret'] = (wanted, signal) => {
      basis.willRead(`${wanted.namespace}/${wanted.name}`)
      return readSecretValue(notingFirst, wanted, signal)
    }
    const own = {
      kube: noting((key, version) => basis.note(key, version)),
      tokens: { of: (named: OidcWay) => tokens.of(named, readSecret) },
    }
    return held.add(
      cluster,
      basis,
      counted.opening(openSpoke(config, way, { ...deps, ...own, onRequest, onThrottled }, ending.signal)),
    )
  }

  /** The client there is, or a new one. What one cluster waits for, no other does. */
  async function open(cluster: string, { signal }: { signal?: AbortSignal } = {}): Promise<OpenSpoke> {
    const watched = [view.configs, view.providers, view.secrets]
    if (!watched.every(({ isSynced }) => isSynced))
      await Promise.all(watched.map((informer) => informer.synced(signal)))
    const happened: Note[] = []
    for (let openings = 1; ; openings += 1) {
      ending.signal.throwIfAborted()
      const found = held.get(cluster)
      if (found?.opened?.goesTheSameWay() === false) forget(cluster, 'settings')
      const holder = held.get(cluster) ?? begin(cluster)
      try {
        const { spoke } = await unlessAborted(holder.opening, signal)
        if (!holder.left || openings === mostOpenings) return withNotes(spoke, happened)
        happened.push(...spoke.notes.filter(({ kind }) => kind !== 'old-key'))
      } catch (error) {
        if (!holder.left || openings === mostOpenings || signal?.aborted) throw error
      }
    }
  }

  function forget(cluster: string, cause: Parameters<typeof counted.evicted>[0]): void {
    if (!held.drop(cluster, { atOnce: cause === 'deleted' })) return
    counted.evicted(cause)
    log.debug({ cluster, cause }, 'client of a cluster is made anew')
  }

  function secretIs(key: Key, version: Version, changed: ChangedKeys): void {
    for (const cluster of held.clustersOf(key)) {
      const holder = held.get(cluster)
      if (holder && !concerns(holder.basis.config, key, changed)) continue
      holder?.basis.hear(key, version)
      if (!holder?.basis.hasSecret(key, version)) forget(cluster, 'secret')
    }
  }

  const run: Run = async (signal) => {
    using _configs = view.configs.on(({ object: { metadata } }) => {
      const holder = held.get(metadata.name)
      if (!holder || holder.basis.hasConfig(view)) return
      forget(metadata.name, view.configs.byIndex('name', metadata.name).length === 0 ? 'deleted' : 'config')
    })
    using _providers = view.providers.on(({ object }) => {
      for (const { metadata } of view.configs.byIndex('provider', object.metadata.name))
        if (held.get(metadata.name)?.basis.hasProvider(view) === false) forget(metadata.name, 'provider')
    })
    using _secrets = view.secretChanges.on((key, version, changed) => {
      if (!ownWrites.defers(key, version)) secretIs(key, version, changed)
    })
    await aborted(signal)
    ending.abort(kubeFailures.KUBE_CLOSED({ server: 'every cluster' }))
    await held.close()
  }

  return {
    open,
    forget: (cluster) => forget(cluster, 'asked'),
    onThrottled(listener) {
      throttleListeners.add(listener)
      return { [Symbol.dispose]: () => void throttleListeners.delete(listener) }
    },
    run,
  }
}

/** A CA that an overtaken opening came to trust is trusted all the same, and nobody else tells of it. */
const withNotes = (spoke: OpenSpoke, happened: readonly Note[]): OpenSpoke =>
  happened.length === 0 ? spoke : { ...spoke, notes: [...happened, ...spoke.notes] }
