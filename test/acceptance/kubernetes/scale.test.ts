/** Who owns the number of replicas, through a Scale and beside it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { deployments } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Custom } from '../../support/custom-resources.ts'
import { define } from '../../support/custom-resources.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { ownersOf, patchTypes, refusal } from '../../support/patch-scene.ts'

const replicas = { 'f:spec': { 'f:replicas': {} } }
const aDeployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
}

interface Scale {
  metadata: { managedFields?: unknown }
  spec: { replicas?: number }
}

interface Table {
  columnDefinitions: { name: string; type: string }[]
  rows: { cells: unknown[] }[]
}

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const web = admin.of(deployments, namespace)
  await web.create(aDeployment, { fieldManager: 'maker' })
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`
  const patch = (body: unknown, type: keyof typeof patchTypes, query: Record<string, string> = {}) =>
    admin.request<Scale>({ method: 'PATCH', path, body, contentType: patchTypes[type], query })
  const apply = (count: number, manager: string, force = 'false') => {
    const spec = { replicas: count }
    const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec }
    return patch(body, 'apply', { fieldManager: manager, force })
  }
  const owners = async () => {
    const all = ownersOf(await web.get('web'), 'maker', 'scaler', 'one', 'two')
    return all.map(([name, fields]) => [name, hasReplicas(fields)])
  }
  return { admin, namespace, web, patch, apply, owners }
}

const hasReplicas = (fields: object | undefined): boolean =>
  'f:replicas' in ((fields as { 'f:spec'?: object })['f:spec'] ?? {})

describe('a Scale', needsControlPlane, () => {
  test('E6: whoever changes it owns the number, and shows no owners itself', async (t) => {
    const { web, patch, owners } = await start(t)
    const { metadata, spec } = await patch({ spec: { replicas: 3 } }, 'merge', { fieldManager: 'scaler' })
    assert.deepEqual([metadata.managedFields, spec.replicas], [undefined, 3])
    assert.deepEqual(await owners(), [
      ['scaler Update scale', true],
      ['maker Update', false],
    ])
    const entry = (await web.get('web')).metadata.managedFields?.find(({ manager }) => manager === 'scaler')
    assert.deepEqual([entry?.apiVersion, entry?.time, entry?.fieldsV1], ['apps/v1', undefined, replicas])
  })

  test('E10: it is shown as a table, and by its metadata alone', async (t) => {
    const { admin, namespace } = await start(t)
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`
    const as = <T>(form: string) => admin.request<T>({ path, accept: `application/json;as=${form};v=v1;g=meta.k8s.io` })
    const { columnDefinitions, rows } = await as<Table>('Table')
    assert.deepEqual(
      columnDefinitions.map(({ name, type }) => [name, type]),
      [
        ['Name', 'string'],
        ['Desired', 'integer'],
        ['Available', 'integer'],
        ['Age', 'string'],
      ],
    )
    assert.deepEqual(rows[0]?.cells.slice(0, 2), ['web', 1])
    const partial = await as<Scale & { kind: string }>('PartialObjectMetadata')
    assert.deepEqual([partial.kind, partial.spec], ['PartialObjectMetadata', undefined])
  })

  test('E7: it is applied; who else owns the number is told, or overruled', async (t) => {
    const { apply, owners } = await start(t)
    const contested = await refusal(apply(3, 'one'))
    assert.deepEqual(
      [contested.code, contested.message],
      [409, 'Apply failed with 1 conflict: conflict with "maker" using autoscaling/v1: .spec.replicas'],
    )
    assert.equal((await apply(3, 'one', 'true')).spec.replicas, 3)
    await apply(3, 'two')
    assert.deepEqual(await owners(), [
      ['one Apply scale', true],
      ['two Apply scale', true],
      ['maker Update', false],
    ])
    assert.match(
      (await refusal(apply(4, 'two'))).message,
      /conflict with "one" with subresource "scale": \.spec\.replicas$/,
    )
    assert.equal((await apply(4, 'two', 'true')).spec.replicas, 4)
    assert.deepEqual(await owners(), [
      ['two Apply scale', true],
      ['maker Update', false],
    ])
  })

  test('E7: who applied the object before has lost the number to the Scale', async (t) => {
    const { admin, namespace, web, patch } = await start(t)
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', ...aDeployment }
    const again = (force: string) =>
      admin.request({
        method: 'PATCH',
        path: `/apis/apps/v1/namespaces/${namespace}/deployments/web`,
        body: object,
        contentType: patchTypes.apply,
        query: { fieldManager: 'applier', force },
      })
    await again('true')
    await patch({ spec: { replicas: 5 } }, 'merge', { fieldManager: 'scaler' })
    assert.match(
      (await refusal(again('false'))).message,
      /conflict with "scaler" with subresource "scale" using apps\/v1/,
    )
    assert.equal((await web.get('web')).spec?.replicas, 5)
  })

  test('E7: a name or uid of another object is refused', async (t) => {
    const { patch } = await start(t)
    const other = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'other' }, spec: { replicas: 2 } }
    const query = { fieldManager: 'one', force: 'true' }
    const { code, message } = await refusal(patch(other, 'apply', query))
    assert.deepEqual([code, message], [400, 'the name of the object (other) does not match the name on the URL (web)'])
    assert.equal((await refusal(patch({ metadata: { uid: 'nope' } }, 'merge'))).code, 409)
  })
})

const scale = (specReplicasPath: string) => ({ specReplicasPath, statusReplicasPath: '.status.replicas' })
const number = { type: 'integer' }
const schema = (description: string) => ({
  description,
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: number, count: number, color: { type: 'string' } } },
    status: { type: 'object', properties: { replicas: number } },
  },
})

async function custom(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const defined = await define(t, admin, {
    versions: [
      {
        schema: schema('one'),
        subresources: { status: {}, scale: scale('.spec.replicas') },
        selectableFields: [{ jsonPath: '.spec.color' }],
      },
      { schema: schema('two'), subresources: { scale: scale('.spec.count') } },
      { schema: schema('three'), selectableFields: [{ jsonPath: '.spec.count' }] },
    ],
  })
  const widgets = admin.of(defined.of(), namespace)
  await widgets.create({ metadata: { name: 'w' }, spec: { replicas: 1, count: 2, color: 'red' } } as Custom)
  const behind = (version: string, subresource: string) => `${defined.path({ version, namespace })}/w/${subresource}`
  return { admin, namespace, defined, widgets, behind }
}

describe('the subresources of a custom kind', needsControlPlane, () => {
  test('E14: each version has its own', async (t) => {
    const { admin, behind, widgets } = await custom(t)
    const count = async (version: string) =>
      (await admin.request<Scale>({ path: behind(version, 'scale') })).spec.replicas
    assert.deepEqual([await count('v1'), await count('v2')], [1, 2])
    for (const [version, subresource] of [
      ['v2', 'status'],
      ['v3', 'status'],
      ['v3', 'scale'],
    ] as const) {
      const { code, message } = await refusal(admin.request({ path: behind(version, subresource) }))
      assert.deepEqual([code, /^widgets\.\S+ "w" not found$/.test(message)], [404, true], message)
    }
    const merge = { method: 'PATCH', contentType: patchTypes.merge, body: { spec: { replicas: 7 } } } as const
    await admin.request({ ...merge, path: behind('v2', 'scale') })
    assert.deepEqual((await widgets.get('w')).spec, { replicas: 1, count: 7, color: 'red' })
  })

  test('E14: a version without a status subresource takes status with the rest', async (t) => {
    const { admin, namespace, defined, widgets } = await custom(t)
    const body = { status: { replicas: 3 } }
    await admin.of(defined.of('v1'), namespace).patch('w', { type: 'merge', body })
    assert.equal((await widgets.get('w')).status, undefined)
    await admin.of(defined.of('v2'), namespace).patch('w', { type: 'merge', body })
    assert.deepEqual((await widgets.get('w')).status, { replicas: 3 })
  })

  test('E8: a whole list of custom objects says that nothing follows', async (t) => {
    const { admin, namespace, defined } = await custom(t)
    const path = defined.path({ namespace })
    const { metadata } = await admin.request<{ metadata: { continue: string } }>({ path })
    assert.deepEqual([Object.keys(metadata).sort(), metadata.continue], [['continue', 'resourceVersion'], ''])
  })

  test('E6: a Scale is read before anybody looks for what it is of', async (t) => {
    const { admin, defined, namespace } = await custom(t)
    const put = (spec: object, name: string) =>
      refusal(
        admin.request({
          method: 'PUT',
          path: `${defined.path({ namespace })}/none/scale`,
          body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name }, spec },
        }),
      )
    assert.equal((await put({ replicas: 1 }, 'none')).code, 404)
    assert.equal(
      (await put({ replicas: 1 }, 'other')).message,
      'the name of the object (other) does not match the name on the URL (none)',
    )
    assert.equal((await put({ replicas: 'x' }, 'none')).code, 400)
  })

  test('E8: fields are selected by as the version of the request says', async (t) => {
    const { admin, namespace, defined } = await custom(t)
    const found = async (version: string, fieldSelector: string) =>
      (await admin.of(defined.of(version), namespace).list({ fieldSelector })).items.length
    assert.deepEqual([await found('v1', 'spec.color=red'), await found('v1', 'spec.color=blue')], [1, 0])
    assert.deepEqual([await found('v3', 'spec.count=2'), await found('v3', 'spec.count!=2')], [1, 0])
    for (const [version, selector] of [
      ['v1', 'spec.count=2'],
      ['v2', 'spec.color=red'],
      ['v3', 'spec.color=red'],
    ] as const)
      assert.equal((await refusal(found(version, selector))).code, 400)
  })
})
