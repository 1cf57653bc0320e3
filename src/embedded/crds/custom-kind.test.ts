import assert from 'node:assert/strict'
import { test } from 'node:test'
import facts from '../../../test/support/crd-facts/values.json' with { type: 'json' }
import type { DefinitionInput } from '../../../test/support/custom-resources.ts'
import { aDefinition } from '../../../test/support/custom-resources.ts'
import type { Kind, KindVersion, WriteContext } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import { customKind } from './custom-kind.ts'
import type { Definition } from './definition.ts'

const group = 'example.com'
const context = {} as WriteContext
const object = (properties: Record<string, object>) => ({ type: 'object', properties })
const string = { type: 'string' }

const kindOf = (input: DefinitionInput, more: Partial<Definition> = {}): Kind =>
  customKind({ ...(aDefinition({ group, ...input }) as unknown as Definition), ...more })

const first = ({ versions }: Kind): KindVersion => versions[0] as KindVersion

function created(kind: Kind, fields: object, version = first(kind)): ApiObject {
  const sent = { apiVersion: `${group}/${version.name}`, kind: kind.kind, metadata: { name: 'a' }, ...fields }
  const { object } = kind.decode(structuredClone(sent), version)
  kind.rules.defaults?.(object)
  return object
}

test('objects are stored or refused as the real server does it, keyword by keyword', async () => {
  const kind = kindOf({ names: { plural: 'probes', kind: 'Probe' }, versions: [{ spec: object(facts.properties) }] })
  for (const { spec, stored, errors, refusal } of facts.values) {
    const about = JSON.stringify(spec)
    try {
      const made = created(kind, { spec })
      const found = ((await kind.rules.checkCreate?.(made)) ?? []).map(
        ({ reason, field, message }) => `${reason} ${field}: ${message}`,
      )
      assert.deepEqual([...new Set(found)].sort(), [...new Set(errors ?? [])].sort(), about)
      if (stored) assert.deepEqual(made['spec'], stored, about)
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      assert.equal(error.message, refusal, about)
    }
  }
})

test('the kind has the names that were accepted, and its versions by stability', () => {
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] }
  const versions = ['v1beta1', 'odd', 'v1', 'v2', 'v3'].map((name) => ({ name, served: name !== 'v3' }))
  const kind = kindOf({ versions, names: { shortNames: ['wd', 'taken'] } }, { status: { acceptedNames: names } })
  assert.deepEqual([kind.plural, kind.listKind, kind.shortNames], ['widgets', 'WidgetList', ['wd']])
  assert.deepEqual(
    kind.versions.map(({ name }) => name),
    ['v2', 'v1', 'v1beta1', 'odd'],
  )
  assert.deepEqual(
    [kind.storage, kind.storedAs],
    ['widgets.example.com', { apiVersion: 'example.com/v1beta1', kind: 'Widget' }],
  )
})

test('what is stored is shown as its schema is now', () => {
  const kind = kindOf({ versions: [{ spec: object({ kept: string, added: { ...string, default: 'new' } }) }] })
  const stored = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: { kept: 'x', gone: 'y' },
  }
  assert.deepEqual(kind.renew?.(stored, first(kind))['spec'], { kept: 'x', added: 'new' })
})

test('another version has the defaults of the one that is stored, not its own', async () => {
  const kind = kindOf({
    versions: [
      { spec: object({ a: { ...string, default: 'one' } }) },
      { spec: object({ a: string, b: { ...string, default: 'two' } }) },
    ],
  })
  const stored = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: {} }
  const [shown] = (await kind.convert?.([stored], 'example.com/v2')) ?? []
  assert.ok(shown)
  assert.deepEqual([shown.apiVersion, shown['spec']], ['example.com/v2', { a: 'one' }])
  assert.deepEqual(kind.renew?.(shown, first(kind)), shown)
})

test('beside a status subresource, neither creation nor update moves the status, nor does it move the generation', () => {
  const kind = kindOf({
    versions: [{ schema: object({ spec: object({}), status: object({ a: string }) }), subresources: { status: {} } }],
  })
  const made = created(kind, { spec: {}, status: { a: 'x' } })
  kind.rules.prepareCreate?.(made, context)
  assert.equal('status' in made, false)
  const old = { ...made, status: { a: 'old' } }
  const next = { ...made, status: { a: 'new' } }
  kind.rules.prepareUpdate?.(next, old, context)
  assert.deepEqual(next.status, { a: 'old' })
  assert.deepEqual(kind.rules.generationOf?.({ ...old, status: { a: 'z' } }), kind.rules.generationOf?.(old))
})

test('while the objects of a definition are being deleted it takes no new ones, and discovery says so', () => {
  const ending = (status: 'True' | 'False') => kindOf({}, { status: { conditions: [{ type: 'Terminating', status }] } })
  const kind = ending('True')
  assert.throws(() => kind.rules.prepareCreate?.(created(kind, {}), context), {
    code: 403,
    message: 'widgets.example.com "a" is forbidden: create not allowed while custom resource definition is terminating',
  })
  assert.deepEqual(kind.shownVerbs, ['delete', 'deletecollection', 'get', 'list', 'watch'])
  const empty = ending('False')
  empty.rules.prepareCreate?.(created(empty, {}), context)
  assert.equal(empty.shownVerbs, undefined)
})

test('the schema for server-side apply knows the metadata of the object and of those embedded in it', () => {
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({}) } }
  const { schema } = first(kindOf({ versions: [{ spec: object({ template: embedded }) }] }))
  assert.equal(schema.properties?.['metadata']?.properties?.['labels']?.type, 'object')
  const template = schema.properties?.['spec']?.properties?.['template']
  assert.equal(template?.properties?.['metadata']?.properties?.['finalizers']?.type, 'array')
})
