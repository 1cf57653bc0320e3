import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { rbacTemplate } from './rbac-template.ts'

test('the text says the same as the objects', () => {
  for (const cluster of [undefined, 'west']) {
    const { role, binding, yaml } = rbacTemplate('hello', cluster)
    assert.deepEqual(
      parseAllDocuments(yaml).map((document) => document.toJS()),
      [role, binding],
    )
  }
})

test('it binds the add-on alone, by token and by certificate', () => {
  const { binding } = rbacTemplate('hello', 'west') as { binding: { subjects: { name: string }[] } }
  assert.deepEqual(
    binding.subjects.map(({ name }) => name),
    ['west-hello-agent', 'system:open-cluster-management:cluster:west:addon:hello'],
  )
})

test('names that would say something else in the text are refused', () => {
  assert.throws(() => rbacTemplate('hello: x'), { code: 'ADDON_NAME_INVALID' })
  assert.throws(() => rbacTemplate('hello', 'west\n'), { code: 'ADDON_PLACE_INVALID' })
})
