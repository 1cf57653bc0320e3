import type { Node } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Quantity } from './quantity.ts'
import { sumQuantities } from './quantity.ts'

export type Resources = Readonly<Record<string, Quantity>>

export interface Capacity {
  capacity: Resources
  /** Of the nodes that take pods. */
  allocatable: Resources
}

export const sumOfNodes = (nodes: readonly Node[]): Capacity => ({
  capacity: sumOf(nodes.map(({ status }) => status?.capacity ?? {})),
  allocatable: sumOf(nodes.filter(({ spec }) => !spec?.unschedulable).map(({ status }) => status?.allocatable ?? {})),
})

function sumOf(all: readonly Resources[]): Resources {
  const names = [...new Set(all.flatMap((resources) => Object.keys(resources)))].sort()
  const amounts = (name: string) => all.map((resources) => resources[name]).filter((amount) => amount !== undefined)
  return Object.fromEntries(names.map((name) => [name, sumQuantities(amounts(name))]))
}

/** For an informer's `transform`: images, conditions and labels are most of a node, and nobody here reads them. */
export function onlyCapacity({ metadata, spec, status }: Stored<Node>): Stored<Node> {
  const { name, uid, resourceVersion } = metadata
  return {
    metadata: { name, uid, resourceVersion },
    ...(spec?.unschedulable && { spec: { unschedulable: true } }),
    status: {
      ...(status?.capacity && { capacity: status.capacity }),
      ...(status?.allocatable && { allocatable: status.allocatable }),
    },
  }
}
