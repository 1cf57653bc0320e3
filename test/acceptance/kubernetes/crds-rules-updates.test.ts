/** Rules in CEL where objects change: `oldSelf`, the ways to write, the words of a refusal, and what may stay. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Custom, Defined, VersionInput } from '../../support/custom-resources.ts'
import { define, redefine, refusalOf, unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawCall } from '../../support/raw-call.ts'

const object = (properties: Record<string, object>, more: object = {}) => ({ type: 'object', properties, ...more })
const string = { type: 'string', maxLength: 50 }
const integer = { type: 'integer' }
const rules = (...all: (string | object)[]) => ({
  'x-kubernetes-validations': all.map((one) => (typeof one === 'string' ? { rule: one } : one)),
})
const keyedBy = (...keys: string[]) => ({
  type: 'array',
  maxItems: 5,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
})
const merge = (body: object) => ({ type: 'merge', body }) as const

const aWidget = ({ group }: Defined, fields: Pick<Custom, 'spec'>, name = 'a') => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  ...fields,
})

async function start(t: TestContext, version: VersionInput) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const widgets = await define(t, admin, { versions: [version] })
  const here = admin.of(widgets.of(), namespace)
  const create = (spec: Record<string, unknown>, name?: string) =>
    refusalOf(here.create(aWidget(widgets, { spec }, name), { dryRun: true }))
  const update = async (spec: Record<string, unknown>, name = 'a') =>
    refusalOf(here.update({ ...(await here.get(name)), spec }, { dryRun: true }))
  return { plane, admin, namespace, widgets, here, create, update }
}

describe('rules in CEL where objects change', needsControlPlane, () => {
  test('E14r: oldSelf is what a field, a value of a map or an item with the same keys was, and new ones are free', async (t) => {
    const spec = object(
      {
        fixed: { ...string, ...rules('self == oldSelf') },
        growing: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: { ...integer, ...rules('self >= oldSelf') },
        },
        ports: {
          ...keyedBy('name', 'port'),
          items: object(
            { name: string, port: { ...integer, default: 80 }, weight: integer },
            { required: ['name'], ...rules({ rule: 'self.weight >= oldSelf.weight', message: 'shrinks' }) },
          ),
        },
      },
      rules({ rule: '!has(oldSelf.fixed) || has(self.fixed)', message: 'fixed is there to stay' }),
    )
    const { widgets, here, update } = await start(t, { spec })
    const ports = [
      { name: 'x', weight: 1 },
      { name: 'y', weight: 5 },
    ]
    await here.create(aWidget(widgets, { spec: { fixed: 'one', growing: { a: 1 }, ports } }))
    assert.deepEqual(await update({ fixed: 'one', growing: { a: 2, b: -1 }, ports: ports.toReversed() }), [])
    assert.deepEqual(await update({ growing: { a: 0 }, ports: [{ name: 'y', weight: 4 }, ...ports.slice(0, 1)] }), [
      'spec.growing[a]: Invalid value: 0: failed rule: self >= oldSelf',
      'spec.ports[0]: Invalid value: shrinks',
      'spec: Invalid value: fixed is there to stay',
    ])
    assert.deepEqual(await update({ fixed: 'one', ports: [{ name: 'y', port: 81, weight: 0 }] }), [])
    const changed = ['spec.fixed: Invalid value: "two": failed rule: self == oldSelf']
    assert.deepEqual(await update({ fixed: 'two' }), changed)
    assert.deepEqual(await refusalOf(here.patch('a', merge({ spec: { fixed: 'two' } }))), changed)
    const operations = [{ op: 'replace', path: '/spec/fixed', value: 'two' }] as const
    assert.deepEqual(await refusalOf(here.patch('a', { type: 'json', operations: [...operations] })), changed)
    const applied = here.apply(aWidget(widgets, { spec: { fixed: 'two' } }), { fieldManager: 'me', force: true })
    assert.deepEqual(await refusalOf(applied), changed)
    assert.deepEqual((await here.get('a')).spec?.['fixed'], 'one')
  })

  test('E14r: with optionalOldSelf a rule holds for new values too', async (t) => {
    const spec = object({
      a: {
        ...string,
        ...rules({
          rule: "oldSelf.hasValue() || self == 'first'",
          optionalOldSelf: true,
          message: 'begins with first',
        }),
      },
      b: object({ x: integer }, rules({ rule: 'oldSelf.?x.orValue(0) <= self.x', optionalOldSelf: true })),
    })
    const { widgets, here, create, update } = await start(t, { spec })
    assert.deepEqual(await create({ a: 'x', b: { x: -1 } }), [
      'spec.a: Invalid value: "x": begins with first',
      'spec.b: Invalid value: failed rule: oldSelf.?x.orValue(0) <= self.x',
    ])
    await here.create(aWidget(widgets, { spec: { a: 'first', b: { x: 1 } } }))
    assert.deepEqual(await update({ a: 'second', b: { x: 0 } }), [
      'spec.b: Invalid value: failed rule: oldSelf.?x.orValue(0) <= self.x',
    ])
    assert.deepEqual(await update({ a: 'second', b: { x: 2 } }), [])
  })

  test('E14r: lists that are sets or maps are equal in any order, and unknown fields count where they are kept', async (t) => {
    const still = rules('self == oldSelf')
    const spec = object({
      map: { ...keyedBy('k'), items: object({ k: string, x: string }, { required: ['k'] }), ...still },
      set: { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: string, ...still },
      list: { type: 'array', maxItems: 5, items: string, ...still },
      raw: object({ k: string }, { 'x-kubernetes-preserve-unknown-fields': true, ...still }),
    })
    const { widgets, here, update } = await start(t, { spec })
    const map = [{ k: 'a', x: '1' }, { k: 'b' }]
    await here.create(aWidget(widgets, { spec: { map, set: ['a', 'b'], list: ['a', 'b'], raw: { k: 'a', z: 1 } } }))
    assert.deepEqual(await update({ map: map.toReversed(), set: ['b', 'a'], raw: { z: 1, k: 'a' } }), [])
    assert.deepEqual(
      await update({ map: [{ k: 'b' }, { k: 'a', x: '2' }], set: ['b', 'c'], list: ['b', 'a'], raw: { k: 'a', z: 2 } }),
      [
        'spec.list: Invalid value: failed rule: self == oldSelf',
        'spec.map: Invalid value: failed rule: self == oldSelf',
        'spec.raw: Invalid value: failed rule: self == oldSelf',
        'spec.set: Invalid value: failed rule: self == oldSelf',
      ],
    )
  })

  test('E14r: a refusal has the message, reason and path of its rule, or what an expression makes of the value', async (t) => {
    const is = (more: object) => rules({ rule: "self == 'x'", ...more })
    const spec = object({
      plain: { ...string, ...is({ message: ' must be x ' }) },
      forbidden: { ...string, ...is({ message: 'no', reason: 'FieldValueForbidden' }) },
      required: { ...string, ...is({ message: 'yes', reason: 'FieldValueRequired' }) },
      twice: { ...string, ...is({ message: 'no', reason: 'FieldValueDuplicate' }) },
      made: { ...string, ...is({ messageExpression: "'  not ' + self + ' '" }) },
      broken: { ...string, ...is({ messageExpression: "'a\\nb'", message: 'the message' }) },
      empty: { ...string, ...is({ messageExpression: "''" }) },
      failing: { ...string, ...is({ messageExpression: "[''][self.size()]" }) },
      placed: object(
        { x: integer, m: { type: 'object', maxProperties: 5, additionalProperties: integer } },
        rules(
          { rule: 'self.x == 1', message: 'one', fieldPath: '.x' },
          { rule: 'self.x == 1', message: 'one', fieldPath: ".m['a.b']" },
        ),
      ),
      lines: { ...string, ...rules({ rule: "  self ==\n'x'", message: 'm' }) },
      error: {
        type: 'array',
        maxItems: 3,
        items: string,
        ...rules({ rule: "self[5] == 'x'", message: 'the message' }),
      },
    })
    const { create } = await start(t, { spec })
    const y = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'y']))
    const all = {
      ...y('plain', 'forbidden', 'required', 'twice', 'made', 'broken', 'empty', 'failing', 'lines'),
      placed: { x: 2 },
      error: [],
    }
    assert.deepEqual(await create(all), [
      'spec.broken: Invalid value: "y": the message',
      'spec.empty: Invalid value: "y": failed rule: self == \'x\'',
      'spec.error: Invalid value: "array": index out of bounds: 5 evaluating rule: the message',
      'spec.failing: Invalid value: "y": failed rule: self == \'x\'',
      'spec.forbidden: Forbidden: no',
      'spec.lines: Invalid value: "y": m',
      'spec.made: Invalid value: "y": not y',
      'spec.placed.m[a.b]: Invalid value: one',
      'spec.placed.x: Invalid value: one',
      'spec.plain: Invalid value: "y": must be x',
      'spec.required: Required value: yes',
      'spec.twice: Duplicate value: "y"',
    ])
  })

  test('E14r: rules come after defaults, and not at all where an object does not fit its schema', async (t) => {
    const spec = object(
      { a: { ...string, default: 'x', enum: ['x', 'y'] }, b: string, n: { ...integer, minimum: 3 } },
      rules('self.a == self.b'),
    )
    const { create } = await start(t, { spec })
    assert.deepEqual(await create({ b: 'x' }), [])
    assert.deepEqual(await create({ b: 'y' }), ['spec: Invalid value: failed rule: self.a == self.b'])
    const skipped =
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
    assert.deepEqual(await create({ a: 'z', b: 'y' }), [
      skipped,
      'spec.a: Unsupported value: "z": supported values: "x", "y"',
    ])
    assert.deepEqual(await create({ b: 'y', n: 1 }), [
      'spec.n: Invalid value: 1: spec.n in body should be greater than or equal to 3',
      'spec: Invalid value: failed rule: self.a == self.b',
    ])
  })

  test('E14r: rules of the root see the name and the status, and hold for writes of status and scale', async (t) => {
    const schema = {
      ...object({
        spec: object({ a: string, replicas: { ...integer, ...rules({ rule: 'self < 5', message: 'at most 4' }) } }),
        status: object({ a: { ...string, ...rules("self != 'bad'") }, n: { ...integer, ...rules('self >= oldSelf') } }),
      }),
      ...rules(
        { rule: '!has(self.status) || self.status.a != self.spec.a', message: 'status and spec must differ' },
        "self.metadata.name.startsWith('a') && self.kind == 'Widget'",
        { rule: 'self.spec.a == oldSelf.spec.a', fieldPath: '.spec.a' },
      ),
    }
    const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.n' } }
    const { widgets, here, create, update } = await start(t, { schema, subresources })
    assert.deepEqual(await create({ a: 'x' }, 'other'), [
      "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('a') && self.kind == 'Widget'",
    ])
    await here.create(aWidget(widgets, { spec: { a: 'x', replicas: 1 } }))
    const status = (body: object) => refusalOf(here.patch('a', merge({ status: body }), { subresource: 'status' }))
    assert.deepEqual(await status({ a: 'x' }), ['<nil>: Invalid value: status and spec must differ'])
    assert.deepEqual(await status({ a: 'bad' }), ['status.a: Invalid value: "bad": failed rule: self != \'bad\''])
    assert.deepEqual(await status({ a: 'ok', n: 5 }), [])
    assert.deepEqual(await status({ n: 4 }), ['status.n: Invalid value: 4: failed rule: self >= oldSelf'])
    assert.deepEqual(await update({ a: 'ok' }), [
      '<nil>: Invalid value: status and spec must differ',
      'spec.a: Invalid value: failed rule: self.spec.a == oldSelf.spec.a',
    ])
    const scale = (replicas: number) =>
      refusalOf(here.patch('a', merge({ spec: { replicas } }), { subresource: 'scale' }))
    assert.deepEqual(await scale(7), ['spec.replicas: Invalid value: 7: at most 4'])
    assert.deepEqual(await scale(3), [])
  })

  test('E14r: embedded objects have the fields of all objects, and null is no value', async (t) => {
    const whole = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }
    const spec = object({
      pod: { type: 'object', ...whole, ...rules("self.kind == 'Pod'", "self.metadata.name == 'n'") },
      maybe: object({ x: integer }, { nullable: true, ...rules('self.x == 1') }),
      list: { type: 'array', maxItems: 5, items: { ...integer, nullable: true, ...rules('self == 1') } },
    })
    const { create } = await start(t, { spec })
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'n' } }
    assert.deepEqual(await create({ pod, maybe: null, list: [null, 1] }), [])
    assert.deepEqual(await create({ pod: { apiVersion: 'v1', kind: 'Job' }, maybe: {}, list: [2] }), [
      'spec.list[0]: Invalid value: 2: failed rule: self == 1',
      'spec.maybe: Invalid value: "object": no such key: x evaluating rule: self.x == 1',
      'spec.pod: Invalid value: "object": no such key: metadata evaluating rule: self.metadata.name == \'n\'',
      "spec.pod: Invalid value: failed rule: self.kind == 'Pod'",
    ])
  })

  test('E14r: what breaks a rule that came later may stay while it does not change, with a warning', async (t) => {
    const good = rules({ rule: "self != 'bad'", message: 'bad' })
    const specWith = (more: object) =>
      object({
        a: { ...string, ...more },
        b: string,
        list: { ...keyedBy('k'), items: object({ k: string, x: { ...string, ...more } }, { required: ['k'] }) },
      })
    const { plane, admin, namespace, widgets, here, create } = await start(t, { spec: specWith({}) })
    const list = [
      { k: 'one', x: 'bad' },
      { k: 'two', x: 'ok' },
    ]
    await here.create(aWidget(widgets, { spec: { a: 'bad', b: 'b', list } }))
    await redefine(admin, widgets.name, ({ versions: [first] }) => {
      if (first) first.schema = { openAPIV3Schema: object({ spec: specWith(good) }) as object }
    })
    await eventually('the rules hold', async () =>
      (await unlessUnready(create({ a: 'bad' }, 'b')))?.some((error) => error.startsWith('spec.')),
    )
    const patch = async (spec: object) => {
      const path = `${widgets.path({ namespace })}/a`
      const contentType = 'application/merge-patch+json'
      const { code, body, warnings } = await rawCall(plane, { method: 'PATCH', path, body: { spec }, contentType })
      return {
        code,
        warnings: warnings.toSorted(),
        refused: (body.details?.causes ?? []).map(({ field }: { field: string }) => field),
      }
    }
    const warning = (field: string) => `${field}: Invalid value: "bad": bad`
    assert.deepEqual(await patch({ b: 'c' }), {
      code: 200,
      warnings: [warning('spec.a'), warning('spec.list[0].x')],
      refused: [],
    })
    assert.deepEqual(await patch({ list: [{ k: 'two', x: 'bad' }, list[0]] }), {
      code: 422,
      warnings: [warning('spec.a'), warning('spec.list[1].x')],
      refused: ['spec.list[0].x'],
    })
    assert.equal((await patch({ a: 'good' })).code, 200)
    assert.deepEqual((await patch({ a: 'bad' })).refused, ['spec.a'])
  })
})
