import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRequest } from './suites.ts'

test('a suite alone runs all of its files', () => {
  assert.deepEqual(parseRequest(['unit']), { suite: 'unit', only: [], rounds: 10, coverage: false })
})

test('parts of paths and rounds are read in any order', () => {
  const asked = { suite: 'soak', only: ['informer'], rounds: 3, coverage: false }
  assert.deepEqual(parseRequest(['soak', 'informer', '--rounds', '3']), asked)
  assert.deepEqual(parseRequest(['soak', '--rounds', '3', 'informer']), asked)
})

test('coverage is asked for by a flag', () => {
  assert.deepEqual(parseRequest(['unit', '--coverage', 'addons']), {
    suite: 'unit',
    only: ['addons'],
    rounds: 10,
    coverage: true,
  })
})

for (const args of [[], ['integration'], ['unit', '--fast'], ['soak', '--rounds', 'many'], ['soak', '--rounds']]) {
  test(`"${args.join(' ')}" is answered with the usage`, () => {
    assert.match(String(parseRequest(args)), /usage: /)
  })
}
