import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { MemoryKube, unreachable } from '../../test/support/memory-kube.ts'
import { Klusterlet } from '../apis/operator/klusterlet.ts'
import { findCondition } from '../core/conditions.ts'
import { reasons } from './reasons.ts'
import { statusWriter } from './status.ts'

const { signal } = new AbortController()
const report = (status: 'True' | 'False') => ({
  conditions: [{ type: 'Available', status, reason: reasons.KlusterletApplyFailed, message: 'so' }],
})

async function scene() {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const collection = kube.of(Klusterlet.resource)
  const written = new Map<string, string>()
  const one = await collection.create({ metadata: { name: 'west' }, spec: {} })
  const write = (status: 'True' | 'False', seen = one, by = collection) =>
    statusWriter(by, seen, { clock, signal, written }).write(report(status))
  const available = async () => findCondition((await collection.get('west')).status?.conditions, 'Available')?.status
  return { kube, collection, write, available }
}

test('the same again is not written, and nothing is asked for it', async () => {
  const { kube, collection, write } = await scene()
  await write('True')
  const seen = await collection.get('west')
  const calls = kube.calls.length
  await write('True', seen)
  assert.equal(kube.calls.length, calls)
})

test('the same as what was there before its own last write is written', async () => {
  const { collection, write, available } = await scene()
  await write('True')
  const old = await collection.get('west')
  await write('False', old)
  await write('True', old)
  assert.equal(await available(), 'True')
})

test('where the answer to its own last write is lost, what was there before it is written again', async () => {
  const { kube, collection, write, available } = await scene()
  await write('True')
  const old = await collection.get('west')
  const losing = kube.through(async (_, proceed) => {
    await proceed()
    throw unreachable()
  })
  await assert.rejects(write('False', old, losing.of(Klusterlet.resource)), unreachable())
  assert.equal(await available(), 'False')
  await write('True', old)
  assert.equal(await available(), 'True')
})

test('of an object that was changed meanwhile nothing is said', async () => {
  const { collection, write, available } = await scene()
  await write('True')
  const old = await collection.get('west')
  await write('False', old)
  await collection.patch('west', { type: 'merge', body: { spec: { namespace: 'other' } } })
  await write('True', old)
  assert.equal(await available(), 'False')
})
