import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Key } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { OperatorDeps } from '../deps.ts'
import { applyKlusterlet } from './apply.ts'
import { removeKlusterlet } from './removal.ts'
import type { KlusterletView } from './view.ts'

/** One at a time: Klusterlets share the namespace of add-ons. The wait grows slowly, so that a removal gives up in time. */
export const applyController = (deps: OperatorDeps, view: KlusterletView): Controller =>
  controller('klusterlet', (key, { signal }) => reconcile(key, deps, view, signal), {
    ...deps,
    workers: 1,
    deadlineMs: 120_000,
    backoff: { baseMs: 500, maxMs: 30_000 },
    watches: [
      // Whoever comes or goes may be in the way of another.
      watching(view.klusterlets, () => view.klusterlets.list().map(({ metadata }) => metadata.name), {
        when: ({ type }) => type !== 'updated',
      }),
      watching(view.klusterlets, undefined, {
        when: changesOf(({ metadata }) => [metadata.generation, metadata.deletionTimestamp, metadata.finalizers]),
      }),
      ...[...view.deployments].map(([namespace, informer]) =>
        watching(informer, () => keysIn(view, namespace), {
          when: changesOf(({ metadata }) => [metadata.generation, metadata.labels, metadata.deletionTimestamp]),
        }),
      ),
      ...view.rights,
    ],
  })

export const keysIn = (view: KlusterletView, namespace: string): Key[] =>
  view.inNamespace(namespace).map(({ metadata }) => `${metadata?.name}`)

async function reconcile(key: Key, deps: OperatorDeps, view: KlusterletView, signal: AbortSignal): Promise<Outcome> {
  const klusterlet = view.klusterlets.get(key)
  if (!klusterlet) return done
  const job = { klusterlet, deps, view, signal }
  return klusterlet.metadata.deletionTimestamp ? await removeKlusterlet(job) : await applyKlusterlet(job)
}
