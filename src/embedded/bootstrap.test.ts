import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../test/support/test-scope.ts'
import { systemRandom } from '../core/random.ts'
import type { KubeObject } from '../kube/objects.ts'
import { resource } from '../kube/objects.ts'
import { loopbackUser } from './authentication/user.ts'
import { ensureBootstrapObjects } from './bootstrap.ts'
import { ownKube } from './in-process.ts'
import { route } from './serving/routes.ts'
import { routeScene } from './serving/testing/routes.ts'

const clusterRoles = resource<KubeObject & { rules?: unknown[] }>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRole',
  'clusterroles',
  { namespaced: false },
)
const namespaces = resource<KubeObject>('v1', 'Namespace', 'namespaces', { namespaced: false })

async function scene(t: TestScope) {
  const routed = await routeScene(t)
  const { deps, store, registry } = routed
  const kube = ownKube({
    ...{ random: systemRandom, user: loopbackUser, userAgent: 'kube-apiserver' },
    route: (request, info, user, warn) => route(deps, request, info, user, warn),
  })
  return { ...routed, kube, ensure: () => ensureBootstrapObjects({ store, registry, kube }) }
}

test('every control plane begins with the namespaces and the policy of Kubernetes', async (t) => {
  const { ensure, kube } = await scene(t)
  await ensure()
  const { items } = await kube.of(namespaces).list()
  const names = items.map(({ metadata }) => metadata.name)
  assert.deepEqual(names, ['default', 'kube-node-lease', 'kube-public', 'kube-system'])
  assert.ok(await kube.of(clusterRoles).find('cluster-admin'))
})

test('a second start writes nothing', async (t) => {
  const { ensure, store } = await scene(t)
  await ensure()
  const { revision } = store
  await ensure()
  assert.equal(store.revision, revision)
})

test('what was taken from the policy is given back, unless its object says to leave it alone', async (t) => {
  const { ensure, kube } = await scene(t)
  await ensure()
  const roles = kube.of(clusterRoles)
  const rulesOf = async (name: string) => (await roles.get(name)).rules
  const [view, edit] = [await roles.get('system:node'), await roles.get('system:discovery')]
  await roles.update({ ...view, rules: [] })
  const annotations = { ...edit.metadata.annotations, 'rbac.authorization.kubernetes.io/autoupdate': 'false' }
  await roles.update({ ...edit, metadata: { ...edit.metadata, annotations }, rules: [] })
  await ensure()
  assert.deepEqual(await rulesOf('system:node'), view.rules)
  assert.ok(!(await rulesOf('system:discovery'))?.length)
})

test('what is gone is made anew', async (t) => {
  const { ensure, kube } = await scene(t)
  await ensure()
  await kube.of(clusterRoles).delete('cluster-admin')
  await ensure()
  assert.ok(await kube.of(clusterRoles).find('cluster-admin'))
})
