import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import { emptyObject } from './empty-object.ts'
import { ignoredBy } from './ignored-fields.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      default: {},
      required: ['containers', 'name'],
      properties: {
        containers: { type: 'array' },
        name: { type: 'string', default: '' },
        affinity: { type: 'object' },
        template: { type: 'object', default: {}, properties: { since: { type: 'string' } } },
      },
    },
    eventTime: { type: 'string' },
  },
}

test('a new object of a built-in kind has its structure, and null where it shows null', () => {
  const created = { apiVersion: 'v1', kind: 'Pod', metadata: {}, eventTime: null, spec: { template: { since: null } } }
  assert.deepEqual(emptyObject(created, schema), {
    apiVersion: 'v1',
    kind: 'Pod',
    eventTime: null,
    spec: { containers: null, name: '', template: { since: null } },
  })
  const other: ApiObject = { apiVersion: 'v1', kind: 'Pod', metadata: {} }
  assert.deepEqual(emptyObject(other, schema)['spec'], { containers: null, name: '', template: {} })
})

test('a new object of a custom kind has nothing', () => {
  const created = { apiVersion: 'a/v1', kind: 'B', metadata: {}, spec: null }
  assert.deepEqual(emptyObject(created, undefined), { apiVersion: 'a/v1', kind: 'B' })
})

test('a request cannot change the status, nor one to the status the rest', () => {
  const status = { status: { type: 'part', verbs: [], merge: (object: ApiObject) => object } } as const
  const kind = (group: string, plural: string, custom = false) => ({ group, plural, custom })
  assert.deepEqual(ignoredBy(kind('apps', 'daemonsets'), status, ''), [['status']])
  assert.deepEqual(ignoredBy(kind('apps', 'daemonsets'), status, 'status'), [['spec']])
  assert.deepEqual(ignoredBy(kind('apps', 'deployments'), status, 'status'), [['spec'], ['metadata', 'labels']])
  assert.deepEqual(ignoredBy(kind('x.test', 'things', true), status, 'status'), [['metadata'], ['spec']])
  assert.deepEqual(ignoredBy(kind('', 'configmaps'), {}, ''), [])
})
