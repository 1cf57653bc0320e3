/** Strategic merge patch, as every control plane answers it: what merges with what, what replaces, what directives do. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import {
  configMaps,
  customResourceDefinitions,
  nodes,
  roles,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '../../../src/kube/kinds.ts'
import type { Patch } from '../../../src/kube/kube.ts'
import { aConfigMap, aRole, aSecret, aServiceAccount, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aDefinition } from '../../support/custom-resources.ts'
import { aHeadlessService, aNode, aValidatingConfiguration, aWebhook } from '../../support/kind-samples.ts'
import { base64, clusterWide } from '../../support/kind-scene.ts'
import { ownersOf, refusal, shelves } from '../../support/patch-scene.ts'
import {
  containersOf,
  lasting,
  namesOf,
  ofContainer,
  ofPods,
  podOf,
  strategicScene,
  strategicType,
} from '../../support/strategic-scene.ts'
import { teardown } from '../../support/test-scope.ts'

const strategic = (body: unknown): Patch => ({ type: 'strategic', body })

describe('a strategic merge patch', needsControlPlane, () => {
  test('E7: merges maps: sets what it names, deletes what it names as null, and leaves the rest', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const maps = admin.of(configMaps, namespace)
    const created = await maps.create(aConfigMap('note', { a: '1', b: '2' }))
    const patched = await maps.patch(
      'note',
      strategic({ metadata: { labels: { x: 'y' } }, data: { a: null, c: '3', none: null } }),
    )
    const { metadata, ...rest } = lasting(created)
    const wanted = { ...rest, metadata: { ...metadata, labels: { x: 'y' } }, data: { b: '2', c: '3' } }
    assert.deepEqual(lasting(patched), wanted)
    assert.deepEqual(lasting(await maps.get('note')), wanted)
  })

  test('E7: removes labels that it names as null, and all of them at once', async (t) => {
    const { patch, created } = await strategicScene(t)
    const one = await patch({ metadata: { labels: { tier: null } } })
    assert.deepEqual(lasting(one), {
      ...lasting(created),
      metadata: { ...lasting(created).metadata, labels: { app: 'app' } },
    })
    const none = await patch({ metadata: { labels: null } })
    assert.equal(none.metadata.labels, undefined)
  })

  test('E7: merges the data of a Secret, base64 and text', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const all = admin.of(secrets, namespace)
    await all.create(aSecret('keys', { a: 'one', b: 'two' }))
    const { data } = await all.patch(
      'keys',
      strategic({ data: { a: null, c: base64('three') }, stringData: { d: 'four' } }),
    )
    assert.deepEqual(data, { b: base64('two'), c: base64('three'), d: base64('four') })
  })

  test('E7: merges containers by name, and their environment by name', async (t) => {
    const { patch, created } = await strategicScene(t)
    const env = [
      { name: 'TWO', value: 'zwei' },
      { name: 'THREE', value: null },
    ]
    const patched = await patch(ofContainer('first', { image: 'example.com/first:2', env }))
    const wanted = structuredClone(lasting(created))
    Object.assign(containersOf(wanted)[0] ?? {}, {
      image: 'example.com/first:2',
      env: [{ name: 'ONE', value: '1' }, { name: 'TWO', value: 'zwei' }, { name: 'THREE' }],
    })
    assert.deepEqual(lasting(patched), wanted)
  })

  test('E7: merges the ports of a container by their number', async (t) => {
    const { patch } = await strategicScene(t)
    const ports = [{ containerPort: 81, name: 'renamed' }, { containerPort: 82 }]
    const [first] = containersOf(await patch(ofContainer('first', { ports })))
    assert.deepEqual(first?.ports, [
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 81, name: 'renamed', protocol: 'TCP' },
      { containerPort: 82, protocol: 'TCP' },
    ])
  })

  test('E7: merges volumes by name and mounts by path', async (t) => {
    const { patch } = await strategicScene(t)
    const patched = await patch(
      ofPods({
        volumes: [{ name: 'settings', configMap: { optional: true } }],
        containers: [{ name: 'first', volumeMounts: [{ mountPath: '/scratch', readOnly: true }] }],
      }),
    )
    assert.deepEqual(podOf(patched).volumes, [
      { name: 'scratch', emptyDir: {} },
      { name: 'settings', configMap: { name: 'settings', optional: true, defaultMode: 420 } },
    ])
    assert.deepEqual(containersOf(patched)[0]?.volumeMounts, [
      { name: 'scratch', mountPath: '/scratch', readOnly: true },
    ])
  })

  test('E7: replaces lists that have no merge key: arguments and tolerations', async (t) => {
    const { patch } = await strategicScene(t)
    const tolerations = [{ key: 'c', operator: 'Exists' }]
    const patched = await patch(ofPods({ tolerations, containers: [{ name: 'first', args: ['--c'] }] }))
    assert.deepEqual(podOf(patched).tolerations, tolerations)
    assert.deepEqual(containersOf(patched)[0]?.args, ['--c'])
  })

  test('E7: puts new items in front of those that it does not name, and keeps the order of those it does', async (t) => {
    const { patch } = await strategicScene(t)
    const ordered = async (...names: string[]) =>
      namesOf(
        containersOf(
          await patch(ofPods({ containers: names.map((name) => ({ name, image: 'x' })) }), { dryRun: true }),
        ),
      )
    assert.deepEqual(await ordered('new'), ['new', 'first', 'second', 'third'])
    assert.deepEqual(await ordered('new', 'second'), ['new', 'first', 'second', 'third'])
    assert.deepEqual(await ordered('second', 'new'), ['first', 'second', 'new', 'third'])
    assert.deepEqual(await ordered('third', 'first'), ['second', 'third', 'first'])
    assert.deepEqual(await ordered('second', 'first', 'new'), ['second', 'first', 'new', 'third'])
  })

  test('E7: merges items that it names twice one after the other', async (t) => {
    const { patch } = await strategicScene(t)
    const twice = await patch(
      ofPods({
        containers: [
          { name: 'new', image: 'x', args: ['--x'] },
          { name: 'new', image: 'y' },
        ],
      }),
    )
    const { image, args } = containersOf(twice)[0] ?? {}
    assert.deepEqual([image, args, containersOf(twice).length], ['y', ['--x'], 4])
  })

  test('E7: leaves a merged list as it was when its own is empty, and deletes it when it is null', async (t) => {
    const { patch } = await strategicScene(t)
    const [first] = containersOf(await patch(ofContainer('first', { env: [], ports: null, args: [] })))
    assert.deepEqual([namesOf(first?.env), first?.ports, first?.args], [['ONE', 'TWO', 'THREE'], undefined, undefined])
  })

  test('E7: adds what was not there without its null members', async (t) => {
    const { patch } = await strategicScene(t)
    const securityContext = { runAsUser: null, capabilities: { add: null, drop: ['ALL'] } }
    const [, second] = containersOf(
      await patch(ofContainer('second', { securityContext, env: [{ name: 'NEW', value: null }] })),
    )
    assert.deepEqual(second?.securityContext, { capabilities: { drop: ['ALL'] } })
    assert.deepEqual(second?.env, [{ name: 'NEW' }])
  })

  test('E7: adds finalizers to those that are there', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const maps = admin.of(configMaps, namespace)
    await maps.create({ metadata: { name: 'note', finalizers: ['example.com/a', 'example.com/b'] } })
    teardown(t, async () => void (await maps.patch('note', strategic({ metadata: { finalizers: null } }))))
    const added = await maps.patch('note', strategic({ metadata: { finalizers: ['example.com/c', 'example.com/a'] } }))
    assert.deepEqual(added.metadata.finalizers, ['example.com/c', 'example.com/a', 'example.com/b'])
  })

  test('E7: merges owners by their uid', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const maps = admin.of(configMaps, namespace)
    const { uid } = (await maps.create(aConfigMap('owner'))).metadata
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }
    await maps.create({ metadata: { name: 'note', ownerReferences: [owner] } })
    const { metadata } = await maps.patch(
      'note',
      strategic({ metadata: { ownerReferences: [{ uid, controller: true }] } }),
    )
    assert.deepEqual(metadata.ownerReferences, [{ ...owner, controller: true }])
  })

  test('E7: merges the secrets of a ServiceAccount by name', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const all = admin.of(serviceAccounts, namespace)
    const created = await all.create({ ...aServiceAccount('robot'), secrets: [{ name: 'a' }, { name: 'b' }] })
    const body = { secrets: [{ name: 'c' }, { name: 'b' }], imagePullSecrets: [{ name: 'p' }] }
    assert.deepEqual(lasting(await all.patch('robot', strategic(body))), {
      ...lasting(created),
      secrets: [{ name: 'c' }, { name: 'a' }, { name: 'b' }],
      imagePullSecrets: [{ name: 'p' }],
    })
    const { imagePullSecrets } = await all.patch('robot', strategic({ imagePullSecrets: [{ name: 'q' }] }))
    assert.deepEqual(imagePullSecrets, [{ name: 'q' }])
  })

  test('E7: merges the ports of a Service by their number', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const all = admin.of(services, namespace)
    const sample: Service = aHeadlessService('web')
    const ports = [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
    ]
    await all.create({ ...sample, spec: { ...sample.spec, ports } })
    const { spec } = await all.patch('web', strategic({ spec: { ports: [{ port: 443, targetPort: 'tls' }] } }))
    assert.deepEqual(spec?.ports, [
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 80 },
      { name: 'https', port: 443, protocol: 'TCP', targetPort: 'tls' },
    ])
  })

  test('E7: replaces the taints of a Node, and merges its conditions by type', async (t) => {
    const { admin } = await strategicScene(t)
    const taint = (key: string) => ({ key, effect: 'NoSchedule' })
    const sample = aNode(uniqueName('node'))
    const all = admin.of(nodes)
    const { metadata } = await clusterWide(t, all, { ...sample, spec: { taints: [taint('a'), taint('b')] } })
    const { spec } = await all.patch(metadata.name, strategic({ spec: { taints: [taint('c')] } }))
    assert.deepEqual(
      spec?.taints?.map(({ key }) => key).filter((key) => !key.startsWith('node.kubernetes.io/')),
      ['c'],
    )
    const condition = (type: string, status: string) => ({ type, status, reason: 'Because', message: '' })
    const tell = (...conditions: object[]) =>
      all.patch(metadata.name, strategic({ status: { conditions } }), { subresource: 'status' })
    await tell(condition('Custom', 'False'), condition('Other', 'True'))
    const { status } = await tell({ type: 'Custom', status: 'True' })
    const found = (type: string) => status?.conditions?.find((each) => each.type === type)
    assert.deepEqual([found('Custom')?.status, found('Custom')?.reason], ['True', 'Because'])
    assert.equal(found('Other')?.status, 'True')
  })

  test('E7: replaces the rules of a Role', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const all = admin.of(roles, namespace)
    const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })
    const created = await all.create(aRole('reader', rule('pods'), rule('secrets')))
    const patched = await all.patch('reader', strategic({ rules: [rule('nodes')] }))
    assert.deepEqual(lasting(patched), { ...lasting(created), rules: [rule('nodes')] })
  })

  test('E7: merges the webhooks of a configuration by name', async (t) => {
    const { admin } = await strategicScene(t)
    const all = admin.of(validatingWebhookConfigurations)
    const name = uniqueName('hooks')
    const hooks = ['a.example.com', 'b.example.com'].map((each) => ({ ...aWebhook, name: each }))
    await clusterWide(t, all, aValidatingConfiguration(name, ...hooks))
    const body = { webhooks: [{ name: 'b.example.com', timeoutSeconds: 3 }] }
    const { webhooks } = await all.patch(name, strategic(body))
    assert.deepEqual(
      webhooks?.map((hook) => [hook.name, hook.timeoutSeconds]),
      [
        ['a.example.com', 10],
        ['b.example.com', 3],
      ],
    )
  })

  test('E7: works on a CustomResourceDefinition, whose versions it replaces', async (t) => {
    const { admin } = await strategicScene(t)
    const all = admin.of(customResourceDefinitions)
    const definition = aDefinition()
    const { metadata } = await clusterWide(t, all, definition)
    const { spec } = await all.patch(metadata.name, strategic({ spec: { names: { categories: ['some'] } } }))
    assert.deepEqual([spec.names.plural, spec.names.categories], [definition.spec.names.plural, ['some']])
    const refused = all.patch(metadata.name, strategic({ spec: { '$deleteFromPrimitiveList/versions': [{}] } }))
    assert.equal((await refusal(refused)).message, 'cannot merge lists without merge key for struct')
  })
})

describe('a directive of a strategic merge patch', needsControlPlane, () => {
  test('E7: $patch: delete takes an item out of a list; one that is not there is no matter', async (t) => {
    const { patch, created } = await strategicScene(t)
    const gone = (name: string) => ({ $patch: 'delete', name })
    const patched = await patch(ofPods({ containers: [gone('second'), gone('nobody')] }))
    const wanted = structuredClone(lasting(created))
    containersOf(wanted).splice(1, 1)
    assert.deepEqual(lasting(patched), wanted)
  })

  test('E7: $patch: delete empties a map', async (t) => {
    const { patch } = await strategicScene(t)
    const { metadata } = await patch({ metadata: { labels: { $patch: 'delete', x: 'y' } } })
    assert.equal(metadata.labels, undefined)
  })

  test('E7: $patch: replace puts a map in the place of what was there', async (t) => {
    const { patch, created } = await strategicScene(t)
    const patched = await patch({ metadata: { labels: { $patch: 'replace', x: 'y' } } })
    assert.deepEqual(lasting(patched), {
      ...lasting(created),
      metadata: { ...lasting(created).metadata, labels: { x: 'y' } },
    })
  })

  test('E7: $patch: replace as an item puts the list in the place of what was there', async (t) => {
    const { patch } = await strategicScene(t)
    const one = { name: 'only', image: 'x' }
    const containers = [one, { $patch: 'delete', name: 'first' }, { $patch: 'replace' }]
    assert.deepEqual(namesOf(containersOf(await patch(ofPods({ containers })))), ['only'])
  })

  test('E7: $patch: replace in an item replaces the list by what else is named', async (t) => {
    const { patch } = await strategicScene(t)
    const env = [{ $patch: 'replace', name: 'ONE' }, { name: 'ONLY' }]
    assert.deepEqual(namesOf(containersOf(await patch(ofContainer('first', { env })))[0]?.env), ['ONLY'])
  })

  test('E7: $patch is left out of what was not there, with the map or the item it stands in', async (t) => {
    const { patch } = await strategicScene(t)
    const env = [{ $patch: 'delete', name: 'A' }, { name: 'B' }, { $patch: 'replace' }]
    const securityContext = { $patch: 'replace', runAsUser: 5 }
    const [, second] = containersOf(await patch(ofContainer('second', { env, securityContext })))
    assert.deepEqual([second?.env, second?.securityContext], [[{ name: 'B' }], undefined])
  })

  test('E7: $patch in a new item is an unknown field like any other', async (t) => {
    const { send } = await strategicScene(t)
    const fresh = { name: 'new', image: 'x', securityContext: { $patch: 'delete' } }
    const { code, warnings } = await send(ofPods({ containers: [fresh] }))
    assert.deepEqual(
      [code, warnings],
      [200, ['unknown field "spec.template.spec.containers[0].securityContext.$patch"']],
    )
  })

  test('E7: $deleteFromPrimitiveList takes values out of a list, of one that is replaced otherwise too', async (t) => {
    const { patch } = await strategicScene(t)
    const patched = await patch({
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/none'] },
      ...ofContainer('first', { '$deleteFromPrimitiveList/args': ['--a', '--z'] }),
    })
    assert.deepEqual(containersOf(patched)[0]?.args, ['--b'])
    assert.equal(patched.metadata.finalizers, undefined)
  })

  test('E7: $deleteFromPrimitiveList goes together with what is added to the same list', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const maps = admin.of(configMaps, namespace)
    await maps.create({ metadata: { name: 'note', finalizers: ['example.com/a', 'example.com/b'] } })
    teardown(t, async () => void (await maps.patch('note', strategic({ metadata: { finalizers: null } }))))
    const body = {
      metadata: { finalizers: ['example.com/c'], '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
    }
    const { metadata } = await maps.patch('note', strategic(body))
    assert.deepEqual(metadata.finalizers, ['example.com/c', 'example.com/b'])
  })

  test('E7: $setElementOrder orders a list, with what it does not name where the live list has it', async (t) => {
    const { patch } = await strategicScene(t)
    const ordered = async (order: string[], ...containers: object[]) => {
      const wanted = order.map((name) => ({ name }))
      const body = ofPods({ '$setElementOrder/containers': wanted, ...(containers.length > 0 && { containers }) })
      return namesOf(containersOf(await patch(body, { dryRun: true })))
    }
    assert.deepEqual(await ordered(['third', 'second', 'first']), ['third', 'second', 'first'])
    assert.deepEqual(await ordered(['third', 'first']), ['second', 'third', 'first'])
    assert.deepEqual(await ordered(['third', 'new', 'first'], { name: 'new', image: 'x' }), [
      'second',
      'third',
      'new',
      'first',
    ])
    assert.deepEqual(await ordered(['third', 'first'], { $patch: 'delete', name: 'second' }), ['third', 'first'])
    const exchange = [
      { name: 'new', image: 'x' },
      { $patch: 'delete', name: 'first' },
    ]
    assert.deepEqual(await ordered(['new', 'second'], ...exchange), ['third', 'new', 'second'])
  })

  test('E7: $setElementOrder orders a list of values', async (t) => {
    const { patch } = await strategicScene(t)
    const patched = await patch(ofContainer('first', { '$setElementOrder/args': ['--b', '--a'] }))
    assert.deepEqual(containersOf(patched)[0]?.args, ['--b', '--a'])
  })

  test('E7: $setElementOrder of a list that is not there is no matter', async (t) => {
    const { patch, created } = await strategicScene(t)
    const patched = await patch(ofPods({ '$setElementOrder/imagePullSecrets': [{ name: 'a' }] }))
    assert.deepEqual(lasting(patched), lasting(created))
  })

  test('E7: $retainKeys drops every member that it does not name', async (t) => {
    const { patch } = await strategicScene(t)
    const { spec } = await patch({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })
    assert.deepEqual(spec?.strategy, { type: 'Recreate' })
  })

  test('E7: $retainKeys works in an item of a list', async (t) => {
    const { patch } = await strategicScene(t)
    const volumes = [{ $retainKeys: ['name', 'secret'], name: 'settings', secret: { secretName: 'keys' } }]
    assert.deepEqual(podOf(await patch(ofPods({ volumes }))).volumes, [
      { name: 'scratch', emptyDir: {} },
      { name: 'settings', secret: { secretName: 'keys', defaultMode: 420 } },
    ])
  })
})

describe('a strategic merge patch that is wrong', needsControlPlane, () => {
  test('E7: is a bad request when it is no JSON object, and changes nothing when it is null', async (t) => {
    const { send, created } = await strategicScene(t)
    const cases: [string, string][] = [
      ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
      ['"x"', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
      ['5', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
      ['{', 'unexpected end of JSON input'],
      ['', 'unexpected end of JSON input'],
      ['x', "invalid character 'x' looking for beginning of value"],
    ]
    for (const [text, message] of cases) {
      const { code, body } = await send(text)
      assert.deepEqual([code, body.reason, body.message], [400, 'BadRequest', message])
    }
    assert.deepEqual(lasting((await send('null')).body), lasting(created))
  })

  const text = (message: string) => ({ code: 500, reason: '', message })
  const format = (what: string) => ({ code: 400, reason: 'BadRequest', message: `invalid patch format of ${what}` })
  const wrong: Record<string, [object, { code: number; reason: string; message: string }]> = {
    'names an item without its merge key': [
      ofPods({ containers: [{ image: 'x' }] }),
      text('map: map[image:x] does not contain declared merge key: name'),
    ],
    'deletes an item without its merge key': [
      ofPods({ containers: [{ $patch: 'delete' }] }),
      text('map: map[$patch:delete] does not contain declared merge key: name'),
    ],
    'has a directive of no known name in a map': [
      ofPods({ $patch: 'exchange', hostname: 'x' }),
      text('unknown patch type: exchange in map: map[$patch:exchange hostname:x]'),
    ],
    'has a directive that is no text': [
      ofPods({ $patch: 5 }),
      text('unknown patch type: %!s(int64=5) in map: map[$patch:5]'),
    ],
    'has a directive of no known name in a list': [
      ofPods({ containers: [{ $patch: 'exchange', name: 'first' }] }),
      text('unknown patch type: exchange in map: map[$patch:exchange name:first]'),
    ],
    'has $patch: merge in a list': [
      ofPods({ containers: [{ $patch: 'merge', name: 'first' }] }),
      text('merging lists cannot yet be specified in the patch'),
    ],
    'has $patch: merge in a map': [
      ofPods({ $patch: 'merge' }),
      text('unknown patch type: merge in map: map[$patch:merge]'),
    ],
    'has values where there are maps': [
      ofContainer('first', { ports: ['x'] }),
      text(
        'list element types are not identical: [[map[containerPort:80 protocol:TCP] map[containerPort:81 name:other protocol:TCP]] [x]]',
      ),
    ],
    'has $retainKeys that is no list': [ofPods({ $retainKeys: 'x' }), format('retainKeys')],
    'sets what $retainKeys does not name': [
      ofPods({ $retainKeys: ['containers'], hostname: 'x' }),
      format('retainKeys'),
    ],
    'has $deleteFromPrimitiveList of nothing': [ofPods({ $deleteFromPrimitiveList: ['x'] }), format('primitive list')],
    'has $setElementOrder of nothing': [ofPods({ $setElementOrder: [] }), format('setElementOrder list')],
    'has $setElementOrder that is no list': [
      ofPods({ '$setElementOrder/containers': 'x' }),
      text('expected a []interface {}, but received a string'),
    ],
    'has $setElementOrder of what is no list': [
      ofPods({ '$setElementOrder/securityContext': [] }),
      text('expected a []interface {}, but received a map[string]interface {}'),
    ],
    'has $setElementOrder of an unknown field': [
      ofPods({ '$setElementOrder/foo': [] }),
      text('unable to find api field in struct PodSpec for the json field "foo"'),
    ],
    'has $setElementOrder without merge keys': [
      ofPods({ '$setElementOrder/containers': [{ image: 'x' }] }),
      text('map: map[image:x] does not contain declared merge key: name'),
    ],
    'has $setElementOrder of values where there are maps': [
      ofPods({ '$setElementOrder/containers': ['first'] }),
      text('value for key 0 is not a map'),
    ],
    'sets what $setElementOrder does not name': [
      ofPods({ '$setElementOrder/containers': [{ name: 'first' }], containers: [{ name: 'third', image: 'x' }] }),
      text(
        "The order in patch list:\n[map[image:x name:third]]\n doesn't match $setElementOrder list:\n[map[name:first]]\n",
      ),
    ],
  }
  for (const [what, [body, { code, reason, message }]] of Object.entries(wrong))
    test(`E7: that ${what} is refused with the reason`, async (t) => {
      const { send, all, created } = await strategicScene(t)
      const answer = await send(body)
      assert.deepEqual([answer.code, answer.body.reason ?? '', answer.body.message], [code, reason, message])
      assert.deepEqual(lasting(await all.get('app')), lasting(created))
    })

  test('E7: is Invalid and shows itself when its result is no such object', async (t) => {
    const { send } = await strategicScene(t)
    const cases: [object, string, string][] = [
      [{ spec: { replicas: 'x' } }, 'map[spec:map[replicas:x]]', 'unrecognized type: int32'],
      [{ spec: { replicas: 1.5 } }, 'map[spec:map[replicas:1.5]]', 'cannot convert float64 to int32'],
      [{ spec: { paused: 1 } }, 'map[spec:map[paused:1]]', 'unrecognized type: bool'],
      [{ spec: { template: 'x' } }, 'map[spec:map[template:x]]', 'cannot restore struct from: string'],
      [{ metadata: { labels: ['x'] } }, 'map[metadata:map[labels:[x]]]', 'cannot restore map from slice'],
      [{ metadata: { finalizers: 'x' } }, 'map[metadata:map[finalizers:x]]', 'cannot restore slice from string'],
      [{ metadata: { labels: { a: 5 } } }, 'map[metadata:map[labels:map[a:5]]]', 'cannot convert int64 to string'],
      [
        { metadata: { creationTimestamp: 'x' } },
        'map[metadata:map[creationTimestamp:x]]',
        'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
      ],
      [
        { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
        'map[spec:map[strategy:map[rollingUpdate:map[maxSurge:true]]]]',
        'json: cannot unmarshal bool into Go value of type int32',
      ],
    ]
    for (const [patch, shown, why] of cases) {
      const { code, body } = await send(patch)
      const message = `Invalid value: ${JSON.stringify(shown)}: ${why}`
      assert.deepEqual(
        [code, body.reason, body.message, body.details],
        [
          422,
          'Invalid',
          ` "" is invalid: patch: ${message}`,
          { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
        ],
      )
    }
  })

  test('E7: is Invalid by the rules of its kind as any change', async (t) => {
    const { patch } = await strategicScene(t)
    const { code, message } = await refusal(patch({ spec: { strategy: { type: 'Recreate' } } }))
    assert.equal(code, 422)
    assert.match(message, /^Deployment.apps "app" is invalid: spec.strategy.rollingUpdate: Forbidden: /)
  })

  test('E7: is warned of fields that it repeats and that are unknown, or refused, or neither', async (t) => {
    const { send } = await strategicScene(t)
    const flawed = '{"metadata":{"labels":{"a":"x","a":"y"}},"spec":{"foo":1},"aaa":2}'
    const flaws = ['duplicate field "metadata.labels.a"', 'unknown field "aaa"', 'unknown field "spec.foo"']
    const shown = 'map[aaa:2 metadata:map[labels:map[a:y]] spec:map[foo:1]]'
    const warned = await send(flawed)
    assert.deepEqual([warned.code, warned.warnings, warned.body.metadata.labels.a], [200, flaws, 'y'])
    const strict = await send(flawed, { fieldValidation: 'Strict' })
    assert.deepEqual(
      [strict.code, strict.body.message],
      [422, ` "" is invalid: patch: Invalid value: "${shown}": strict decoding error: ${flaws.join(', ')}`],
    )
    const ignored = await send(flawed, { fieldValidation: 'Ignore' })
    assert.deepEqual([ignored.code, ignored.warnings], [200, []])
  })

  test('E7: cannot be forced', async (t) => {
    const { send } = await strategicScene(t)
    const { code, body } = await send({}, { force: 'true' })
    assert.equal(code, 422)
    assert.match(body.message, /force: Forbidden: may not be specified for non-apply patch$/)
  })

  test('E7: is not supported for custom kinds, whatever it says', async (t) => {
    const { admin, namespace, send } = await strategicScene(t)
    const kind = await shelves(t, admin)
    await admin.of(kind, namespace).create({ metadata: { name: 'one' }, spec: { title: 'x' } })
    const path = `/apis/${kind.group}/v1/namespaces/${namespace}/shelves/`
    for (const [at, patch] of [
      ['one', {}],
      ['one', 'nonsense'],
      ['one/status', {}],
      ['nothing', {}],
    ] as const) {
      const { code, body } = await send(patch, {}, `${path}${at}`)
      assert.deepEqual(
        [code, body.reason, body.message],
        [
          415,
          'UnsupportedMediaType',
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        ],
      )
    }
  })
})

describe('with a strategic merge patch', needsControlPlane, () => {
  test('E7: a subresource changes its own part alone', async (t) => {
    const { patch } = await strategicScene(t)
    const condition = { type: 'Custom', status: 'True', reason: 'Because', message: 'so' }
    const patched = await patch(
      { metadata: { labels: { x: 'y' } }, spec: { replicas: 3 }, status: { conditions: [condition] } },
      { subresource: 'status' },
    )
    const {
      lastUpdateTime: _,
      lastTransitionTime: _transition,
      ...found
    } = patched.status?.conditions?.find(({ type }) => type === 'Custom') ?? {}
    assert.deepEqual(found, condition)
    assert.deepEqual([patched.spec?.replicas, patched.metadata.labels?.['x']], [0, undefined])
  })

  test('E7: a scale changes', async (t) => {
    const { send, path, all } = await strategicScene(t)
    const { code, body } = await send({ spec: { replicas: 2 } }, { dryRun: 'All' }, `${path}/scale`)
    assert.deepEqual([code, body.kind, body.spec], [200, 'Scale', { replicas: 2 }])
    assert.equal((await all.get('app')).spec?.replicas, 0)
    const refused = await send({ spec: { replicas: 'x' } }, {}, `${path}/scale`)
    assert.deepEqual(
      [refused.code, refused.body.message],
      [422, ' "" is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32'],
    )
  })

  test('E7: nothing that stays as it is makes a new version', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const maps = admin.of(configMaps, namespace)
    const note = await maps.create({ metadata: { name: 'note', labels: { a: 'b' } }, data: { a: '1' } })
    const same = [{}, { data: { a: '1', none: null } }, { metadata: { labels: { a: 'b' } } }, { kind: 'Other' }]
    for (const body of same)
      assert.deepEqual(await maps.patch('note', strategic(body), { fieldManager: 'other' }), note)
  })

  test('E7: the version that it names must be the current one', async (t) => {
    const { admin, namespace } = await strategicScene(t)
    const maps = admin.of(configMaps, namespace)
    const { resourceVersion } = (await maps.create(aConfigMap('note'))).metadata
    const at = () => maps.patch('note', strategic({ metadata: { resourceVersion }, data: { a: '1' } }))
    await at()
    const { code, reason, message } = await refusal(at())
    assert.deepEqual(
      [code, reason, message],
      [
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "note": the object has been modified; please apply your changes to the latest version and try again',
      ],
    )
  })

  test('E7: an object can be renamed as little as lose its name', async (t) => {
    const { patch } = await strategicScene(t)
    const why = async (body: object) => (await refusal(patch(body))).message
    assert.equal(
      await why({ metadata: { name: 'other' } }),
      'the name of the object (other) does not match the name on the URL (app)',
    )
    assert.equal(
      await why({ metadata: { $patch: 'replace' } }),
      'the name of the object (app based on URL) was undeterminable: name must be provided',
    )
  })

  test('E7: what is not there is Not Found, whatever the patch says', async (t) => {
    const { send, path } = await strategicScene(t)
    for (const patch of [{}, 'nonsense'])
      assert.equal((await send(patch, {}, path.replace(/app$/, 'nothing'))).code, 404)
  })

  test('E7: a dry run is answered with its result and not kept', async (t) => {
    const { patch, all, created } = await strategicScene(t)
    assert.equal((await patch({ spec: { minReadySeconds: 5 } }, { dryRun: true })).spec?.minReadySeconds, 5)
    assert.deepEqual(lasting(await all.get('app')), lasting(created))
  })

  test('E7: a field manager owns what it set', async (t) => {
    const { patch } = await strategicScene(t)
    const patched = await patch(ofContainer('second', { env: [{ name: 'NEW', value: 'x' }] }), {
      fieldManager: 'patcher',
    })
    const env = { '.': {}, 'k:{"name":"NEW"}': { '.': {}, 'f:name': {}, 'f:value': {} } }
    const spec = { 'f:containers': { 'k:{"name":"second"}': { 'f:env': env } } }
    assert.deepEqual(ownersOf(patched, 'patcher'), [
      ['patcher Update', { 'f:spec': { 'f:template': { 'f:spec': spec } } }],
    ])
  })

  test('E7: parameters of its content type do not matter', async (t) => {
    const { admin, path } = await strategicScene(t)
    const contentType = `${strategicType}; charset=utf-8`
    const body = { metadata: { labels: { x: 'y' } } }
    const { metadata } = await admin.request<{ metadata: { labels: object } }>({
      method: 'PATCH',
      path,
      body,
      contentType,
    })
    assert.deepEqual(metadata.labels, { app: 'app', tier: 'back', x: 'y' })
  })
})
