/** Nobody gives rights away that they do not hold, unless they may `escalate` or `bind`. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { PolicyRule, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { isNotFound } from '../../../src/kube/failures.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { accessScene, isAllowed, refusal } from '../../support/access-scene.ts'
import { aClusterRole, aClusterRoleBinding, aRole, aRoleBinding, aUser, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'

const rbac = 'rbac.authorization.k8s.io'
const readSecrets: PolicyRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }
const manageRoles: PolicyRule = {
  apiGroups: [rbac],
  resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
  verbs: ['get', 'create', 'update', 'patch'],
}

/** A user who may write roles and bindings anywhere, and what else is given. */
async function roleManager(t: TestContext, ...rules: PolicyRule[]) {
  const scene = await accessScene(t)
  const name = uniqueName('jane')
  await scene.clusterRole(aClusterRole(name, manageRoles, ...rules))
  await scene.clusterRoleBinding(aClusterRoleBinding(name, aUser(name)))
  const jane = await scene.as(name)
  const here = jane.of(roles, scene.namespace)
  await eventually('the rights are known', () => isAllowed(here.create(aRole('probe'), { dryRun: true })))
  const notHeld = (...missing: string[]) =>
    [
      `user "${name}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:`,
      ...missing,
    ].join('\n')
  return { ...scene, name, jane, here, notHeld }
}

const secretsNotHeld = '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}'

const bindingOf = (kind: 'Role' | 'ClusterRole', name: string, binding = uniqueName('binding')): RoleBinding => ({
  ...aRoleBinding(binding, aUser('somebody')),
  roleRef: { apiGroup: rbac, kind, name },
})

const relabel = (kube: Kube, namespace: string, name: string) =>
  kube.of(roles, namespace).patch(name, { type: 'merge', body: { metadata: { labels: { touched: 'true' } } } })

describe('escalation prevention', needsControlPlane, () => {
  test('E16: a role with rights that its author lacks is refused, each of them named', async (t) => {
    const { here, notHeld } = await roleManager(t)
    const many: PolicyRule = {
      apiGroups: ['', 'apps'],
      resources: ['secrets', 'pods/log'],
      resourceNames: ['b', 'a'],
      verbs: ['list', 'get'],
    }
    assert.deepEqual(
      [await refusal(here.create(aRole('greedy', readSecrets))), await refusal(here.create(aRole('greedy', many)))],
      [
        `roles.${rbac} "greedy" is forbidden: ${notHeld(secretsNotHeld)}`,
        `roles.${rbac} "greedy" is forbidden: ${notHeld(
          '{APIGroups:[""], Resources:["pods/log"], ResourceNames:["a"], Verbs:["list" "get"]}',
          '{APIGroups:[""], Resources:["pods/log"], ResourceNames:["b"], Verbs:["list" "get"]}',
          '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["list" "get"]}',
          '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["list" "get"]}',
          '{APIGroups:["apps"], Resources:["pods/log"], ResourceNames:["a"], Verbs:["list" "get"]}',
          '{APIGroups:["apps"], Resources:["pods/log"], ResourceNames:["b"], Verbs:["list" "get"]}',
          '{APIGroups:["apps"], Resources:["secrets"], ResourceNames:["a"], Verbs:["list" "get"]}',
          '{APIGroups:["apps"], Resources:["secrets"], ResourceNames:["b"], Verbs:["list" "get"]}',
        )}`,
      ],
    )
    const unnamed = { ...aRole('', readSecrets), metadata: { name: '', generateName: 'greedy-' } }
    assert.equal(await refusal(here.create(unnamed)), `roles.${rbac} is forbidden: ${notHeld(secretsNotHeld)}`)
  })

  test('E16: paths and stars are rights like others', async (t) => {
    const { jane, notHeld } = await roleManager(t)
    const everything: PolicyRule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
    const role = aClusterRole('greedy', { nonResourceURLs: ['/x', '/y/*'], verbs: ['get', 'post'] }, everything)
    assert.equal(
      await refusal(jane.of(clusterRoles).create(role)),
      `clusterroles.${rbac} "greedy" is forbidden: ${notHeld(
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
        '{NonResourceURLs:["/x"], Verbs:["post"]}',
        '{NonResourceURLs:["/y/*"], Verbs:["get"]}',
        '{NonResourceURLs:["/y/*"], Verbs:["post"]}',
      )}`,
    )
  })

  test('E16: rights that the author holds may be given, narrower ones too, wider ones not', async (t) => {
    const held: PolicyRule[] = [
      readSecrets,
      { apiGroups: ['apps'], resources: ['*/scale', 'deployments'], verbs: ['*'] },
      { apiGroups: ['*'], resources: ['pods'], resourceNames: ['a', 'b'], verbs: ['delete'] },
      { nonResourceURLs: ['/logs/*'], verbs: ['get'] },
    ]
    const { jane, here } = await roleManager(t, ...held)
    const may = (rule: PolicyRule) => isAllowed(here.create(aRole('given', rule), { dryRun: true }))
    assert.equal(await may({ ...readSecrets, resourceNames: ['one'] }), true)
    assert.equal(await may({ apiGroups: ['apps'], resources: ['replicasets/scale'], verbs: ['patch'] }), true)
    assert.equal(await may({ apiGroups: ['apps'], resources: ['replicasets'], verbs: ['patch'] }), false)
    assert.equal(
      await may({ apiGroups: ['', 'x'], resources: ['pods'], resourceNames: ['b'], verbs: ['delete'] }),
      true,
    )
    assert.equal(await may({ apiGroups: [''], resources: ['pods'], verbs: ['delete'] }), false)
    assert.equal(
      await may({ apiGroups: [''], resources: ['pods'], resourceNames: ['b', 'c'], verbs: ['delete'] }),
      false,
    )
    assert.equal(await may({ ...readSecrets, verbs: ['*'] }), false)
    const mayOpen = (path: string) =>
      isAllowed(
        jane
          .of(clusterRoles)
          .create(aClusterRole('given', { nonResourceURLs: [path], verbs: ['get'] }), { dryRun: true }),
      )
    assert.deepEqual([await mayOpen('/logs/x'), await mayOpen('/logs/x/*'), await mayOpen('/*')], [true, true, false])
  })

  test('E16: a change of a role counts as giving it anew, unless it is for the garbage collector only', async (t) => {
    const { admin, jane, namespace, notHeld } = await roleManager(t)
    await admin.of(roles, namespace).create(aRole('big', readSecrets))
    assert.equal(
      await refusal(relabel(jane, namespace, 'big')),
      `roles.${rbac} "big" is forbidden: ${notHeld(secretsNotHeld)}`,
    )
    const finalizers = (list: string[]) =>
      jane.of(roles, namespace).patch('big', { type: 'merge', body: { metadata: { finalizers: list } } })
    assert.equal(await isAllowed(finalizers(['example.com/hold'])), true)
    assert.equal(await isAllowed(finalizers([])), true)
  })

  test('E16: who may escalate a role gives it any rights', async (t) => {
    const escalate = { apiGroups: [rbac], resources: ['roles'], verbs: ['escalate'], resourceNames: ['mine'] }
    const { here } = await roleManager(t, escalate)
    assert.equal(await isAllowed(here.create(aRole('other', readSecrets))), false)
    assert.equal(await isAllowed(here.create(aRole('mine', readSecrets))), false, 'a name that is only being created')
    await here.create(aRole('mine'))
    assert.equal(await isAllowed(here.patch('mine', { type: 'merge', body: { rules: [readSecrets] } })), true)
  })

  test('E16: who may escalate all cluster roles writes any, with an aggregation too', async (t) => {
    const escalate = { apiGroups: [rbac], resources: ['clusterroles'], verbs: ['escalate'] }
    const { jane, here } = await roleManager(t, escalate)
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { never: 'there' } }] }
    const role = { ...aClusterRole('greedy', readSecrets), aggregationRule }
    assert.equal(await isAllowed(jane.of(clusterRoles).create(role, { dryRun: true })), true)
    assert.equal(await isAllowed(here.create(aRole('greedy', readSecrets), { dryRun: true })), false)
  })

  test('E16: an aggregation may gather anything, so only who has all rights may set or change it', async (t) => {
    const { jane, clusterRole } = await roleManager(t)
    const name = uniqueName('whole')
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { never: 'there' } }] }
    const words = `clusterroles.${rbac} "${name}" is forbidden: must have cluster-admin privileges to use the aggregationRule`
    const role = { ...aClusterRole(name), aggregationRule }
    assert.equal(await refusal(jane.of(clusterRoles).create(role)), words)
    await clusterRole(role)
    const patch = (body: object) => jane.of(clusterRoles).patch(name, { type: 'merge', body })
    assert.equal(await refusal(patch({ metadata: { labels: { a: 'b' } } })), words)
    assert.equal(await refusal(patch({ aggregationRule: null })), words)
  })

  test('E16: a binding needs all rights of its role', async (t) => {
    const { admin, jane, namespace, notHeld } = await roleManager(t)
    await admin.of(roles, namespace).create(aRole('big', readSecrets))
    await admin.of(roles, namespace).create(aRole('small', { ...manageRoles, verbs: ['get'] }))
    const here = jane.of(roleBindings, namespace)
    assert.equal(
      await refusal(here.create(bindingOf('Role', 'big', 'grant'))),
      `rolebindings.${rbac} "grant" is forbidden: ${notHeld(secretsNotHeld)}`,
    )
    assert.equal(await isAllowed(here.create(bindingOf('Role', 'small'))), true)
    await admin.of(roleBindings, namespace).create(bindingOf('Role', 'big', 'granted'))
    const subjects = { type: 'merge', body: { subjects: [aUser('another')] } } as const
    assert.equal(
      await refusal(here.patch('granted', subjects)),
      `rolebindings.${rbac} "granted" is forbidden: ${notHeld(secretsNotHeld)}`,
    )
  })

  test('E16: rights that are held in one namespace can be bound there and not elsewhere', async (t) => {
    const { admin, jane, namespace, name, clusterRole } = await roleManager(t)
    const reader = uniqueName('reader')
    await clusterRole(aClusterRole(reader, readSecrets))
    await admin.of(roleBindings, namespace).create({ ...bindingOf('ClusterRole', reader), subjects: [aUser(name)] })
    const bind = (where: string) =>
      isAllowed(jane.of(roleBindings, where).create(bindingOf('ClusterRole', reader), { dryRun: true }))
    await eventually('it is held here', () => bind(namespace))
    assert.equal(await bind('default'), false)
    const everywhere = { ...aClusterRoleBinding(reader, aUser('somebody')) }
    assert.equal(await isAllowed(jane.of(clusterRoleBindings).create(everywhere, { dryRun: true })), false)
  })

  test('E16: a role that is not there cannot be bound, except by who may bind it', async (t) => {
    const bind = { apiGroups: [rbac], resources: ['roles'], verbs: ['bind'], resourceNames: ['later'] }
    const { jane, namespace } = await roleManager(t, bind)
    const here = jane.of(roleBindings, namespace)
    const missing = here.create(bindingOf('Role', 'missing'))
    await assert.rejects(missing, isNotFound)
    assert.equal(await refusal(here.create(bindingOf('Role', 'missing'))), `rolebindings.${rbac} "missing" not found`)
    assert.equal(await isAllowed(here.create(bindingOf('Role', 'later'))), true)
  })

  test('E16: who may bind a role binds it without holding its rights', async (t) => {
    const bind = { apiGroups: [rbac], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['view'] }
    const { jane, namespace } = await roleManager(t, bind)
    const dryRun = { dryRun: true }
    const here = jane.of(roleBindings, namespace)
    assert.equal(await isAllowed(here.create(bindingOf('ClusterRole', 'view'), dryRun)), true)
    assert.equal(await isAllowed(here.create(bindingOf('ClusterRole', 'edit'), dryRun)), false)
    const everywhere = aClusterRoleBinding('view', aUser('somebody'))
    assert.equal(await isAllowed(jane.of(clusterRoleBindings).create(everywhere, dryRun)), true)
  })

  test('E16: a member of system:masters gives any rights', async (t) => {
    const { as, namespace } = await accessScene(t)
    const master = await as(uniqueName('root'), 'system:masters')
    assert.equal(await isAllowed(master.of(roles, namespace).create(aRole('all', readSecrets))), true)
    assert.equal(
      await isAllowed(master.of(roleBindings, namespace).create(bindingOf('ClusterRole', 'cluster-admin'))),
      true,
    )
  })
})
