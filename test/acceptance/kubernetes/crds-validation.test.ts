/** What a CustomResourceDefinition may say, and what its objects are held to, in the words of the API server. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { KubeFailure } from '../../../src/kube/failures.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import definitions from '../../support/crd-facts/definitions.json' with { type: 'json' }
import schemas from '../../support/crd-facts/schemas.json' with { type: 'json' }
import values from '../../support/crd-facts/values.json' with { type: 'json' }
import { aDefinition, define, refusalOf } from '../../support/custom-resources.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { inParallel } from '../../support/in-parallel.ts'
import { kubeClient } from '../../support/kube-client.ts'

async function start(t: TestContext) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  return { admin, namespace: await freshNamespace(t, admin) }
}

const told = (errors: readonly string[]): string[] => [...new Set(errors)].sort()

const refused = (kube: Kube, definition: object): Promise<string[]> =>
  refusalOf(
    kube
      .of(customResourceDefinitions)
      .create(definition as ReturnType<typeof aDefinition>, { dryRun: true, fieldValidation: 'Ignore' }),
  )

describe('custom resource definitions and what they ask of objects', needsControlPlane, () => {
  test('E14a: a schema must be structural, and every violation is told by its place and rule', async (t) => {
    const { admin } = await start(t)
    await inParallel(schemas, async ({ schema, errors }) => {
      const definition = aDefinition({ versions: [{ spec: schema }] })
      const expected = errors.map((error) =>
        error.replaceAll('SCHEMA', 'spec.validation.openAPIV3Schema.properties[spec]'),
      )
      assert.deepEqual(await refused(admin, definition), told(expected), JSON.stringify(schema))
    })
  })

  test('E14a: names, versions, columns, subresources, selectable fields and conversion are checked', async (t) => {
    const { admin } = await start(t)
    await inParallel(definitions, async ({ name, spec, errors }) => {
      const definition = { ...aDefinition(), metadata: { name }, spec }
      assert.deepEqual(await refused(admin, definition), told(errors), JSON.stringify(spec))
    })
  })

  test('E14a: objects are checked, defaulted, pruned and refused by their schema, keyword by keyword', async (t) => {
    const { admin, namespace } = await start(t)
    const probes = await define(t, admin, { versions: [{ spec: { type: 'object', properties: values.properties } }] })
    const collection = admin.of(probes.of(), namespace)
    await inParallel(values.values, async (expected) => {
      const about = JSON.stringify(expected.spec)
      try {
        const { spec } = await collection.create({ ...aWidget(probes.group), spec: expected.spec }, { dryRun: true })
        assert.deepEqual(spec, expected.stored, about)
      } catch (error) {
        if (!(error instanceof KubeFailure)) throw error
        const causes = (error.details?.causes ?? []).map(
          ({ reason, field, message }) => `${reason} ${field}: ${message}`,
        )
        if (expected.errors) assert.deepEqual(told(causes), told(expected.errors), about)
        else assert.equal(error.message, expected.refusal?.replaceAll('Probe', 'Widget'), about)
      }
    })
  })

  test('E14a: several errors stand in one message, behind the kind and name of the object', async (t) => {
    const { admin, namespace } = await start(t)
    const spec = {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer' }, tag: { maxLength: 3, type: 'string' } },
    }
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const create = (fields: object) =>
      admin.of(widgets.of(), namespace).create({ ...aWidget(widgets.group), spec: { ...fields } })
    await assert.rejects(create({}), {
      code: 422,
      reason: 'Invalid',
      message: `Widget.${widgets.group} "a" is invalid: spec.size: Required value`,
    })
    await assert.rejects(create({ tag: 'long' }), (error) => {
      assert.ok(error instanceof KubeFailure)
      assert.match(error.message, new RegExp(`^Widget.${widgets.group} "a" is invalid: \\[spec`))
      const { name, group, kind, causes } = error.details ?? {}
      assert.deepEqual([name, group, kind], ['a', widgets.group, 'Widget'])
      assert.deepEqual(told((causes ?? []).map(({ field, message }) => `${field}: ${message}`)), [
        'spec.size: Required value',
        'spec.tag: Too long: may not be more than 3 bytes',
      ])
      return true
    })
  })

  test('E14a: metadata of the wrong type is a bad request, and strict validation names unknown fields', async (t) => {
    const { admin, namespace } = await start(t)
    const inner = { type: 'object', properties: { a: { type: 'string' } } }
    const spec = { type: 'object', properties: { one: inner, many: { type: 'array', items: inner } } }
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const post = (fields: object, fieldValidation = 'Strict') =>
      admin.request({
        method: 'POST',
        path: widgets.path({ namespace }),
        query: { dryRun: 'All', fieldValidation },
        contentType: 'application/json',
        body: { ...aWidget(widgets.group), ...fields },
      })
    const cannot = 'Widget in version "v1" cannot be handled as a Widget:'
    const wrong: [fields: object, message: string][] = [
      [
        { metadata: { name: 'a', labels: { a: 1 } } },
        `${cannot} json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
      ],
      [{ metadata: 'x' }, `${cannot} json: cannot unmarshal string into Go value of type v1.ObjectMeta`],
      [
        { metadata: { name: 'a', bar: 1 }, foo: 1, spec: { x: 1, one: { z: 1 }, many: [{ a: 'x' }, { b: 1 }] } },
        `${cannot} strict decoding error: unknown field "metadata.bar", unknown field "foo", unknown field "spec.many[1].b", unknown field "spec.one.z", unknown field "spec.x"`,
      ],
    ]
    for (const [fields, message] of wrong)
      await assert.rejects(post(fields), { code: 400, reason: 'BadRequest', message })
    await post({ foo: 1, spec: { x: 1 } }, 'Ignore')
  })

  test('E14a: what an update must not touch is told as immutable', async (t) => {
    const { admin } = await start(t)
    const widgets = await define(t, admin)
    const crds = admin.of(customResourceDefinitions)
    const changed = async (change: (definition: Awaited<ReturnType<typeof crds.get>>) => unknown) => {
      const current = await crds.get(widgets.name)
      change(current)
      return refusalOf(crds.update(current, { dryRun: true }))
    }
    assert.deepEqual(await changed(({ spec }) => Object.assign(spec, { scope: 'Cluster' })), [
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ])
    assert.deepEqual(await changed(({ spec }) => Object.assign(spec, { group: 'other.example.com' })), [
      'spec.group: Invalid value: "other.example.com": field is immutable',
    ])
    assert.deepEqual(await changed(({ spec }) => Object.assign(spec.names, { kind: 'Gadget' })), [
      'spec.names.kind: Invalid value: "Gadget": field is immutable',
    ])
    assert.deepEqual(await changed(({ spec }) => Object.assign(spec.versions[0] ?? {}, { name: 'v2' })), [
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ])
    assert.deepEqual(
      await changed(({ metadata }) => void delete (metadata as { resourceVersion?: string }).resourceVersion),
      ['metadata.resourceVersion: Invalid value: 0: must be specified for an update'],
    )
  })

  test('E14a: groups of the Kubernetes project ask for an approval', async (t) => {
    const { admin } = await start(t)
    const definition = aDefinition({ group: 'crds-test.k8s.io' })
    const field = 'metadata.annotations[api-approved.kubernetes.io]'
    const demand = 'protected groups must have approval annotation "api-approved.kubernetes.io"'
    const reference = 'see https://github.com/kubernetes/enhancements/pull/1111'
    assert.deepEqual(await refused(admin, definition), [`${field}: Required value: ${demand}, ${reference}`])
    const annotated = (value: string) => ({
      ...definition,
      metadata: { ...definition.metadata, annotations: { 'api-approved.kubernetes.io': value } },
    })
    assert.deepEqual(await refused(admin, annotated('perhaps')), [
      `${field}: Invalid value: "perhaps": ${demand} with either a URL or a reason starting with "unapproved", ${reference}`,
    ])
    assert.deepEqual(await refused(admin, annotated('unapproved, a test')), [])
  })
})

const aWidget = (group: string) => ({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' } })
