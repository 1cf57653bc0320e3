import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps, leases } from '../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { lanyard } from '../support/lanyard.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'

async function aHub(t: TestScope) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const args = ['up', '--kubeconfig', plane.adminKubeconfigPath, '--namespace', namespace, '--data', tempDir(t)]
  const leftovers = async () => [
    ...(await kube.of(leases, namespace).list()).items.map(({ metadata }) => `lease ${metadata.name}`),
    ...(await kube.of(configMaps, namespace).list()).items
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map(({ metadata }) => `configmap ${metadata.name}`),
  ]
  return { kube, namespace, args, leftovers }
}

test('up --check lists, watches and holds a lease on a hub, and leaves nothing there', needsControlPlane, async (t) => {
  const { args, leftovers } = await aHub(t)
  const { code, out, err } = await lanyard(t, [...args, '--check']).ended
  assert.equal(code, 0, err)
  assert.match(out, /the hub answers[\s\S]*a list works[\s\S]*a watch works[\s\S]*a lease works/)
  assert.equal(err, '')
  assert.deepEqual(await leftovers(), [])
})

test('what a killed check left on the hub is cleared by the next one', needsControlPlane, async (t) => {
  const { kube, namespace, args, leftovers } = await aHub(t)
  await kube.of(configMaps, namespace).create({ metadata: { name: 'lanyard-check' } })
  const { code, err } = await lanyard(t, [...args, '--check']).ended
  assert.equal(code, 0, err)
  assert.deepEqual(await leftovers(), [])
})

test('up leads on the hub, and gives the lease back when it is stopped', needsControlPlane, async (t) => {
  const { kube, namespace, args } = await aHub(t)
  const up = lanyard(t, args)
  await up.says('this process leads')
  const lease = await eventually('the lease is held', () => kube.of(leases, namespace).find('lanyard'))
  assert.notEqual(lease.spec?.holderIdentity, '')
  up.child.kill('SIGTERM')
  assert.equal((await up.ended).code, 0)
  assert.equal((await kube.of(leases, namespace).get('lanyard')).spec?.holderIdentity, '')
})
