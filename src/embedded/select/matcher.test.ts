import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, served } from '../admission/testing/scene.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import type { Entry } from '../storage/store.ts'
import { matches, onlyName, selectionOf, selectsAll } from './matcher.ts'

const colour = ({ colour: value }: ApiObject) => String(value ?? '')

const kindWith = (fields: Record<string, (object: ApiObject) => string>, more: Partial<Kind> = {}): Served =>
  served(
    aKind('', 'Thing', 'things', { versions: [{ name: 'v1', schema: {}, columns: [], selectable: fields }], ...more }),
  )

const things = kindWith({ colour })

const anEntry = (object: object, name = 'a', namespace = 'home'): Entry => ({
  ...{ storage: 'things', namespace, name, revision: 1, writtenAt: 0 },
  text: JSON.stringify({ metadata: { name, namespace }, ...object }),
})

test('labels and fields both have to match', () => {
  const red = anEntry({ metadata: { labels: { on: 'yes' } }, colour: 'red' })
  const plain = anEntry({})
  const selected = (labelSelector: string, fieldSelector: string) =>
    [red, plain].map((entry) => matches(selectionOf(things, { labelSelector, fieldSelector }), entry, things))
  assert.deepEqual(selected('', ''), [true, true])
  assert.deepEqual(selected('on=yes', ''), [true, false])
  assert.deepEqual(selected('!on', ''), [false, true])
  assert.deepEqual(selected('', 'colour=red'), [true, false])
  assert.deepEqual(selected('', 'colour='), [false, true])
  assert.deepEqual(selected('on', 'colour!=red'), [false, false])
  assert.deepEqual(selected('', 'metadata.name=a,metadata.namespace=home'), [true, true])
  assert.deepEqual(selected('', 'metadata.namespace!=home'), [false, false])
})

test('the one name that can match is told', () => {
  const name = (fieldSelector: string) => onlyName(selectionOf(things, { fieldSelector }))
  assert.deepEqual(['metadata.name=a', 'metadata.name!=a', 'colour=red', 'metadata.name='].map(name), [
    ...['a', undefined, undefined, ''],
  ])
  assert.ok(selectsAll(selectionOf(things, { labelSelector: ' ', fieldSelector: ',' })))
  assert.ok(!selectsAll(selectionOf(things, { labelSelector: 'a' })))
})

test('a selector that cannot be understood is the caller’s fault', () => {
  const refusal = (of: Served, asked: { labelSelector?: string; fieldSelector?: string }) => {
    try {
      selectionOf(of, asked)
    } catch (error) {
      assert.ok(error instanceof ApiFailure)
      return `${error.code} ${error.message}`
    }
    return 'taken'
  }
  assert.equal(refusal(things, { labelSelector: 'a b' }).slice(0, 31), '400 unable to parse requirement')
  const common = '400 "foo" is not a known field selector: only "metadata.name", "metadata.namespace"'
  assert.equal(refusal(kindWith({}), { fieldSelector: 'foo=1' }), common)
  assert.equal(refusal(things, { fieldSelector: 'foo=1' }), '400 field label not supported: foo')
  assert.equal(
    refusal(kindWith({}, { custom: true }), { fieldSelector: 'foo=1' }),
    '400 field label not supported: foo',
  )
})

test('what is in no namespace is selected by one only where nothing else is known of the kind', () => {
  const known = (of: Served) => {
    try {
      selectionOf(of, { fieldSelector: 'metadata.namespace=a' })
      return true
    } catch {
      return false
    }
  }
  const cluster = { namespaced: false }
  const kinds = [
    things,
    kindWith({}, cluster),
    kindWith({ colour }, cluster),
    kindWith({}, { ...cluster, custom: true }),
  ]
  assert.deepEqual(kinds.map(known), [true, true, false, false])
})
