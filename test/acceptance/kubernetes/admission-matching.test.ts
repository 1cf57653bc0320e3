/** Which webhooks are asked about a write. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import {
  clusterRoles,
  configMaps,
  events,
  leases,
  namespaces,
  pods,
  secrets,
  validatingWebhookConfigurations,
} from '../../../src/kube/kinds.ts'
import { clientAs, grant } from '../../support/access-scene.ts'
import type { AdmissionScene, Hook, Rule } from '../../support/admission-hook.ts'
import { aConfigMapOf, admissionScene, denies, forCase, refusalOf, webhookName } from '../../support/admission-hook.ts'
import { aClusterRole, aConfigMap, aLease, aSecret, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { untilPodsCanBeMade } from '../../support/fresh-namespace.ts'

const onConfigMaps = (rule: Partial<Rule>): Rule[] => [
  { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], ...rule },
]

/** What other tests write meanwhile may be in no namespace, and is then kept out by no selector of namespaces. */
const inMine = { scope: 'Namespaced' } as const

/** Who was asked since the last time, without those that somebody else's write caused. */
const askedSince = ({ calls }: AdmissionScene): string[] =>
  calls
    .splice(0)
    .filter(({ request }) => request.userInfo.username === 'kubernetes-admin')
    .map(({ hook }) => hook)

/*
 * What is counted is the first change of its object, for each a new one: a real server begins with what its cache has,
 * and where that is a write behind, it meets a conflict and asks again.
 */

const touch = { type: 'merge', body: { metadata: { annotations: { touched: 'true' } } } } as const

describe('the webhooks that are asked', needsControlPlane, () => {
  test('E13: are those whose rules name the operation, the group, the version and the resource', async (t) => {
    const scene = await admissionScene(t)
    await scene.register('mutating', [
      { name: 'create', rules: onConfigMaps({ operations: ['CREATE'] }) },
      { name: 'change', rules: onConfigMaps({ operations: ['UPDATE', 'DELETE'] }) },
      { name: 'any', rules: onConfigMaps({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], ...inMine }) },
      { name: 'other-version', rules: onConfigMaps({ apiVersions: ['v2'] }) },
      { name: 'leases', rules: onConfigMaps({ apiGroups: ['coordination.k8s.io'], resources: ['leases'] }) },
      { name: 'second-rule', rules: [...onConfigMaps({ resources: ['pods'] }), ...onConfigMaps({})] },
    ])
    const maps = scene.admin.of(configMaps, scene.namespace)
    await maps.create(aConfigMap('x'))
    assert.deepEqual(askedSince(scene), ['create', 'any', 'second-rule'])
    await maps.patch('x', touch)
    assert.deepEqual(askedSince(scene), ['change', 'any', 'second-rule'])
    await maps.create(aConfigMap('y'))
    scene.calls.length = 0
    await maps.delete('y')
    assert.deepEqual(askedSince(scene), ['change', 'any', 'second-rule'])
    await scene.admin.of(leases, scene.namespace).create(aLease('x'))
    assert.deepEqual(askedSince(scene), ['any', 'leases'])
    await scene.admin.of(secrets, scene.namespace).create(aSecret('x'))
    assert.deepEqual(askedSince(scene), ['any'])
  })

  test('E13: are asked about subresources only where a rule names them', async (t) => {
    const scene = await admissionScene(t)
    const { admin, namespace } = scene
    await untilPodsCanBeMade(admin, namespace)
    const on = (...resources: string[]) => onConfigMaps({ resources, ...inMine })
    await scene.register('mutating', [
      { name: 'main', rules: on('pods') },
      { name: 'status', rules: on('pods/status') },
      { name: 'any-part', rules: on('pods/*') },
      { name: 'all', rules: on('*') },
      { name: 'all-parts', rules: on('*/*') },
      { name: 'every-status', rules: on('*/status') },
    ])
    const spec = { containers: [{ name: 'c', image: 'none' }] }
    await admin.of(pods, namespace).create({ metadata: { name: 'p' }, spec })
    assert.deepEqual(askedSince(scene), ['main', 'any-part', 'all', 'all-parts'])
    const status = { type: 'merge', body: { status: { message: 'hello' } } } as const
    await admin.of(pods, namespace).patch('p', status, { subresource: 'status' })
    assert.deepEqual(askedSince(scene), ['status', 'any-part', 'all-parts', 'every-status'])
  })

  test('E13: are asked about what is in a namespace, or is not, as the scope of a rule says', async (t) => {
    const scene = await admissionScene(t)
    const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }
    const name = uniqueName('admission')
    const mine = { objectSelector: { matchLabels: { case: name } }, namespaceSelector: {} }
    await scene.register('mutating', [
      { name: 'all', ...mine, rules: onConfigMaps({ ...everything, scope: '*' }) },
      { name: 'namespaced', ...mine, rules: onConfigMaps({ ...everything, scope: 'Namespaced' }) },
      { name: 'cluster', ...mine, rules: onConfigMaps({ ...everything, scope: 'Cluster' }) },
      { name: 'selected', ...forCase(name), rules: onConfigMaps(everything) },
    ])
    const metadata = { name, labels: { case: name } }
    await scene.admin.of(configMaps, scene.namespace).create({ ...aConfigMap(), metadata })
    assert.deepEqual(askedSince(scene), ['all', 'namespaced', 'selected'])
    await scene.admin.of(clusterRoles).create({ ...aClusterRole(name), metadata }, { dryRun: true })
    assert.deepEqual(askedSince(scene), ['all', 'cluster', 'selected'])
    await scene.admin.of(namespaces).create({ metadata }, { dryRun: true })
    assert.deepEqual(askedSince(scene), ['all', 'cluster'])
  })

  test('E13: are those that select the namespace, of a namespace itself its labels to be', async (t) => {
    const scene = await admissionScene(t)
    const { admin, namespace } = scene
    const team = uniqueName('team')
    const selecting = (operator: string, values?: string[]) => ({
      namespaceSelector: {
        matchExpressions: [
          { key: 'team', operator, ...(values && { values }) },
          { key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace] },
        ],
      },
      rules: onConfigMaps({ resources: ['configmaps', 'namespaces'] }),
    })
    await scene.register('mutating', [
      { name: 'in', ...selecting('In', ['other', team]) },
      { name: 'not-in', ...selecting('NotIn', [team]) },
      { name: 'exists', ...selecting('Exists') },
      { name: 'does-not-exist', ...selecting('DoesNotExist') },
    ])
    await admin.of(configMaps, namespace).create(aConfigMap('x'))
    assert.deepEqual(askedSince(scene), ['not-in', 'does-not-exist'])
    await admin.of(namespaces).patch(namespace, { type: 'merge', body: { metadata: { labels: { team } } } })
    assert.deepEqual(askedSince(scene), ['in', 'exists'])
    await eventually('the label is known', async () => {
      await admin.of(configMaps, namespace).patch('x', touch)
      assert.deepEqual(askedSince(scene), ['in', 'exists'])
      return true
    })
  })

  test('E13: are those that select the object, as it is or as it was', async (t) => {
    const scene = await admissionScene(t)
    await scene.register('mutating', [
      { name: 'red', objectSelector: { matchLabels: { colour: 'red' } } },
      {
        name: 'not-red',
        objectSelector: { matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] },
      },
    ])
    const maps = scene.admin.of(configMaps, scene.namespace)
    const paint = async (colour: string) =>
      (await maps.create({ ...aConfigMap(), metadata: { name: uniqueName('painted'), labels: { colour } } })).metadata
        .name
    const red = await paint('red')
    assert.deepEqual(askedSince(scene), ['red'])
    await maps.delete(red)
    assert.deepEqual(askedSince(scene), ['red'])
    const recolour = async (from: string, to: string) => {
      const name = await paint(from)
      scene.calls.length = 0
      await maps.patch(name, { type: 'merge', body: { metadata: { labels: { colour: to } } } })
      return askedSince(scene)
    }
    assert.deepEqual(await recolour('red', 'blue'), ['red', 'not-red'])
    assert.deepEqual(await recolour('blue', 'green'), ['not-red'])
    assert.deepEqual(await recolour('green', 'red'), ['red', 'not-red'])
  })

  test('E13: are also those for another group of the same objects, unless they want an exact match', async (t) => {
    const scene = await admissionScene(t)
    const { admin, namespace, calls } = scene
    const about = (group: string) => [
      { operations: ['CREATE'], apiGroups: [group], apiVersions: ['v1'], resources: ['events'] },
    ]
    await scene.register('mutating', [
      { name: 'core', ...forCase('x'), rules: about('') },
      {
        name: 'new',
        ...forCase('x'),
        rules: about('events.k8s.io'),
        decide: () => ({ patch: [{ op: 'replace', path: '/note', value: 'changed' }] }),
      },
      { name: 'exact', ...forCase('x'), rules: about('events.k8s.io'), matchPolicy: 'Exact' },
    ])
    const created = await admin.of(events, namespace).create({
      metadata: { name: 'x', labels: { case: 'x' } },
      involvedObject: { kind: 'ConfigMap', namespace, name: 'x' },
      message: 'sent',
    })
    assert.equal(created.message, 'changed')
    assert.deepEqual(
      calls.map(({ hook, request }) => [hook, request.kind.group, request.resource.group, request.object?.apiVersion]),
      [
        ['core', '', '', 'v1'],
        ['new', 'events.k8s.io', 'events.k8s.io', 'events.k8s.io/v1'],
      ],
    )
    assert.deepEqual(
      calls.map(({ request }) => [
        request.requestKind.group,
        request.requestResource.group,
        request.object?.['message'],
        request.object?.['note'],
      ]),
      [
        ['', '', 'sent', undefined],
        ['', '', undefined, 'sent'],
      ],
    )
  })

  test('E13: are never asked about webhook configurations', async (t) => {
    const scene = await admissionScene(t)
    const name = uniqueName('admission')
    await scene.register('validating', [
      {
        name: 'all',
        rules: onConfigMaps({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }),
        namespaceSelector: {},
        objectSelector: { matchLabels: { case: name } },
        decide: () => denies('no'),
      },
    ])
    const labelled = { metadata: { name, labels: { case: name } } }
    const dryRun = { dryRun: true }
    assert.ok(await scene.admin.of(validatingWebhookConfigurations).create({ ...labelled, webhooks: [] }, dryRun))
    const { message } = await refusalOf(scene.admin.of(clusterRoles).create(labelled, dryRun))
    assert.match(message, /denied the request: no$/)
  })
})

const asking = (name: string, ...expressions: string[]): Hook => ({
  name,
  ...forCase(name),
  matchConditions: expressions.map((expression, at) => ({ name: `condition-${at}`, expression })),
  decide: () => denies('asked'),
})

describe('match conditions', needsControlPlane, () => {
  const wasAsked = 'denied the request: asked'

  test('E13: all of them must be true for a webhook to be asked', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    await register('validating', [
      asking('true', "object.data.a == '1'"),
      asking('false', "object.data.a == '2'"),
      asking('both', "object.data.a == '1'", 'size(object.data) == 1'),
      asking('one-of-two', "object.data.a == '1'", 'size(object.data) == 2'),
    ])
    const maps = admin.of(configMaps, namespace)
    for (const name of ['true', 'both'])
      assert.match((await refusalOf(maps.create(aConfigMapOf(name, { a: '1' })))).message, new RegExp(wasAsked))
    for (const name of ['false', 'one-of-two']) assert.ok(await maps.create(aConfigMapOf(name, { a: '1' })))
  })

  test('E13: they know the object, the old one and the request', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const request = [
      "request.operation == 'CREATE'",
      "request.userInfo.username == 'kubernetes-admin'",
      "'system:masters' in request.userInfo.groups",
      "request.resource.resource == 'configmaps'",
      "request.kind.kind == 'ConfigMap'",
      '!has(request.subResource)',
      "request.name == 'request'",
      `request.namespace == '${namespace}'`,
      'request.dryRun == false',
      'oldObject == null',
    ]
    await register('validating', [
      asking('request', request.join(' && ')),
      {
        ...asking('changed', "request.operation == 'UPDATE' && object.data.a != oldObject.data.a"),
        rules: onConfigMaps({ operations: ['UPDATE'] }),
      },
      {
        ...asking('deleted', "object == null && oldObject.data.a == '1'"),
        rules: onConfigMaps({ operations: ['DELETE'] }),
      },
    ])
    const maps = admin.of(configMaps, namespace)
    assert.match((await refusalOf(maps.create(aConfigMapOf('request')))).message, new RegExp(wasAsked))
    await maps.create(aConfigMapOf('changed', { a: '1' }))
    assert.ok(await maps.patch('changed', touch))
    const change: Pick<ConfigMap, 'data'> = { data: { a: '2' } }
    assert.match(
      (await refusalOf(maps.patch('changed', { type: 'merge', body: change }))).message,
      new RegExp(wasAsked),
    )
    await maps.create(aConfigMapOf('deleted', { a: '1' }))
    assert.match((await refusalOf(maps.delete('deleted'))).message, new RegExp(wasAsked))
  })

  test('E13: they may ask the authorizer: a webhook is asked for who may, and not for who may not', async (t) => {
    const { plane, admin, namespace, register } = await admissionScene(t)
    const [jane, joe] = [uniqueName('jane'), uniqueName('joe')]
    const mayListPods = "authorizer.group('').resource('pods').namespace(request.namespace).check('list').allowed()"
    await register('validating', [asking('for-some', mayListPods)])
    await grant(admin, namespace, [jane], { apiGroups: [''], resources: ['pods'], verbs: ['list'] })
    await grant(admin, namespace, [jane, joe], { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] })
    const creates = async (user: string) => {
      const maps = (await clientAs(t, plane, user)).of(configMaps, namespace)
      return () => refusalOf(maps.create(aConfigMapOf('for-some'), { dryRun: true }))
    }
    const [janeCreates, joeCreates] = [await creates(jane), await creates(joe)]
    await eventually('it is asked for jane', async () => (await janeCreates()).message.includes(wasAsked))
    await eventually('it is not asked for joe', async () => (await joeCreates()).code === 200)
  })

  test('E13: one that cannot be evaluated follows the failure policy, unless another is false', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const broken = "object.data.nope == '1'"
    await register('mutating', [
      asking('fail', broken),
      asking('fail-twice', broken, '1 / (size(object.data) - 1) == 1'),
      { ...asking('ignore', broken), failurePolicy: 'Ignore' },
      asking('false', broken, 'false'),
    ])
    const maps = admin.of(configMaps, namespace)
    const forbidden = (name: string, why: string) => ({
      code: 403,
      reason: 'Forbidden',
      message: `configmaps "${name}" is forbidden: ${why}`,
    })
    const noKey = `expression '${broken}' resulted in error: no such key: nope`
    const noQuotient = "expression '1 / (size(object.data) - 1) == 1' resulted in error: division by zero"
    const told = (name: string) => refusalOf(maps.create(aConfigMapOf(name, { a: '1' })))
    assert.deepEqual(await told('fail'), forbidden('fail', noKey))
    assert.deepEqual(await told('fail-twice'), forbidden('fail-twice', `[${noKey}, ${noQuotient}]`))
    for (const name of ['ignore', 'false']) assert.ok(await maps.create(aConfigMapOf(name, { a: '1' })))
  })

  test('E13: one that cannot be understood is refused with its configuration', async (t) => {
    const { register } = await admissionScene(t)
    for (const expression of ['object.', "unknown == '1'", "1 == 'a'", 'nothing(object)']) {
      const { code, reason, message } = await refusalOf(register('mutating', [asking('bad', expression)]))
      assert.deepEqual([code, reason], [422, 'Invalid'])
      const field = 'webhooks[1].matchConditions[0].expression'
      const start = `is invalid: ${field}: Invalid value: ${JSON.stringify(expression)}: compilation failed: `
      assert.ok(message.includes(start), message)
    }
    const { code, message } = await refusalOf(register('mutating', [asking('bad', "'text'")]))
    assert.equal(code, 422)
    assert.match(message, /expression: Invalid value: "'text'": must evaluate to bool but got string$/)
    assert.ok(!message.includes(webhookName('bad')))
  })
})
