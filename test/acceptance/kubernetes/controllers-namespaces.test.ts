/** What every namespace comes with. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configMaps, namespaces, serviceAccounts } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { TestScope } from '../../support/test-scope.ts'

async function start(t: TestScope) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const accounts = admin.of(serviceAccounts, namespace)
  const maps = admin.of(configMaps, namespace)
  const account = () => eventually('there is an account', () => accounts.find('default'))
  const rootCa = (isGood: (map: Awaited<ReturnType<typeof maps.get>>) => boolean = () => true) =>
    eventually('the authority is told', async () => {
      const found = await maps.find('kube-root-ca.crt')
      return found && isGood(found) ? found : undefined
    })
  return { plane, admin, namespace, accounts, maps, account, rootCa }
}

const description = 'kubernetes.io/description'

describe('a namespace', needsControlPlane, () => {
  test('E18: has a service account of its own', async (t) => {
    const { account } = await start(t)
    const { metadata, ...rest } = await account()
    assert.deepEqual(rest, { apiVersion: 'v1', kind: 'ServiceAccount' })
    assert.deepEqual([metadata.name, metadata.labels, metadata.annotations], ['default', undefined, undefined])
  })

  test('E18: gets its service account back when that is deleted', async (t) => {
    const { account, accounts } = await start(t)
    const { metadata } = await account()
    await accounts.delete('default')
    const again = await account()
    assert.notEqual(again.metadata.uid, metadata.uid)
  })

  test('E18: tells who vouches for the API server', async (t) => {
    const { plane, rootCa } = await start(t)
    const { data, metadata } = await rootCa()
    assert.deepEqual(Object.keys(data ?? {}), ['ca.crt'])
    assert.equal(data?.['ca.crt']?.trim(), plane.caPem.trim())
    assert.deepEqual(metadata.annotations, {
      [description]:
        'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
    })
  })

  test('E18: keeps telling it when somebody changes or deletes it', async (t) => {
    const { maps, rootCa } = await start(t)
    const { data, metadata } = await rootCa()
    await maps.patch('kube-root-ca.crt', { type: 'merge', body: { data: { 'ca.crt': 'mine', more: 'x' } } })
    const repaired = await rootCa((map) => map.data?.['ca.crt'] !== 'mine')
    assert.deepEqual([repaired.data, repaired.metadata.uid], [data, metadata.uid])
    await maps.delete('kube-root-ca.crt')
    const again = await rootCa((map) => map.metadata.uid !== metadata.uid)
    assert.deepEqual(again.data, data)
  })

  test('E18: keeps what somebody else notes on it', async (t) => {
    const { maps, rootCa } = await start(t)
    await rootCa()
    const annotations = { [description]: null, 'test.example/note': 'mine' }
    await maps.patch('kube-root-ca.crt', { type: 'merge', body: { metadata: { annotations, labels: { a: 'b' } } } })
    const { metadata } = await rootCa((map) => map.metadata.annotations?.[description] !== undefined)
    assert.deepEqual([metadata.annotations?.['test.example/note'], metadata.labels], ['mine', { a: 'b' }])
  })

  test('E18: has both also where it came with the cluster', async (t) => {
    const { admin } = await start(t)
    for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      assert.equal((await admin.of(namespaces).get(name)).status?.phase, 'Active')
      await eventually(`${name} has an account`, () => admin.of(serviceAccounts, name).find('default'))
      await eventually(`${name} tells the authority`, () => admin.of(configMaps, name).find('kube-root-ca.crt'))
    }
  })
})
