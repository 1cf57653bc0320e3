import assert from 'node:assert/strict'
import { test } from 'node:test'
import { named, wordsOf } from './step.ts'

test('a command is split at spaces, but for those in quotes', () => {
  assert.deepEqual(wordsOf(`patch x -p '{"a": 1}' --type=json`), ['patch', 'x', '-p', '{"a": 1}', '--type=json'])
  assert.deepEqual(wordsOf("wait --for=jsonpath='{.a b}'=5"), ['wait', '--for=jsonpath={.a b}=5'])
})

test('a step that comes again is counted', () => {
  const names = named(['get x', { settle: 'wait x' }, 'get x']).map(({ name }) => name)
  assert.deepEqual(names, ['get x', 'wait x', 'get x (2)'])
})
