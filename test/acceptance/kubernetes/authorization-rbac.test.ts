/** RBAC: who may do what, and in which words the rest is refused. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { Secret } from '../../../src/core/secret.ts'
import { isNotFound } from '../../../src/kube/failures.ts'
import {
  clusterRoles,
  configMaps,
  deployments,
  nodes,
  pods,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
} from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { accessScene, isAllowed, refusal } from '../../support/access-scene.ts'
import {
  aClusterRole,
  aClusterRoleBinding,
  aConfigMap,
  aGroup,
  aRole,
  aRoleBinding,
  aServiceAccount,
  aUser,
  uniqueName,
} from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'

const ofClusterRole = (binding: RoleBinding): RoleBinding => ({
  ...binding,
  roleRef: { ...binding.roleRef, kind: 'ClusterRole' },
})

/** Past the authorizer, though there may be nothing. */
const isLetThrough = (call: Promise<unknown>): Promise<boolean> =>
  isAllowed(
    call.catch((error) => {
      if (!isNotFound(error)) throw error
    }),
  )

const get = (kube: Kube, path: string) => kube.request({ path })

describe('RBAC', needsControlPlane, () => {
  test('E16: what no role grants is refused with a sentence that says who, what and where', async (t) => {
    const { as, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    const jane = await as(name)
    const inNamespace = `in the namespace "${namespace}"`
    assert.deepEqual(
      [
        await refusal(jane.of(configMaps, namespace).list()),
        await refusal(jane.of(secrets, namespace).get('keys')),
        await refusal(jane.of(nodes).list()),
        await refusal(jane.of(deployments).list()),
        await refusal(get(jane, `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`)),
        await refusal(jane.of(configMaps, namespace).create(aConfigMap())),
        await refusal(jane.of(configMaps, namespace).deleteCollection()),
        await refusal(get(jane, `/api/v1/namespaces/${namespace}`)),
        await refusal(get(jane, '/apis/example.com/v1/unheard')),
        await refusal(get(jane, '/metrics')),
      ],
      [
        `configmaps is forbidden: User "${name}" cannot list resource "configmaps" in API group "" ${inNamespace}`,
        `secrets "keys" is forbidden: User "${name}" cannot get resource "secrets" in API group "" ${inNamespace}`,
        `nodes is forbidden: User "${name}" cannot list resource "nodes" in API group "" at the cluster scope`,
        `deployments.apps is forbidden: User "${name}" cannot list resource "deployments" in API group "apps" at the cluster scope`,
        `deployments.apps "web" is forbidden: User "${name}" cannot get resource "deployments/scale" in API group "apps" ${inNamespace}`,
        `configmaps is forbidden: User "${name}" cannot create resource "configmaps" in API group "" ${inNamespace}`,
        `configmaps is forbidden: User "${name}" cannot deletecollection resource "configmaps" in API group "" ${inNamespace}`,
        `namespaces "${namespace}" is forbidden: User "${name}" cannot get resource "namespaces" in API group "" ${inNamespace}`,
        `unheard.example.com is forbidden: User "${name}" cannot list resource "unheard" in API group "example.com" at the cluster scope`,
        `forbidden: User "${name}" cannot get path "/metrics"`,
      ],
    )
  })

  test('E16: a refusal is a Status with reason Forbidden and the details of what was asked for', async (t) => {
    const { as, namespace } = await accessScene(t)
    const jane = await as('jane')
    const failure = await jane
      .of(deployments, namespace)
      .get('web')
      .catch((error) => error)
    assert.deepEqual(
      [failure.code, failure.reason, failure.details],
      [403, 'Forbidden', { name: 'web', group: 'apps', kind: 'deployments' }],
    )
  })

  test('E16: a name that could be markup is not sent back as such', async (t) => {
    const { as, namespace } = await accessScene(t)
    assert.match(
      await refusal((await as('<b>&"x')).of(pods, namespace).list()),
      /User "&lt;b&gt;&amp;\\"x" cannot list/,
    )
  })

  test('E16: a Role grants its verbs in its namespace and nowhere else', async (t) => {
    const { admin, as, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    const jane = await as(name)
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }
    await admin.of(roles, namespace).create(aRole('reader', rule))
    await admin.of(roleBindings, namespace).create(aRoleBinding('reader', aUser(name)))
    await eventually('jane may list', () => isAllowed(jane.of(configMaps, namespace).list()))
    assert.equal(await isAllowed(jane.of(configMaps, namespace).create(aConfigMap())), false)
    assert.equal(await isAllowed(jane.of(configMaps, 'default').list()), false)
    assert.equal(await isAllowed(jane.of(configMaps).list()), false)
    await admin.of(roleBindings, namespace).delete('reader')
    await eventually('the right is gone', async () => !(await isAllowed(jane.of(configMaps, namespace).list())))
  })

  test('E16: a RoleBinding to a ClusterRole grants it in one namespace, a ClusterRoleBinding in all', async (t) => {
    const { admin, as, namespace, clusterRole, clusterRoleBinding } = await accessScene(t)
    const [name, group] = [uniqueName('reader'), uniqueName('readers')]
    await clusterRole(aClusterRole(name, { apiGroups: ['', 'apps'], resources: ['*'], verbs: ['list'] }))
    await admin.of(roleBindings, namespace).create(ofClusterRole(aRoleBinding(name, aUser(name))))
    await clusterRoleBinding(aClusterRoleBinding(name, aGroup(group)))
    const [one, all] = [await as(name), await as('jane', group)]
    await eventually('one may list here', () => isAllowed(one.of(secrets, namespace).list()))
    await eventually('all may list everywhere', () => isAllowed(all.of(deployments).list()))
    assert.equal(await isAllowed(one.of(secrets).list()), false)
    assert.equal(await isAllowed(all.of(nodes).list()), true)
    assert.equal(await isAllowed(all.of(roles, namespace).list()), false)
  })

  test('E16: a service account is a subject by its name and namespace, and by its groups', async (t) => {
    const { plane, admin, namespace } = await accessScene(t)
    await admin.of(serviceAccounts, namespace).create(aServiceAccount('robot'))
    const { status } = await admin
      .of(serviceAccounts, namespace)
      .createSubresource<object, { status: { token: string } }>('robot', 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {},
      })
    const robot = kubeClient(t, plane.connection({ authorization: Secret.of(status.token) }))
    const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['list'] })
    await admin.of(roles, namespace).create(aRole('by-name', rule('configmaps')))
    await admin.of(roles, namespace).create(aRole('by-group', rule('secrets')))
    const subject = { kind: 'ServiceAccount', name: 'robot', namespace }
    await admin.of(roleBindings, namespace).create(aRoleBinding('by-name', subject))
    await admin
      .of(roleBindings, namespace)
      .create(aRoleBinding('by-group', aGroup(`system:serviceaccounts:${namespace}`)))
    await eventually('by its name', () => isAllowed(robot.of(configMaps, namespace).list()))
    await eventually('by its group', () => isAllowed(robot.of(secrets, namespace).list()))
    assert.equal(await isAllowed(robot.of(pods, namespace).list()), false)
  })

  test('E16: resourceNames narrow a rule to these names, and let lists of one of them pass', async (t) => {
    const { admin, as, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    const jane = await as(name)
    const rule = {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['mine'],
      verbs: ['get', 'list', 'delete'],
    }
    await admin.of(roles, namespace).create(aRole('one', rule))
    await admin.of(roleBindings, namespace).create(aRoleBinding('one', aUser(name)))
    const here = jane.of(configMaps, namespace)
    await eventually('jane may get hers', () => isLetThrough(here.get('mine')))
    assert.equal(await isLetThrough(here.get('other')), false)
    assert.equal(await isAllowed(here.list()), false)
    assert.equal(await isAllowed(here.list({ fieldSelector: 'metadata.name=mine' })), true)
    assert.equal(await isAllowed(here.list({ fieldSelector: 'metadata.name=other' })), false)
    assert.equal(await isAllowed(here.deleteCollection()), false)
  })

  test('E16: a subresource needs a rule of its own: by name, or by a star before or instead of it', async (t) => {
    const { admin, as, namespace } = await accessScene(t)
    const grant = async (user: string, resource: string) => {
      await admin
        .of(roles, namespace)
        .create(aRole(user, { apiGroups: ['', 'apps'], resources: [resource], verbs: ['get'] }))
      await admin.of(roleBindings, namespace).create(aRoleBinding(user, aUser(user)))
      return await as(user)
    }
    const main = await grant(uniqueName('main'), 'deployments')
    const sub = await grant(uniqueName('sub'), 'deployments/scale')
    const starred = await grant(uniqueName('starred'), '*/scale')
    const all = await grant(uniqueName('all'), '*')
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`
    const ask = async (kube: Kube) => [
      await isLetThrough(get(kube, path)),
      await isLetThrough(get(kube, `${path}/scale`)),
      await isLetThrough(get(kube, `${path}/status`)),
    ]
    await eventually('the last one is known', () => isLetThrough(get(all, path)))
    assert.deepEqual(await ask(main), [true, false, false])
    assert.deepEqual(await ask(sub), [false, true, false])
    assert.deepEqual(await ask(starred), [false, true, false])
    assert.deepEqual(await ask(all), [true, true, true])
  })

  test('E16: nonResourceURLs grant paths, with a star for what comes after', async (t) => {
    const { as, clusterRole, clusterRoleBinding } = await accessScene(t)
    const name = uniqueName('prober')
    await clusterRole(aClusterRole(name, { nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] }))
    await clusterRoleBinding(aClusterRoleBinding(name, aUser(name)))
    const prober = await as(name)
    await eventually('it may read metrics', () => isAllowed(get(prober, '/metrics')))
    const isOpen = (path: string) => isLetThrough(get(prober, path))
    assert.deepEqual(
      [
        await isOpen('/logs/a/b'),
        await isOpen('/metrics/cadvisor'),
        await isOpen('/logsx'),
        await isOpen('/debug/pprof'),
      ],
      [true, false, false, false],
    )
    assert.equal(await isAllowed(prober.request({ method: 'POST', path: '/metrics' })), false)
  })

  test('E16: anyone at all may read health and version, who is known may discover', async (t) => {
    const { plane, as } = await accessScene(t)
    const stranger = kubeClient(t, plane.connection({}))
    const jane = await as('jane')
    for (const path of ['/healthz', '/livez', '/readyz', '/version'])
      assert.ok(await isAllowed(get(stranger, path)), path)
    for (const path of ['/api', '/apis', '/openapi/v3']) assert.ok(await isAllowed(get(jane, path)), path)
    assert.equal(await refusal(get(stranger, '/api')), 'forbidden: User "system:anonymous" cannot get path "/api"')
  })

  test('E16: an aggregated ClusterRole gathers the rules of those whose labels it selects', async (t) => {
    const { admin, as, clusterRole, clusterRoleBinding } = await accessScene(t)
    const [name, part, label] = [uniqueName('whole'), uniqueName('part'), uniqueName('gather')]
    const clusterRoleSelectors = [{ matchLabels: { [label]: 'true' } }]
    await clusterRole({ ...aClusterRole(name), aggregationRule: { clusterRoleSelectors } })
    await clusterRoleBinding(aClusterRoleBinding(name, aUser(name)))
    const rule = { apiGroups: [''], resources: ['nodes'], verbs: ['list'] }
    await clusterRole({ ...aClusterRole(part, rule), metadata: { name: part, labels: { [label]: 'true' } } })
    const jane = await as(name)
    await eventually('the part counts', () => isAllowed(jane.of(nodes).list()))
    const rules = async () => (await admin.of(clusterRoles).get(name)).rules ?? []
    assert.deepEqual(await rules(), [rule])
    await admin.of(clusterRoles).patch(part, { type: 'merge', body: { metadata: { labels: { [label]: null } } } })
    await eventually('the part counts no more', async () => !(await isAllowed(jane.of(nodes).list())))
    assert.deepEqual(await rules(), [])
  })

  test('E16: the roles for users are aggregated, so that a labelled ClusterRole extends view, edit and admin', async (t) => {
    const { admin, as, namespace, clusterRole } = await accessScene(t)
    const [name, viewer] = [uniqueName('view-more'), uniqueName('viewer')]
    await admin.of(roleBindings, namespace).create({
      ...aRoleBinding('view', aUser(viewer)),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    })
    const jane = await as(viewer)
    await eventually('a viewer may list', () => isAllowed(jane.of(configMaps, namespace).list()))
    assert.equal(await isAllowed(jane.of(secrets, namespace).list()), false)
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
    const rule = { apiGroups: ['example.com'], resources: [name], verbs: ['get'] }
    await clusterRole({ ...aClusterRole(name, rule), metadata: { name, labels } })
    const path = `/apis/example.com/v1/namespaces/${namespace}/${name}/x`
    await eventually('the view is extended', () => isLetThrough(get(jane, path)))
  })

  test('E16: a binding to a role that is not there grants nothing, and the refusal says so', async (t) => {
    const { admin, as, namespace } = await accessScene(t)
    const name = uniqueName('jane')
    await admin.of(roleBindings, namespace).create(aRoleBinding('missing', aUser(name)))
    await admin.of(roleBindings, namespace).create(ofClusterRole(aRoleBinding(name, aUser(name))))
    const jane = await as(name)
    const told = await eventually('both bindings are known', () => refusal(jane.of(pods, namespace).get('x')), {
      until: (words) => words.includes('"missing"') && words.includes(`"${name}" not found`),
    })
    const errors = [
      'role.rbac.authorization.k8s.io "missing" not found',
      `clusterrole.rbac.authorization.k8s.io "${name}" not found`,
    ]
    const refused = `pods "x" is forbidden: User "${name}" cannot get resource "pods" in API group "" in the namespace "${namespace}"`
    assert.ok(
      [errors, errors.toReversed()].map((list) => `${refused}: RBAC: [${list.join(', ')}]`).includes(told),
      told,
    )
  })
})
