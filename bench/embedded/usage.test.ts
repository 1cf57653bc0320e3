import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMsOf, memoryOf } from './usage.ts'

test('memory is that of all processes, and one that is gone is not left out', () => {
  const [own, parent] = [memoryOf([process.pid]), memoryOf([process.ppid])]
  assert.ok(own > 2 ** 20)
  assert.ok(memoryOf([process.pid, process.ppid]) > Math.max(own, parent))
  assert.throws(() => memoryOf([process.pid, 2 ** 22 - 1]))
})

test('processor time grows with what a process does', { skip: process.platform !== 'linux' }, () => {
  const before = cpuMsOf([process.pid])
  const busyUntil = process.cpuUsage().user + 100_000
  while (process.cpuUsage().user < busyUntil);
  const used = cpuMsOf([process.pid]) - before
  assert.ok(used >= 80 && used < 5_000, `${used} ms`)
})
