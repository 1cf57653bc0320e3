/** The configReferences of a ManagedClusterAddOn in both versions: those of v1alpha1 name the configuration once more. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../kube/kubeconfig/defined.ts'
import type { ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1 } from './managed-cluster-addon.ts'
import type { OnlyInV1Alpha1 } from './unfitting.ts'
import { recall } from './unfitting.ts'

type New = NonNullable<NonNullable<ManagedClusterAddOn['status']>['configReferences']>[number]
type Old = NonNullable<NonNullable<ManagedClusterAddOnV1Alpha1['status']>['configReferences']>[number]
type Kept = OnlyInV1Alpha1['configReferences']

/** v1alpha1 demands a name also where there is no configuration yet. */
const noConfig: { name: string; namespace?: string } = { name: 'none' }

/** The configuration that v1alpha1 is told of, unless something else was kept. */
function named({ desiredConfig, lastAppliedConfig }: New): typeof noConfig {
  const { name, namespace } = desiredConfig ?? lastAppliedConfig ?? noConfig
  return defined({ name, namespace })
}

/** Another configuration is another reference: what was kept of the former is not recalled. */
function keyOf(reference: New): string {
  const { name, namespace } = named(reference)
  return JSON.stringify([reference.group ?? '', reference.resource, name, namespace])
}

export const newReferences = (references: readonly Old[] | undefined): New[] | undefined =>
  references?.map(({ name: _, namespace: __, ...reference }) => reference)

export function oldReferences(references: readonly New[] | undefined, kept: Kept = []): Old[] | undefined {
  if (!references) return undefined
  const recalled = recall(references, keyOf, kept, ({ of }) => of)
  return references.map((reference, index) => {
    const { name, namespace } = recalled[index] ?? named(reference)
    return defined({ ...reference, name, namespace })
  })
}

/** What of the old references is not in the new ones they became. */
export function onlyInOldReferences(old: readonly Old[] | undefined, made: readonly New[] | undefined): Kept {
  if (!old || !made || isDeepStrictEqual(oldReferences(made), old)) return undefined
  return made.map((reference, index) => {
    const { name, namespace } = old[index] ?? noConfig
    return defined({ of: keyOf(reference), name, namespace })
  })
}
