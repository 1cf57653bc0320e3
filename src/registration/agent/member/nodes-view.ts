import type { Run } from '../../../core/lifecycle.ts'
import { informer } from '../../../kube/informer.ts'
import { nodes } from '../../../kube/kinds.ts'
import type { MemberDeps } from '../deps.ts'
import type { Capacity } from './capacity.ts'
import { onlyCapacity, sumOfNodes } from './capacity.ts'

export interface CapacityView {
  readonly runs: readonly Run[]
  synced(signal: AbortSignal): Promise<void>
  /** Undefined until all nodes are known. */
  readonly current: Capacity | undefined
  /** Every kind of capacity that was in it so far. */
  readonly reported: ReadonlySet<string>
}

/** The sum over the nodes of the managed cluster, added up only when one of them has changed. */
export function capacityOf(
  { spoke, ...deps }: Pick<MemberDeps, 'spoke' | 'clock' | 'random' | 'log'>,
  onChange: () => void,
): CapacityView {
  const view = informer(spoke.of(nodes), { ...deps, transform: onlyCapacity })
  const reported = new Set<string>()
  let sum: Capacity | undefined
  view.on(() => {
    sum = undefined
    onChange()
  })
  return {
    runs: [view.run],
    synced: view.synced,
    get current() {
      if (!view.isSynced) return sum
      sum ??= sumOfNodes(view.list())
      for (const name of Object.keys(sum.capacity)) reported.add(name)
      return sum
    },
    reported,
  }
}
