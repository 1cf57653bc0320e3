/** What becomes of the objects of a custom kind: defaults, pruning, generations, subresources, columns. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { KubeFailure } from '../../../src/kube/failures.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Custom, Defined } from '../../support/custom-resources.ts'
import { define, redefine, unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawCall } from '../../support/raw-call.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  return { plane, admin, namespace: await freshNamespace(t, admin) }
}

const object = (properties: Record<string, object>, more: object = {}) => ({ type: 'object', properties, ...more })
const string = { type: 'string' }
const integer = { type: 'integer' }

const aWidget = (widgets: Defined, fields: Custom = {}, version = 'v1'): Custom => ({
  apiVersion: `${widgets.group}/${version}`,
  kind: 'Widget',
  metadata: { name: 'a' },
  ...fields,
})

interface Table {
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[]
  rows: { cells: unknown[] }[]
}

const tableOf = (kube: Kube, path: string) =>
  kube.request<Table>({ path, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })

describe('objects of custom kinds', needsControlPlane, () => {
  test('E14a: defaults are filled in on creation, parents before children, and null is the same as absent', async (t) => {
    const { admin, namespace } = await start(t)
    const nested = object({ protocol: { ...string, default: 'TCP' }, port: integer })
    const spec = object({
      size: { ...integer, default: 1 },
      main: { ...nested, default: {} },
      spare: nested,
      ports: { type: 'array', items: nested },
      note: { ...string, default: 'none', nullable: true },
    })
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const made = await admin
      .of(widgets.of(), namespace)
      .create(aWidget(widgets, { spec: { size: null, ports: [{ port: 1 }], note: null } }))
    assert.deepEqual(made.spec, {
      size: 1,
      main: { protocol: 'TCP' },
      ports: [{ port: 1, protocol: 'TCP' }],
      note: null,
    })
  })

  test('E14a: a default that a schema gains later is there on reading, and a field that it loses is not', async (t) => {
    const { admin, namespace } = await start(t)
    const widgets = await define(t, admin, { versions: [{ spec: object({ old: string, kept: string }) }] })
    const here = admin.of(widgets.of(), namespace)
    const made = await here.create(aWidget(widgets, { spec: { old: 'x', kept: 'y' } }))
    await redefine(admin, widgets.name, ({ versions: [first] }) => {
      if (first)
        first.schema = {
          openAPIV3Schema: object({ spec: object({ kept: string, added: { ...string, default: 'new' } }) }) as object,
        }
    })
    const read = await eventually('the new schema holds', async () => {
      const found = await unlessUnready(here.get('a'))
      return found?.spec?.['added'] === 'new' && found
    })
    assert.deepEqual(read.spec, { kept: 'y', added: 'new' })
    assert.equal(read.metadata.resourceVersion, made.metadata.resourceVersion)
    const { items } = await here.list()
    assert.deepEqual(
      items.map((item) => item.spec),
      [{ kept: 'y', added: 'new' }],
    )
    const written = await here.update({ ...read, spec: { ...read.spec, old: 'again' } })
    assert.deepEqual(written.spec, { kept: 'y', added: 'new' })
  })

  test('E14a: unknown fields are pruned, except where the schema preserves them', async (t) => {
    const { admin, namespace } = await start(t)
    const preserve = { 'x-kubernetes-preserve-unknown-fields': true }
    const spec = object({
      known: string,
      raw: { type: 'object', ...preserve },
      partly: object({ inner: object({ a: string }) }, preserve),
      map: { type: 'object', additionalProperties: object({ a: string }) },
    })
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const made = await admin.of(widgets.of(), namespace).create(
      aWidget(widgets, {
        extra: 1,
        spec: {
          known: 'x',
          unknown: 1,
          raw: { any: [{ thing: null }] },
          partly: { other: 1, inner: { a: 'x', b: 'y' } },
          map: { k: { a: 'x', b: 'y' } },
        },
      }),
    )
    assert.deepEqual(made.spec, {
      known: 'x',
      raw: { any: [{ thing: null }] },
      partly: { other: 1, inner: { a: 'x' } },
      map: { k: { a: 'x' } },
    })
    assert.equal('extra' in made, false)
  })

  test('E14a: lists that are sets or maps refuse what they hold already', async (t) => {
    const { admin, namespace } = await start(t)
    const spec = object({
      set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
      map: {
        type: 'array',
        items: object({ key: string, port: { ...integer, default: 80 } }, { required: ['key'] }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['key', 'port'],
      },
    })
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const create = (fields: Record<string, unknown>) =>
      admin.of(widgets.of(), namespace).create(aWidget(widgets, { spec: fields }), { dryRun: true })
    await create({ set: ['a', 'b'], map: [{ key: 'a' }, { key: 'a', port: 81 }] })
    const invalid = `Widget.${widgets.group} "a" is invalid:`
    await assert.rejects(create({ set: ['a', 'b', 'a'] }), { message: `${invalid} spec.set[2]: Duplicate value: "a"` })
    await assert.rejects(create({ map: [{ key: 'a' }, { key: 'a', port: 80 }] }), {
      message: `${invalid} spec.map[1]: Duplicate value: {"key":"a","port":80}`,
    })
  })

  test('E14a: a field that is an integer or a string takes either and nothing else', async (t) => {
    const { admin, namespace } = await start(t)
    const spec = object({
      most: {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: '^\\d+%$',
      },
    })
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const create = (most: unknown) =>
      admin.of(widgets.of(), namespace).create(aWidget(widgets, { spec: { most } }), { dryRun: true })
    assert.deepEqual((await create(5)).spec, { most: 5 })
    assert.deepEqual((await create('5%')).spec, { most: '5%' })
    await assert.rejects(create('five'), {
      message: /spec\.most: Invalid value: "five": spec\.most in body should match '\^\\d\+%\$'$/,
    })
    await assert.rejects(create(true), { message: /spec\.most in body must be of type integer,string: "boolean"/ })
  })

  test('E14a: the generation moves with everything but metadata and, beside a status subresource, status', async (t) => {
    const { admin, namespace } = await start(t)
    const schema = object({ spec: object({ a: string }), status: object({ b: string }), other: string })
    const generations = async (subresources: object) => {
      const widgets = await define(t, admin, { versions: [{ schema, subresources }] })
      const here = admin.of(widgets.of(), namespace)
      const seen: unknown[] = []
      let current = await here.create(aWidget(widgets, { spec: { a: '1' }, status: { b: '1' } }))
      const put = async (fields: Custom) => {
        current = await here.update({ ...current, ...fields })
        seen.push(current.metadata.generation)
      }
      seen.push(current.metadata.generation)
      await put({ metadata: { ...current.metadata, labels: { l: '1' } } })
      await put({ spec: { a: '2' } })
      await put({ other: 'x' })
      await put({ status: { b: '2' } })
      await here.delete('a')
      return seen
    }
    assert.deepEqual(await generations({ status: {} }), [1, 1, 2, 3, 3])
    assert.deepEqual(await generations({}), [1, 1, 2, 3, 4])
  })

  test('E14a: an update must name the version that it replaces', async (t) => {
    const { admin, namespace } = await start(t)
    const widgets = await define(t, admin)
    const here = admin.of(widgets.of(), namespace)
    await here.create(aWidget(widgets))
    await assert.rejects(here.update(aWidget(widgets, { spec: { a: 1 } })), {
      code: 422,
      message: `widgets.${widgets.group} "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    })
  })

  test('E14a: with a status subresource, status moves through it alone and nothing else does', async (t) => {
    const { admin, namespace } = await start(t)
    const schema = object({ spec: object({ a: integer }), status: object({ ready: integer }) })
    const widgets = await define(t, admin, { versions: [{ schema, subresources: { status: {} } }] })
    const here = admin.of(widgets.of(), namespace)
    const made = await here.create(aWidget(widgets, { spec: { a: 1 }, status: { ready: 1 } }))
    assert.equal(made.status, undefined)
    const moved = await here.update(
      {
        ...made,
        spec: { a: 2 },
        status: { ready: 2 },
        metadata: { ...made.metadata, labels: { l: 'x' }, finalizers: ['a.example/b'] },
      },
      { subresource: 'status' },
    )
    assert.deepEqual([moved.spec, moved.status, moved.metadata.labels], [{ a: 1 }, { ready: 2 }, undefined])
    assert.equal(moved.metadata.finalizers, undefined)
    const changed = await here.update({ ...moved, spec: { a: 3 }, status: { ready: 9 } })
    assert.deepEqual([changed.spec, changed.status, changed.metadata.generation], [{ a: 3 }, { ready: 2 }, 2])
    await assert.rejects(
      here.update({ ...changed, status: { ready: 'x' } as Record<string, unknown> }, { subresource: 'status' }),
      {
        message: `Widget.${widgets.group} "a" is invalid: status.ready: Invalid value: "string": ready in body must be of type integer: "string"`,
      },
    )
  })

  test('E14a: a scale subresource shows and sets replicas where the definition says they are', async (t) => {
    const { admin, namespace } = await start(t)
    const schema = object({
      spec: object({ replicas: integer }),
      status: object({ replicas: integer, selector: string }),
    })
    const scale = {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    }
    const widgets = await define(t, admin, { versions: [{ schema, subresources: { status: {}, scale } }] })
    const here = admin.of(widgets.of(), namespace)
    const path = `${widgets.path({ namespace })}/a/scale`
    const made = await here.create(aWidget(widgets, { spec: { replicas: 2 } }))
    await here.update({ ...made, status: { replicas: 1, selector: 'a=b' } }, { subresource: 'status' })
    interface Scale {
      apiVersion: string
      kind: string
      metadata: Record<string, unknown>
      spec: { replicas?: number }
      status: object
    }
    const shown = await admin.request<Scale>({ path })
    assert.deepEqual([shown.apiVersion, shown.kind], ['autoscaling/v1', 'Scale'])
    assert.deepEqual([shown.spec, shown.status], [{ replicas: 2 }, { replicas: 1, selector: 'a=b' }])
    assert.deepEqual(Object.keys(shown.metadata).sort(), [
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ])
    const put = (body: object) => admin.request<Scale>({ method: 'PUT', path, body, contentType: 'application/json' })
    assert.deepEqual((await put({ ...shown, spec: { replicas: 5 } })).spec, { replicas: 5 })
    const scaled = await here.get('a')
    assert.deepEqual([scaled.spec, scaled.metadata.generation], [{ replicas: 5 }, 2])
    await assert.rejects(put({ ...shown, spec: { replicas: 6 } }), { code: 409, reason: 'Conflict' })
    await assert.rejects(put({ ...shown, metadata: { name: 'a', namespace }, spec: { replicas: -1 } }), {
      message: `Widget.${widgets.group} "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer`,
    })
    await here.create({ ...aWidget(widgets), metadata: { name: 'b' }, spec: {} })
    await assert.rejects(admin.request({ path: path.replace('/a/', '/b/') }), {
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    })
  })

  test('E14a: a table has the name and the age, or the columns that the definition names', async (t) => {
    const { admin, namespace } = await start(t)
    const plain = await define(t, admin)
    await admin.of(plain.of(), namespace).create(aWidget(plain))
    const simple = await tableOf(admin, plain.path({ namespace }))
    assert.deepEqual(
      simple.columnDefinitions.map(({ name, type, format, priority }) => [name, type, format, priority]),
      [
        ['Name', 'string', 'name', 0],
        ['Age', 'date', '', 0],
      ],
    )
    assert.equal(simple.rows[0]?.cells[0], 'a')
    assert.match(String(simple.rows[0]?.cells[1]), /^\d+s$/)

    const paths: [type: string, jsonPath: string, cell: unknown][] = [
      ['string', '.spec.text', 'text'],
      ['string', '.spec.number', '3'],
      ['string', '.spec.missing', null],
      ['string', '.spec.object', '{"a":1,"b":2}'],
      ['string', '.spec.list[0]', 'x'],
      ['string', '.spec.list[-1]', 'z'],
      ['string', '.spec.list[9]', null],
      ['string', '.spec.list[*]', 'x'],
      ['string', '.spec.list[1:]', 'y'],
      ['string', '.spec.conditions[?(@.type=="Ready")].status', 'True'],
      ['string', '.spec.conditions[?(@.age>1)].type', 'Old'],
      ['string', '.metadata.labels.example\\.com/name', 'labelled'],
      ['integer', '.spec.number', 3],
      ['integer', '.spec.fraction', 1],
      ['integer', '.spec.text', null],
      ['number', '.spec.fraction', 1.5],
      ['boolean', '.spec.flag', true],
      ['date', '.spec.text', '<invalid>'],
      ['date', '.spec.missing', null],
    ]
    const additionalPrinterColumns = paths.map(([type, jsonPath], index) => ({ name: `C${index}`, type, jsonPath }))
    const described = { name: 'Last', type: 'string', jsonPath: '.spec.text', description: 'at last', priority: 1 }
    const columned = await define(t, admin, {
      versions: [{ additionalPrinterColumns: [...additionalPrinterColumns, described] }],
    })
    await admin.of(columned.of(), namespace).create(
      aWidget(columned, {
        metadata: { name: 'a', labels: { 'example.com/name': 'labelled' } },
        spec: {
          text: 'text',
          number: 3,
          fraction: 1.5,
          flag: true,
          object: { b: 2, a: 1 },
          list: ['x', 'y', 'z'],
          conditions: [
            { type: 'Ready', status: 'True', age: 1 },
            { type: 'Old', status: 'False', age: 2 },
          ],
        },
      }),
    )
    const table = await tableOf(admin, columned.path({ namespace }))
    assert.deepEqual(table.rows[0]?.cells, ['a', ...paths.map(([, , cell]) => cell), 'text'])
    assert.equal(
      table.columnDefinitions[1]?.description,
      'Custom resource definition column (in JSONPath format): .spec.text',
    )
    assert.deepEqual(table.columnDefinitions.at(-1), {
      name: 'Last',
      type: 'string',
      format: '',
      description: 'at last',
      priority: 1,
    })
  })

  test('E14a: objects are selected by the fields that the definition names, and by no others', async (t) => {
    const { admin, namespace } = await start(t)
    const spec = object({ color: string, size: integer, hidden: string })
    const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }]
    const widgets = await define(t, admin, { versions: [{ spec, selectableFields }] })
    const here = admin.of(widgets.of(), namespace)
    await here.create(aWidget(widgets, { spec: { color: 'red', size: 1 } }))
    await here.create({ ...aWidget(widgets, { spec: { color: 'blue', size: 2 } }), metadata: { name: 'b' } })
    const select = async (fieldSelector: string) =>
      (await here.list({ fieldSelector })).items.map(({ metadata }) => metadata.name)
    assert.deepEqual(await select('spec.color=red'), ['a'])
    assert.deepEqual(await select('spec.size=2'), ['b'])
    assert.deepEqual(await select('spec.color!=red,metadata.name=b'), ['b'])
    await assert.rejects(select('spec.hidden=x'), { code: 400, message: 'field label not supported: spec.hidden' })
  })

  test('E14a: requests to a deprecated version are warned', async (t) => {
    const { plane, admin, namespace } = await start(t)
    const widgets = await define(t, admin, {
      versions: [{}, { deprecated: true }, { deprecated: true, deprecationWarning: 'use v1, please' }],
    })
    const warnings = async (version: string) =>
      (await rawCall(plane, { path: widgets.path({ version, namespace }) })).warnings
    assert.deepEqual(await warnings('v1'), [])
    assert.deepEqual(await warnings('v2'), [`${widgets.group}/v2 Widget is deprecated`])
    assert.deepEqual(await warnings('v3'), ['use v1, please'])
  })

  test('E14a: embedded objects have a kind and metadata of their own', async (t) => {
    const { admin, namespace } = await start(t)
    const template = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: object({ a: string }) },
    }
    const widgets = await define(t, admin, { versions: [{ spec: object({ template }) }] })
    const create = (fields: object) =>
      admin.of(widgets.of(), namespace).create(aWidget(widgets, { spec: { template: fields } }), { dryRun: true })
    const made = await create({
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', labels: { a: 'b' }, odd: 1 },
      spec: { a: 'x', b: 1 },
      more: 1,
    })
    assert.deepEqual(made.spec?.['template'], {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', labels: { a: 'b' } },
      spec: { a: 'x' },
    })
    await assert.rejects(create({}), (error) => {
      assert.ok(error instanceof KubeFailure)
      const fields = error.details?.causes?.map(({ field, message }) => `${field}: ${message}`).sort()
      assert.deepEqual(fields, ['spec.template.apiVersion: Required value', 'spec.template.kind: Required value'])
      return true
    })
  })
})
