import { customResourceDefinitions } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Definition, DefinitionStatus } from './definition.ts'
import { cleanupFinalizer } from './definition.ts'

type Written = Parameters<ReturnType<typeof definitionsOf>['update']>[0]

const definitionsOf = (kube: Kube) => kube.of(customResourceDefinitions)
const fieldManager = 'kube-apiserver'

/** Throws a Conflict when the definition is not the current one; the newer one comes by itself. */
export async function writeStatus(definition: Definition, status: DefinitionStatus, kube: Kube): Promise<void> {
  const next = { ...definition, status } as unknown as Written
  await definitionsOf(kube).update(next, { subresource: 'status', fieldManager })
}

/** Lets go of a definition whose objects are gone. */
export async function releaseDefinition(name: string, kube: Kube): Promise<void> {
  const current = await definitionsOf(kube).find(name)
  if (!current?.metadata.finalizers?.includes(cleanupFinalizer)) return
  const finalizers = current.metadata.finalizers.filter((finalizer) => finalizer !== cleanupFinalizer)
  await definitionsOf(kube).update({ ...current, metadata: { ...current.metadata, finalizers } }, { fieldManager })
}
