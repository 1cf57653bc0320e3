import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import { controllerNames, selectedControllers } from './selection.ts'

const all = Object.keys(controllerNames)

test('a star is all of them, nothing is none', () => {
  assert.deepEqual(selectedControllers(['*']), all)
  assert.deepEqual(selectedControllers([]), [])
  assert.deepEqual(selectedControllers(['']), [])
})

test('a name is one, by its present name or by the one it had', () => {
  assert.deepEqual(selectedControllers(['csrsigning', 'namespace-controller']), [
    'namespace-controller',
    'certificatesigningrequest-signing-controller',
  ])
})

test('a name with a minus is all but that one', () => {
  assert.deepEqual(
    selectedControllers(['*', '-csrsigning']),
    all.filter((name) => name !== 'certificatesigningrequest-signing-controller'),
  )
})

test('a name that is none is refused', () => {
  assert.throws(
    () => selectedControllers(['*', '-csrsinging']),
    (error) => isFailure(error, 'CONTROLLER_UNKNOWN') && /csrsinging/.test(error.message),
  )
})
