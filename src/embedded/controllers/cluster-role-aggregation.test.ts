import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterRoles } from '../../kube/kinds.ts'
import { clusterRoleAggregation } from './cluster-role-aggregation.ts'
import { controllerScene } from './testing/scene.ts'

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })
const sumOf = (value: string) => ({ clusterRoleSelectors: [{ matchLabels: { for: value } }] })

test('sums of sums settle, and then nothing more is written', async (t) => {
  const { clock, kube } = await controllerScene(t, clusterRoleAggregation)
  const roles = kube.of(clusterRoles)
  await roles.create({ metadata: { name: 'top' }, aggregationRule: sumOf('top'), rules: [] })
  const labels = { for: 'top' }
  await roles.create({ metadata: { name: 'middle', labels }, aggregationRule: sumOf('middle'), rules: [] })
  await roles.create({ metadata: { name: 'leaf', labels: { for: 'middle' } }, rules: [rule('pods')] })
  await clock.settle(30)
  for (const name of ['top', 'middle']) assert.deepEqual((await roles.get(name)).rules, [rule('pods')])
  assert.equal(kube.count('apply'), 2)
})
