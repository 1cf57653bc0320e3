import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseHub } from './choose-hub.ts'

const hub = (server: string, isValid = true, isAwaited = false) => ({ server, isValid, isAwaited })

test('the hub the agent is on is kept while it is valid', () => {
  assert.equal(chooseHub([hub('a'), hub('b')], 'b')?.server, 'b')
})

test('else the first valid one is taken', () => {
  assert.equal(chooseHub([hub('a', false), hub('b'), hub('c')], 'a')?.server, 'b')
  assert.equal(chooseHub([hub('a'), hub('b')], undefined)?.server, 'a')
  assert.equal(chooseHub([hub('a', false)], 'a'), undefined)
})

test('where none is valid, the agent stays on the one it asked', () => {
  const awaited = (server: string) => hub(server, false, true)
  assert.equal(chooseHub([hub('a', false), awaited('b'), awaited('c')], 'c')?.server, 'c')
  assert.equal(chooseHub([hub('a', false), awaited('b'), awaited('c')], undefined)?.server, 'b')
  assert.equal(chooseHub([awaited('a'), hub('b')], 'a')?.server, 'b')
})
