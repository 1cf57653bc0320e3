import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { checkFieldManager, checkPatchParameters, managerName } from './manager-name.ts'

const told = (errors: ReturnType<typeof checkFieldManager>) => errors.map(fieldErrorText)

test('the manager is who the client names, else its program, else unknown', () => {
  assert.equal(managerName('me', 'kubectl/v1.36'), 'me')
  assert.equal(managerName('', 'kubectl/v1.36 (linux) x/y'), 'kubectl')
  assert.equal(managerName(undefined, 'a b é;(x)/2'), 'a b é;(x)')
  assert.equal(managerName(undefined, undefined), 'unknown')
  assert.equal(managerName(undefined, '/1.0'), 'unknown')
})

test('the name of a program is cut to 128 bytes of what can be printed', () => {
  assert.equal(managerName(undefined, 'x'.repeat(200)), 'x'.repeat(128))
  assert.equal(managerName(undefined, 'é'.repeat(100)), 'é'.repeat(64))
  assert.equal(managerName(undefined, 'a\x07b\u00a0c'), 'abc')
})

test('a field manager has at most 128 bytes, all of them printable', () => {
  assert.deepEqual(checkFieldManager('x'.repeat(128)), [])
  assert.deepEqual(told(checkFieldManager(`${'x'.repeat(128)}\x07`)), [
    'fieldManager: Too long: may not be more than 128 bytes',
    `fieldManager: Invalid value: "${'x'.repeat(128)}\\a": invalid character U+0007 (at position 128)`,
  ])
  assert.deepEqual(told(checkFieldManager('é\u00adb')), [
    'fieldManager: Invalid value: "é\\u00adb": invalid character U+00AD (at position 2)',
  ])
})

test('an apply needs a field manager, and nothing else may be forced', () => {
  const required = 'fieldManager: Required value: is required for apply patch'
  assert.deepEqual(told(checkPatchParameters({ isApply: true, fieldManager: '', force: true })), [required])
  assert.deepEqual(told(checkPatchParameters({ isApply: false, fieldManager: '', force: false })), [
    'force: Forbidden: may not be specified for non-apply patch',
  ])
  assert.deepEqual(checkPatchParameters({ isApply: true, fieldManager: 'x', force: true }), [])
})
