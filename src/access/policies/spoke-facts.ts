import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { Spokes, SpokeView } from '../../fleet/spoke/index.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer } from '../../kube/informer.ts'
import { namespaces, pods } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject, Stored } from '../../kube/objects.ts'
import type { PolicyFacts } from './contract.ts'
import type { KindScopes } from './kind-scopes.ts'
import { kindScopes } from './kind-scopes.ts'

export interface SpokeFactsDeps {
  spokes: Spokes
  spokeView: SpokeView
  clock: Clock
  random: Random
  log: Log
}

export interface SpokeFacts {
  readonly run: Run
  of(cluster: string): PolicyFacts
}

/** How long nobody must have asked for the namespaces of a cluster before they are watched no longer. */
const unusedMs = 10 * 60_000

interface Watched {
  readonly kube: Kube
  readonly namespaces: Informer<KubeObject>
  readonly stop: AbortController
  /** Namespaces that are looked for by name, each once at a time. */
  readonly looking: Map<string, Promise<Stored<KubeObject> | undefined>>
  usedAt: Date
  timer?: Disposable
}

/** What policies ask of clusters. Namespaces are watched from the first question on, as metadata only. */
export function spokeFacts({ spokes, spokeView, clock, random, log }: SpokeFactsDeps): SpokeFacts {
  const held = new Map<string, Watched>()
  const scopesOf = new WeakMap<Kube, KindScopes>()
  const ended = new AbortController()
  const running = new Set<Promise<void>>()
  let isEnded = false

  function watch(cluster: string, kube: Kube): Watched {
    const source = kube.of(namespaces).metadata
    const named = log.child({ cluster, kind: 'Namespace' })
    const watched: Watched = {
      kube,
      namespaces: informer<KubeObject>(source, { clock, random, log: named, transform: onlyLabels }),
      stop: new AbortController(),
      looking: new Map(),
      usedAt: clock.now(),
    }
    held.set(cluster, watched)
    const ending = watched.namespaces
      .run(watched.stop.signal)
      .catch((err: unknown) => named.error({ err }, 'namespaces no longer watched'))
      .finally(() => {
        running.delete(ending)
        if (held.get(cluster) === watched) drop(cluster)
      })
    running.add(ending)
    endWhenUnused(cluster, watched)
    return watched
  }

  function endWhenUnused(cluster: string, watched: Watched): void {
    watched.timer = clock.timer(after(watched.usedAt, unusedMs), () => {
      if (after(watched.usedAt, unusedMs) <= clock.now()) drop(cluster)
      else endWhenUnused(cluster, watched)
    })
  }

  function drop(cluster: string): void {
    const watched = held.get(cluster)
    if (!watched) return
    held.delete(cluster)
    watched.timer?.[Symbol.dispose]()
    watched.stop.abort()
  }

  /** A cluster whose client was made anew is watched anew. */
  async function watchedOf(cluster: string, signal: AbortSignal): Promise<Watched | undefined> {
    const { kube } = await spokes.open(cluster, { signal })
    if (isEnded) return undefined
    const found = held.get(cluster)
    if (found?.kube === kube) {
      found.usedAt = clock.now()
      return found
    }
    drop(cluster)
    return watch(cluster, kube)
  }

  /** For one that the watch does not have: it may have yet to list, or not be allowed to, or the namespace is new. */
  function look(watched: Watched, namespace: string): Promise<Stored<KubeObject> | undefined> {
    const { kube, looking, stop } = watched
    const found =
      looking.get(namespace) ??
      kube
        .of(namespaces)
        .metadata.find(namespace, { signal: stop.signal })
        .finally(() => looking.delete(namespace))
    looking.set(namespace, found)
    return found
  }

  const unless = async <V>(cluster: string, what: string, ask: () => Promise<V>): Promise<V | undefined> => {
    try {
      return await ask()
    } catch (err) {
      log.info({ err, cluster }, what)
      return undefined
    }
  }

  return {
    of: (cluster) => ({
      namespaceLabels: (namespace, signal) =>
        unless(cluster, 'labels of a namespace not read', async () => {
          const watched = await watchedOf(cluster, signal)
          if (!watched) return undefined
          const seen = watched.namespaces.isSynced ? watched.namespaces.get(namespace) : undefined
          const found = seen ?? (await unlessAborted(look(watched, namespace), signal))
          return found && (found.metadata.labels ?? {})
        }),
      pod: (namespace, name, signal) =>
        unless(cluster, 'pod not read', async () => {
          const { kube } = await spokes.open(cluster, { signal })
          return kube.of(pods, namespace).find(name, { signal })
        }),
      isNamespaced: (group, resource, signal) =>
        unless(cluster, 'scope of a kind not read', async () => {
          const { kube } = await spokes.open(cluster, { signal })
          const scopes = scopesOf.get(kube) ?? kindScopes(kube, clock, ended.signal)
          scopesOf.set(kube, scopes)
          return unlessAborted(scopes.isNamespaced(group, resource), signal)
        }),
    }),
    async run(signal) {
      using _configs = spokeView.configs.on((change) => {
        const { metadata } = change.object
        const isSame = change.type === 'updated' && change.previous.metadata.generation === metadata.generation
        if (!isSame) drop(metadata.name)
      })
      await aborted(signal)
      isEnded = true
      ended.abort()
      for (const cluster of [...held.keys()]) drop(cluster)
      await Promise.all(running)
    },
  }
}

function onlyLabels({ metadata }: Stored<KubeObject>): Stored<KubeObject> {
  const { name, uid, resourceVersion, labels } = metadata
  return { metadata: { name, uid, resourceVersion, ...(labels && { labels }) } }
}

function unlessAborted<V>(waitedFor: Promise<V>, signal: AbortSignal): Promise<V> {
  waitedFor.catch(() => {})
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    waitedFor.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
