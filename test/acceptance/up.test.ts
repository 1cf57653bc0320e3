import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { clusterRoleBindings, clusterRoles, configMaps, leases } from '../../src/kube/kinds.ts'
import { aClusterRole, aClusterRoleBinding, aUser, uniqueName } from '../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { lanyard } from '../support/lanyard.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

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
  return { plane, kube, namespace, args, leftovers }
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
  const labels = { 'lanyard.io/check': 'true' }
  await kube.of(configMaps, namespace).create({ metadata: { name: 'lanyard-check', labels } })
  const { code, err } = await lanyard(t, [...args, '--check']).ended
  assert.equal(code, 0, err)
  assert.deepEqual(await leftovers(), [])
})

test(
  'a ConfigMap of somebody else under the name of the check is named and left alone',
  needsControlPlane,
  async (t) => {
    const { kube, namespace, args } = await aHub(t)
    await kube.of(configMaps, namespace).create({ metadata: { name: 'lanyard-check' }, data: { theirs: 'yes' } })
    const { code, err } = await lanyard(t, [...args, '--check']).ended
    assert.equal(code, 1)
    assert.match(err, /CHECK_NAME_TAKEN/)
    assert.deepEqual((await kube.of(configMaps, namespace).get('lanyard-check')).data, { theirs: 'yes' })
  },
)

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

test(
  'a check that waits for a lease of somebody else and is stopped reports no success and leaves it',
  needsControlPlane,
  async (t) => {
    const { kube, namespace, args } = await aHub(t)
    const renewTime = new Date().toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: 'somebody', leaseDurationSeconds: 3600, renewTime, acquireTime: renewTime }
    await kube.of(leases, namespace).create({ metadata: { name: 'lanyard-check' }, spec })
    const check = lanyard(t, [...args, '--check'])
    await check.says('taking a lease')
    check.child.kill('SIGTERM')
    const { code, out } = await check.ended
    assert.equal(code, 143)
    assert.doesNotMatch(out, /a lease works|checks passed/)
    assert.equal((await kube.of(leases, namespace).get('lanyard-check')).spec?.holderIdentity, 'somebody')
  },
)

test('a namespace that is not there is named, and nothing hangs', needsControlPlane, async (t) => {
  const { args } = await aHub(t)
  const { code, err } = await lanyard(t, [...args, '--check', '--namespace', 'no-such-namespace']).ended
  assert.equal(code, 1)
  assert.match(err, /no-such-namespace.*CHECK_NO_NAMESPACE/)
})

test('a user who may not hold leases is told so in the words of the hub', needsControlPlane, async (t) => {
  const { kube, namespace, args, plane } = await aHub(t)
  const user = uniqueName('reader')
  await kube
    .of(clusterRoles)
    .create(aClusterRole(user, { apiGroups: [''], resources: ['namespaces'], verbs: ['list'] }))
  teardown(t, async () => void (await kube.of(clusterRoles).delete(user)))
  await kube.of(clusterRoleBindings).create(aClusterRoleBinding(user, aUser(user)))
  teardown(t, async () => void (await kube.of(clusterRoleBindings).delete(user)))
  const certificate = await plane.issueClientCertificate({ commonName: user })
  const kubeconfig = join(tempDir(t), 'config')
  await writeFile(kubeconfig, plane.kubeconfig({ certificate }))
  const asked = ['up', '--check', '--kubeconfig', kubeconfig, '--namespace', namespace, '--data', args.at(-1) ?? '']
  const { code, err } = await lanyard(t, asked).ended
  assert.equal(code, 1)
  assert.match(err, /cannot create resource "leases"/)
})
