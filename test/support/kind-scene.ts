/** For the tests of single kinds: a client, a namespace, what the server said no to, and what it shows in a table. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { KubeFailure } from '../../src/kube/failures.ts'
import type { Collection, Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../../src/kube/objects.ts'
import { apiVersionOf } from '../../src/kube/objects.ts'
import { startControlPlane } from './control-plane.ts'
import { freshNamespace, untilPodsCanBeMade } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import { teardown } from './test-scope.ts'

export async function kindScene(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  return { plane, kube, namespace: await freshNamespace(t, kube) }
}

/** The same with a namespace in which pods can be made. */
export async function podScene(t: TestContext) {
  const scene = await kindScene(t)
  await untilPodsCanBeMade(scene.kube, scene.namespace)
  return scene
}

/** The words of a 422, without the "… is invalid: " before them. */
export async function whyInvalid(call: Promise<unknown>): Promise<string> {
  const failure = await refusal(call)
  assert.equal(failure.code, 422, failure.message)
  assert.equal(failure.reason, 'Invalid')
  return failure.message.replace(/^\S+ ".*?" is invalid: /s, '')
}

export async function refusal(call: Promise<unknown>): Promise<KubeFailure> {
  const answer = await call.then(
    (given) => given,
    (error: unknown) => error,
  )
  if (!(answer instanceof KubeFailure)) assert.fail(`not refused but answered with ${JSON.stringify(answer)}`)
  return answer
}

/** Made for this test, and deleted with it. For what lives in no namespace. */
export async function clusterWide<T extends KubeObject>(
  t: TestContext,
  collection: Collection<T>,
  object: T,
): Promise<Stored<T>> {
  const created = await collection.create(object)
  teardown(t, async () => {
    await collection.delete(created.metadata.name)
  })
  return created
}

interface Table {
  columnDefinitions: { name: string; priority: number }[]
  rows: { cells: unknown[] }[]
}

const times = new Set(['Age', 'Last Seen', 'First Seen'])

/** The cells of one object by their columns, in order. A time of seconds reads `AGE`. */
export async function cellsOf<T extends KubeObject>(
  kube: Kube,
  resource: Resource<T>,
  { namespace, name }: { namespace?: string; name: string },
): Promise<Record<string, unknown>> {
  const table = await kube.request<Table>({
    path: pathOf(resource, { ...(namespace && { namespace }), name }),
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  })
  const [row] = table.rows
  assert.equal(table.rows.length, 1)
  return Object.fromEntries(
    table.columnDefinitions.map((column, index) => {
      const cell = row?.cells[index]
      return [column.name, times.has(column.name) && /^\d+s$/.test(String(cell)) ? 'AGE' : cell]
    }),
  )
}

export function pathOf<T extends KubeObject>(
  resource: Resource<T>,
  { namespace, name, subresource }: { namespace?: string; name?: string; subresource?: string } = {},
): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`
  return [root, ...(namespace ? ['namespaces', namespace] : []), resource.plural, name, subresource]
    .filter((part) => part !== undefined)
    .join('/')
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
