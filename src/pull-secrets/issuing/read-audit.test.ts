import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Database } from '../store/database.ts'
import { readAudit } from './read-audit.ts'

function aLog() {
  const writes: { rows: number; end: PromiseWithResolvers<void> }[] = []
  const query = ({ values }: { values: unknown[][] }) => {
    const end = Promise.withResolvers<void>()
    writes.push({ rows: values[0]?.length ?? 0, end })
    return end.promise
  }
  const audit = readAudit({ database: { data: { query } } as unknown as Database, clock: new FakeClock() })
  const entry = { clusterId: 'c', credentialId: 'i', registryId: 'r', actor: { name: 'a' } }
  return { writes, read: (count = 1) => audit(Array.from({ length: count }, () => entry)) }
}

test('a read waits until its entry is written', async () => {
  const { writes, read } = aLog()
  let isOver = false
  const reading = read().then(() => {
    isOver = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isOver, false)
  writes[0]?.end.resolve()
  await reading
})

test('those that come while one is written share the next write', async () => {
  const { writes, read } = aLog()
  const readings = [read(2), read(), read(), read()]
  assert.deepEqual(
    writes.map(({ rows }) => rows),
    [2],
  )
  writes[0]?.end.resolve()
  await readings[0]
  assert.deepEqual(
    writes.map(({ rows }) => rows),
    [2, 3],
  )
  writes[1]?.end.resolve()
  await Promise.all(readings)
})

test('a write that fails fails its reads and no others', async () => {
  const { writes, read } = aLog()
  const [first, second] = [read(), read()]
  writes[0]?.end.reject(new Error('gone'))
  await assert.rejects(first, /gone/)
  writes[1]?.end.resolve()
  await second
})
