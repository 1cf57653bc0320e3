/** Ways to say the same thing in another place of a request: what is asked for is what the rights are asked about. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isNotFound } from '../../../src/kube/failures.ts'
import { configMaps, leases, namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { AccessScene } from '../../support/access-scene.ts'
import { accessScene, grant, isAllowed, refusal } from '../../support/access-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'

const rule = (apiGroups: string, resources: string[], ...verbs: string[]) => ({
  apiGroups: [apiGroups],
  resources,
  verbs,
})

/** Somebody who may do this in the namespace of the scene, and whose right has arrived. */
async function holder(
  { as, admin, namespace }: AccessScene,
  rules: Parameters<typeof grant>[3][],
  arrived: (kube: Kube) => Promise<unknown>,
) {
  const name = uniqueName('mallory')
  await grant(admin, namespace, [name], ...rules)
  const kube = await as(name)
  await eventually('the right counts', () => isAllowed(arrived(kube)))
  return { name, kube }
}

describe('Rights and paths', needsControlPlane, () => {
  test('E16: a right on namespaces within one namespace opens no other, whatever the path says', async (t) => {
    const scene = await accessScene(t)
    const { admin, namespace } = scene
    const other = await freshNamespace(t, admin)
    const own = `/api/v1/namespaces/${namespace}`
    const rules = [rule('', ['namespaces', 'namespaces/status', 'namespaces/finalize'], '*')]
    const { kube } = await holder(scene, rules, (mallory) => mallory.request({ path: own }))
    const made = uniqueName('made')
    for (const request of [
      { path: `${own}/namespaces` },
      { path: `${own}/namespaces/${other}` },
      { path: `${own}/namespaces/${namespace}` },
      { path: `${own}/namespaces/${other}/status` },
      { method: 'DELETE' as const, path: `${own}/namespaces/${other}` },
      { method: 'POST' as const, path: `${own}/namespaces`, body: { metadata: { name: made } } },
    ])
      await assert.rejects(kube.request(request), isNotFound, request.path)
    assert.equal((await admin.of(namespaces).get(other)).status?.phase, 'Active')
    await assert.rejects(admin.of(namespaces).get(made), isNotFound)
  })

  test('E16: an apply of what is not there takes the right to create it', async (t) => {
    const scene = await accessScene(t)
    const { admin, namespace } = scene
    const rules = [rule('', ['configmaps'], 'get', 'list', 'patch', 'update')]
    const { name, kube } = await holder(scene, rules, (mallory) => mallory.of(configMaps, namespace).list())
    const apply = (value: string) =>
      kube.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/configmaps/settings`,
        query: { fieldManager: 'mallory' },
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { value } },
      })
    assert.equal(
      await refusal(apply('1')),
      `configmaps "settings" is forbidden: User "${name}" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
    )
    await admin.of(configMaps, namespace).create({ metadata: { name: 'settings' } })
    await apply('2')
    assert.deepEqual((await admin.of(configMaps, namespace).get('settings')).data, { value: '2' })
  })

  test('E16: an update of what is not there takes the right to create it', async (t) => {
    const scene = await accessScene(t)
    const { namespace } = scene
    const rules = [rule('coordination.k8s.io', ['leases'], 'list', 'update')]
    const { name, kube } = await holder(scene, rules, (mallory) => mallory.of(leases, namespace).list())
    const update = kube.request({
      method: 'PUT',
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/leader`,
      body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'leader' }, spec: {} },
    })
    assert.equal(
      await refusal(update),
      `leases.coordination.k8s.io "leader" is forbidden: User "${name}" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "${namespace}"`,
    )
  })

  test('E16: a field selector names what is listed, and not what is deleted', async (t) => {
    const scene = await accessScene(t)
    const { namespace } = scene
    const rules = [{ ...rule('', ['configmaps'], 'list', 'deletecollection'), resourceNames: ['mine'] }]
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const query = { fieldSelector: 'metadata.name=mine' }
    const { name, kube } = await holder(scene, rules, (mallory) => mallory.request({ path, query }))
    assert.equal(
      await refusal(kube.request({ method: 'DELETE', path, query })),
      `configmaps is forbidden: User "${name}" cannot deletecollection resource "configmaps" in API group "" in the namespace "${namespace}"`,
    )
  })
})
