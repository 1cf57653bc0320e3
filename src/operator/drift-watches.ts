import type { Run } from '../core/lifecycle.ts'
import type { Informer } from '../kube/informer.ts'
import { informer, withoutManagedFields } from '../kube/informer.ts'
import type { Selectors } from '../kube/kube.ts'
import type { Key, KubeObject, Resource } from '../kube/objects.ts'
import type { Watching } from '../kube/watching.ts'
import { watching } from '../kube/watching.ts'
import type { OperatorDeps } from './deps.ts'

export interface DriftWatch {
  readonly run: Run
  readonly watching: Watching
}

/** Tells of every change of some objects, by their metadata alone: what is in a Secret does not stay in memory. */
export function driftWatch(
  deps: Pick<OperatorDeps, 'kube' | 'clock' | 'random' | 'log'>,
  resource: Resource<KubeObject>,
  where: { namespace?: string } & Selectors,
  toKeys: () => readonly Key[],
): DriftWatch {
  const { namespace, ...selectors } = where
  const watched = informer(deps.kube.of(resource, namespace).metadata as never, {
    ...deps,
    log: deps.log.child({ kind: resource.kind }),
    ...selectors,
    transform: withoutManagedFields,
  }) as Informer<KubeObject>
  return { run: watched.run, watching: watching(watched, toKeys) }
}

export const named = (name: string): Selectors => ({ fieldSelector: `metadata.name=${name}` })
