import { namespaces, serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { aNamespace } from './builders.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** The name of a namespace that is this test's alone, and is deleted, with what is in it, when the test is over. */
export async function freshNamespace(t: TestScope, kube: Kube): Promise<string> {
  const { metadata } = await kube.of(namespaces).create(aNamespace())
  teardown(t, async () => {
    await kube.of(namespaces).delete(metadata.name)
  })
  return metadata.name
}

/** A pod that names no account has the default one, and is refused before a controller has made that. */
export async function untilPodsCanBeMade(kube: Kube, namespace: string): Promise<void> {
  await eventually('there is an account', () => kube.of(serviceAccounts, namespace).find('default'))
}
