import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/support/processor-time.ts'
import type { ApiObject } from '../objects.ts'
import { dropRepeatedOwners } from './repeated-owners.ts'

const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid })
const owned = (ownerReferences: object[]) => ({ metadata: { name: 'x', ownerReferences } }) as unknown as ApiObject

function dropped(object: ApiObject): string[] {
  const warnings: string[] = []
  dropRepeatedOwners(object, (message) => void warnings.push(message), 'sent')
  return warnings
}

test('an owner that is named twice is kept once, whatever the order of its fields, and the client is warned', () => {
  const { apiVersion, kind, name, uid } = owner('1')
  const object = owned([owner('1'), owner('2'), { uid, name, kind, apiVersion }, { ...owner('1'), controller: true }])
  const [warning = '', ...more] = dropped(object)
  assert.match(warning, /contains duplicate entries; .*; duplicate UID\(s\) observed: 1$/)
  assert.deepEqual(more, [])
  assert.deepEqual(object.metadata.ownerReferences, [owner('1'), owner('2'), { ...owner('1'), controller: true }])
})

test('F13g: some ten thousand owners cost milliseconds, not minutes', () => {
  const object = owned(Array.from({ length: 20_000 }, (_, at) => owner(String(at))))
  const usedMs = processorMs(() => assert.deepEqual(dropped(object), []))
  assert.equal(object.metadata.ownerReferences?.length, 20_000)
  assert.ok(usedMs < 2_000, `${usedMs} ms`)
})
