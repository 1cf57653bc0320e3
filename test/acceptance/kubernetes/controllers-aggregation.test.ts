/** ClusterRoles that are the sum of others. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { ClusterRole, PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { clusterRoles } from '../../../src/kube/kinds.ts'
import { aClusterRole, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'

const reading = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const roles = kubeClient(t, plane.connection()).of(clusterRoles)
  const label = `test.example/${uniqueName('sum')}`
  const make = async (role: ClusterRole & { metadata: { name: string } }) => {
    await roles.create(role)
    teardown(t, async () => void (await roles.delete(role.metadata.name)))
    return role.metadata.name
  }
  const part = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]) =>
    make({ ...aClusterRole(name, ...rules), metadata: { name, labels } })
  const selecting = (...values: string[]) => ({
    aggregationRule: { clusterRoleSelectors: values.map((value) => ({ matchLabels: { [label]: value } })) },
  })
  const sum = (more: Partial<ReturnType<typeof aClusterRole>>) => make({ ...aClusterRole(uniqueName('sum')), ...more })
  const becomes = (name: string, ...rules: PolicyRule[]) =>
    eventually('it is the sum', async () => {
      assert.deepEqual((await roles.get(name)).rules ?? [], rules)
      return true
    })
  return { roles, label, part, selecting, sum, becomes }
}

describe('the aggregation of ClusterRoles', needsControlPlane, () => {
  test('E18: a role is the sum of those that its selectors choose, in their order and then by name', async (t) => {
    const { label, part, selecting, sum, becomes } = await start(t)
    const prefix = uniqueName('part')
    await part(`${prefix}-c`, { [label]: 'first' }, reading('pods'))
    await part(`${prefix}-b`, { [label]: 'first' }, reading('secrets'), reading('nodes'))
    await part(`${prefix}-a`, { [label]: 'second' }, reading('events'))
    await part(`${prefix}-d`, { [label]: 'third' }, reading('services'))
    const name = await sum(selecting('first', 'second'))
    await becomes(name, reading('secrets'), reading('nodes'), reading('pods'), reading('events'))
  })

  test('E18: a rule that several have is in it once', async (t) => {
    const { label, part, selecting, sum, becomes } = await start(t)
    const prefix = uniqueName('part')
    await part(`${prefix}-a`, { [label]: 'x' }, reading('pods'))
    await part(`${prefix}-b`, { [label]: 'x' }, reading('pods'), reading('nodes'))
    await becomes(await sum(selecting('x')), reading('pods'), reading('nodes'))
  })

  test('E18: it follows its parts: one that comes, changes, and goes', async (t) => {
    const { roles, label, part, selecting, sum, becomes } = await start(t)
    const name = await sum(selecting('x'))
    const added = await part(uniqueName('part'), { [label]: 'x' }, reading('pods'))
    await becomes(name, reading('pods'))
    await roles.patch(added, { type: 'merge', body: { rules: [reading('nodes')] } })
    await becomes(name, reading('nodes'))
    await roles.patch(added, { type: 'merge', body: { metadata: { labels: { [label]: 'y' } } } })
    await becomes(name)
    await roles.patch(added, { type: 'merge', body: { metadata: { labels: { [label]: 'x' } } } })
    await becomes(name, reading('nodes'))
    await roles.delete(added)
    await becomes(name)
  })

  test('E18: rules that somebody writes into it are overwritten', async (t) => {
    const { roles, label, part, selecting, sum, becomes } = await start(t)
    await part(uniqueName('part'), { [label]: 'x' }, reading('pods'))
    const name = await sum({ ...selecting('x'), rules: [reading('secrets')] })
    await becomes(name, reading('pods'))
    await roles.patch(name, { type: 'merge', body: { rules: [reading('secrets')] } })
    await becomes(name, reading('pods'))
  })

  test('E18: a sum may be a part of another, and never of itself', async (t) => {
    const { label, part, selecting, sum, becomes } = await start(t)
    await part(uniqueName('part'), { [label]: 'x' }, reading('pods'))
    const name = uniqueName('sum')
    await sum({ ...selecting('x'), metadata: { name, labels: { [label]: 'x' } } })
    const above = await sum(selecting('x'))
    await becomes(name, reading('pods'))
    await becomes(above, reading('pods'))
  })

  test('E18: selectors may ask for more than equality', async (t) => {
    const { label, part, sum, becomes } = await start(t)
    const prefix = uniqueName('part')
    await part(`${prefix}-a`, { [label]: 'x' }, reading('pods'))
    await part(`${prefix}-b`, { [label]: 'y' }, reading('nodes'))
    const notY = { key: label, operator: 'NotIn', values: ['y'] }
    const matchExpressions = [{ key: label, operator: 'Exists' }, notY]
    await becomes(await sum({ aggregationRule: { clusterRoleSelectors: [{ matchExpressions }] } }), reading('pods'))
  })

  test('E18: admin, edit and view are such sums, and grow with roles that say so', async (t) => {
    const { roles, part } = await start(t)
    const rule = { apiGroups: [`${uniqueName('group')}.example`], resources: ['widgets'], verbs: ['get'] }
    await part(uniqueName('view'), { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }, rule)
    for (const name of ['view', 'edit', 'admin'])
      await eventually(`${name} has it`, async () => {
        const { rules = [] } = await roles.get(name)
        return rules.some(({ apiGroups }) => apiGroups?.[0] === rule.apiGroups[0])
      })
  })
})
