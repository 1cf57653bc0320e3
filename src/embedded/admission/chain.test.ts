import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { startHttpsServer } from '../../../test/support/https-server.ts'
import { silentLog } from '../../core/log.ts'
import { randomFrom } from '../../core/random.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import type { AdmissionStep } from './admission.ts'
import { createAdmission } from './chain.ts'
import { aWrite, kinds, MemoryStore, outcome, registryOf, served } from './testing/scene.ts'

interface Asked {
  hook: string
  request: Record<string, unknown> & { uid: string; object: { data?: Record<string, string> } | null }
}

type Decide = (request: Asked['request']) => object | undefined | Promise<undefined>

const authorizer: Authorizer = { authorize: async () => ({ verdict: 'no opinion', reason: '' }) }
const allKinds = Object.values(kinds)

/** Admission with webhooks that are asked about everything, in the order given. */
async function start(
  t: TestContext,
  webhooks: { type: 'mutating' | 'validating'; name: string; decide?: Decide; [setting: string]: unknown }[],
  steps: AdmissionStep[] = [],
) {
  const asked: Asked[] = []
  const { url, caPem } = await startHttpsServer(t, async ({ path, body }) => {
    const hook = path.slice(1).split('?')[0] ?? ''
    const { request } = body as { request: Asked['request'] }
    asked.push({ hook, request })
    const { decide = () => ({}) } = webhooks.find(({ name }) => name === hook) ?? {}
    const response = await decide(request)
    return (
      response && {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: request.uid, allowed: true, ...response },
      }
    )
  })
  const store = new MemoryStore().put('namespaces', { metadata: { name: 'home' } })
  for (const type of ['mutating', 'validating'])
    store.put(`${type}webhookconfigurations.admissionregistration.k8s.io`, {
      ...{ metadata: { name: 'all' } },
      ...{
        webhooks: webhooks
          .filter((webhook) => webhook.type === type)
          .map(({ name, decide, type: _, ...settings }) => ({
            name,
            clientConfig: { url: `${url}/${name}`, caBundle: Buffer.from(caPem).toString('base64') },
            rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
            sideEffects: 'None',
            ...settings,
          })),
      },
    })
  const admission = createAdmission({
    store: store.asStore(),
    registry: registryOf(...allKinds),
    authorizer,
    clock: new FakeClock(),
    random: randomFrom(() => 0),
    log: silentLog,
    steps,
  })
  t.after(() => admission[Symbol.dispose]())
  return { admission, asked, store, hooks: () => asked.splice(0).map(({ hook }) => hook) }
}

const patch = (...operations: object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
const sets = (key: string, value: string) => patch({ op: 'add', path: `/data/${key}`, value })
const aMap = (more: object = {}) => aWrite(kinds.configMaps, { object: { data: { a: '1' } }, ...more })

describe('admission', () => {
  test('goes through steps and webhooks in their order', async (t) => {
    const told: string[] = []
    const step: AdmissionStep = {
      name: 'step',
      refuse: async () => void told.push('refuse'),
      mutate: async ({ object }) => {
        told.push('mutate')
        return object
      },
      validate: async () => void told.push('validate'),
    }
    const { admission, asked } = await start(
      t,
      [
        { type: 'validating', name: 'v' },
        { type: 'mutating', name: 'm', decide: () => sets('b', '2') },
      ],
      [step],
    )
    const write = aMap()
    const object = await admission.mutate(write)
    assert.deepEqual(object?.['data'], { a: '1', b: '2' })
    assert.deepEqual(told.splice(0), ['refuse', 'mutate', 'refuse', 'mutate'])
    await admission.validate({ ...write, object })
    assert.deepEqual(told, ['validate'])
    assert.deepEqual(
      asked.map(({ hook, request }) => [hook, request.object?.data]),
      [
        ['m', { a: '1' }],
        ['v', { a: '1', b: '2' }],
      ],
    )
  })

  test('is idle where nobody is concerned, and costs one look at an empty list', async (t) => {
    const onPods: AdmissionStep = { name: 'pods', concerns: ({ served: { kind } }) => kind.plural === 'pods' }
    const { admission, store } = await start(t, [], [onPods])
    const target = (kind: keyof typeof kinds) =>
      ({ operation: 'CREATE', served: served(kinds[kind]), subresource: '' }) as const
    assert.deepEqual([admission.isIdle(target('configMaps')), admission.isIdle(target('pods'))], [true, false])
    const { lists } = store
    for (let at = 0; at < 10; at++) assert.equal(admission.isIdle(target('configMaps')), true)
    assert.equal(store.lists, lists)
    store.put('validatingwebhookconfigurations.admissionregistration.k8s.io', {
      ...{ metadata: { name: 'new' } },
      ...{
        webhooks: [
          {
            name: 'new',
            clientConfig: {},
            rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          },
        ],
      },
    })
    assert.equal(admission.isIdle(target('configMaps')), false)
    assert.equal(admission.isIdle(target('nodes')), true)
    assert.equal(admission.isIdle(target('webhooks')), true)
  })

  test('shows webhooks what is written, by whom and how', async (t) => {
    const { admission, asked } = await start(t, [{ type: 'mutating', name: 'm' }])
    const user = { name: 'jane', uid: '7', groups: ['dev'], extra: { 'example.com/a': ['b'] } }
    await admission.mutate(
      aMap({ user, subresource: 'status', operation: 'UPDATE', old: {}, options: { fieldManager: 'me', force: true } }),
    )
    const { uid, object, oldObject, ...rest }: Record<string, unknown> = asked[0]?.request ?? {}
    assert.match(`${uid}`, /^[-0-9a-f]{36}$/)
    assert.ok(object && oldObject)
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
    const resource = { group: '', version: 'v1', resource: 'configmaps' }
    assert.deepEqual(rest, {
      kind,
      resource,
      subResource: 'status',
      requestKind: kind,
      requestResource: resource,
      requestSubResource: 'status',
      name: 'x',
      namespace: 'home',
      operation: 'UPDATE',
      userInfo: { username: 'jane', uid: '7', groups: ['dev'], extra: { 'example.com/a': ['b'] } },
      dryRun: false,
      options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    })
  })

  test('asks webhooks about a delete, with the old object alone', async (t) => {
    const { admission, asked } = await start(t, [
      { type: 'mutating', name: 'm' },
      { type: 'validating', name: 'v' },
    ])
    const write = aMap({ operation: 'DELETE', object: undefined, old: { data: { a: '1' } } })
    assert.equal(await admission.mutate(write), undefined)
    await admission.validate(write)
    assert.deepEqual(
      asked.map(({ hook, request }) => [hook, request.operation, request.object, Boolean(request['oldObject'])]),
      [
        ['m', 'DELETE', null, true],
        ['v', 'DELETE', null, true],
      ],
    )
  })

  test('asks a webhook a second time when a later one, or a step after that, has changed the object', async (t) => {
    const count: Decide = ({ object }) => sets('n', `${Number(object?.data?.['n'] ?? 0) + 1}`)
    const again = { type: 'mutating', reinvocationPolicy: 'IfNeeded' } as const
    const { admission, hooks } = await start(t, [
      { ...again, name: 'first' },
      { type: 'mutating', name: 'second', decide: count },
      { ...again, name: 'third' },
    ])
    const object = await admission.mutate(aMap())
    assert.deepEqual(object?.['data'], { a: '1', n: '1' })
    assert.deepEqual(hooks(), ['first', 'second', 'third', 'first'])

    let round = 0
    const step: AdmissionStep = {
      name: 'step',
      mutate: async ({ object }) => (round++ === 0 ? object : { ...object, stepped: true }),
    }
    const other = await start(
      t,
      [
        { ...again, name: 'first', decide: ({ object }) => (object?.data?.['n'] ? {} : sets('n', '1')) },
        { ...again, name: 'second' },
      ],
      [step],
    )
    await other.admission.mutate(aMap())
    assert.deepEqual(other.hooks(), ['first', 'second', 'first', 'second'])
  })

  test('waits for all validating webhooks and tells the first refusal', async (t) => {
    const { admission, hooks } = await start(t, [
      { type: 'validating', name: 'yes' },
      { type: 'validating', name: 'no', decide: () => ({ allowed: false, status: { message: 'why' } }) },
      { type: 'validating', name: 'also' },
    ])
    assert.equal(await outcome(admission.validate(aMap())), '400 : admission webhook "no" denied the request: why')
    assert.deepEqual(hooks().sort(), ['also', 'no', 'yes'])
  })

  test('hands warnings on, also those of a refusal', async (t) => {
    const warnings: string[] = []
    const { admission } = await start(t, [
      { type: 'mutating', name: 'm', decide: () => ({ warnings: ['one', 'two'], allowed: false }) },
    ])
    await outcome(admission.mutate(aMap({ warn: (text: string) => warnings.push(text) })))
    assert.deepEqual(warnings, ['one', 'two'])
  })

  test('follows the failure policy when a webhook cannot be asked, never when it refuses', async (t) => {
    const broken = { type: 'mutating', decide: () => undefined } as const
    const failing = await start(t, [{ ...broken, name: 'm' }])
    assert.equal(
      await outcome(failing.admission.mutate(aMap())),
      '500 InternalError: Internal error occurred: failed calling webhook "m": failed to call webhook: the server could not find the requested resource',
    )
    const ignored = await start(t, [{ ...broken, name: 'm', failurePolicy: 'Ignore' }])
    assert.equal(await outcome(ignored.admission.mutate(aMap())), 'admitted')
    const refusing = await start(t, [
      { type: 'mutating', name: 'm', failurePolicy: 'Ignore', decide: () => ({ allowed: false }) },
    ])
    assert.match(await outcome(refusing.admission.mutate(aMap())), /^400 /)
    const misfit = await start(t, [
      { type: 'mutating', name: 'm', failurePolicy: 'Ignore', decide: () => patch({ op: 'remove', path: '/nope' }) },
    ])
    assert.match(await outcome(misfit.admission.mutate(aMap())), /^500 InternalError: .*nonexistent key: nope/)
  })

  test('does not ask a webhook with side effects in a dry run', async (t) => {
    const { admission, hooks } = await start(t, [{ type: 'mutating', name: 'm', sideEffects: 'Some' }])
    assert.equal(
      await outcome(admission.mutate(aMap({ dryRun: true }))),
      '400 BadRequest: admission webhook "m" does not support dry run',
    )
    assert.deepEqual(hooks(), [])
  })

  test('shows a webhook the version it has rules for, and takes its changes back', async (t) => {
    const onV1 = [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'] }]
    const { admission, asked } = await start(t, [
      { type: 'mutating', name: 'm', rules: onV1, decide: () => patch({ op: 'add', path: '/spec', value: 1 }) },
      { type: 'mutating', name: 'exact', rules: onV1, matchPolicy: 'Exact' },
    ])
    const object = await admission.mutate(aWrite(kinds.widgets, { served: served(kinds.widgets, 'v2') }))
    assert.deepEqual([object?.apiVersion, object?.['spec']], ['example.com/v2', 1])
    assert.deepEqual(
      asked.map(({ hook, request }) => [hook, request['kind'], request['requestKind']]),
      [
        [
          'm',
          { group: 'example.com', version: 'v1', kind: 'Widget' },
          { group: 'example.com', version: 'v2', kind: 'Widget' },
        ],
      ],
    )
  })

  test('goes by match conditions, and by the failure policy where they cannot be told', async (t) => {
    const when = (expression: string) => ({ type: 'mutating', matchConditions: [{ name: 'c', expression }] }) as const
    const { admission, hooks } = await start(t, [
      { ...when("object.data.a == '1'"), name: 'yes' },
      { ...when("object.data.a == '2'"), name: 'no' },
      { ...when("object.data.b == '2'"), name: 'unclear', failurePolicy: 'Ignore' },
    ])
    await admission.mutate(aMap())
    assert.deepEqual(hooks(), ['yes'])
    const strict = await start(t, [{ ...when("object.data.b == '2'"), name: 'unclear' }])
    assert.equal(
      await outcome(strict.admission.mutate(aMap())),
      `403 Forbidden: configmaps "x" is forbidden: expression 'object.data.b == '2'' resulted in error: no such key: b`,
    )
  })

  test('says that a namespace is missing which a selector would have to look at', async (t) => {
    const { admission } = await start(t, [
      { type: 'validating', name: 'v', namespaceSelector: { matchLabels: { a: 'b' } } },
    ])
    assert.equal(
      await outcome(admission.validate(aWrite(kinds.localReviews, { namespace: 'nowhere' }))),
      '404 NotFound: namespaces "nowhere" not found',
    )
  })

  test('F4g: one that could not answer before the control plane was stopped is not ignored', async (t) => {
    const silent = { failurePolicy: 'Ignore', decide: () => new Promise<undefined>(() => {}) }
    for (const type of ['mutating', 'validating'] as const) {
      const { admission, asked } = await start(t, [{ ...silent, type, name: type }])
      const write = aWrite(kinds.configMaps, { object: {} })
      const going = type === 'mutating' ? admission.mutate(write) : admission.validate(write)
      const refused = assert.rejects(going, { code: 503, reason: 'ServiceUnavailable' })
      await eventually('it is asked', () => asked.length > 0)
      admission[Symbol.dispose]()
      await refused
    }
  })
})
