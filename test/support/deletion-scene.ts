import type { TestContext } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import type { OwnerReference } from 'kubernetes-types/meta/v1.d.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject, ObjectMeta, Stored } from '../../src/kube/objects.ts'
import { uniqueName } from './builders.ts'
import { startControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import { rawRequest } from './raw-request.ts'
import { teardown } from './test-scope.ts'

/** What keeps an object until the test lets go of it. */
export const hold = 'test.example/hold'

export const heldBy = (...finalizers: string[]) => ({
  metadata: { finalizers: finalizers.length > 0 ? finalizers : null },
})

export const ownedBy = (
  { apiVersion = 'v1', kind = 'ConfigMap', metadata: { name, uid } }: Stored<KubeObject>,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({ apiVersion, kind, name, uid, ...more })

/** ConfigMaps in a namespace of their own. Those that the test left held are let go when it is over. */
export async function deletionScene(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const maps = admin.of(configMaps, namespace)
  teardown(t, () => releaseAll(admin, namespace))
  const make = (metadata: ObjectMeta = {}): Promise<Stored<ConfigMap>> =>
    maps.create({ metadata: { name: uniqueName('map'), ...metadata } })
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  /** DELETE as it is on the wire: code and body. */
  const remove = async (target: string, options?: object) => {
    const body = options && Buffer.from(JSON.stringify(options))
    const headers = { ...(body && { 'content-type': 'application/json', 'content-length': `${body.length}` }) }
    const at = target.startsWith('/') ? target : `${path}/${target}`
    const { code, json } = await rawRequest(plane, { method: 'DELETE', path: at, headers, ...(body && { body }) })
    return { code, body: json }
  }
  const patch = (name: string, body: object) => maps.patch(name, { type: 'merge', body })
  const gone = (name: string) => eventually(`${name} is gone`, async () => (await maps.find(name)) === undefined)
  return { plane, admin, namespace, maps, path, make, remove, patch, gone }
}

async function releaseAll(admin: Kube, namespace: string): Promise<void> {
  const maps = admin.of(configMaps, namespace)
  for (const { metadata } of (await maps.list()).items)
    if (metadata.finalizers?.length) await maps.patch(metadata.name, { type: 'merge', body: heldBy() })
}
