import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Run } from './lifecycle.ts'
import { aborted, isAbort, runTogether } from './lifecycle.ts'

/** Waits for the signal and tells that it stopped. */
const aSibling =
  (stopped: string[], name: string): Run =>
  async (signal) => {
    await aborted(signal)
    stopped.push(name)
  }

test('siblings run until the signal aborts, then all have stopped', async () => {
  const stop = new AbortController()
  const stopped: string[] = []
  const running = runTogether(stop.signal, [aSibling(stopped, 'a'), aSibling(stopped, 'b')])
  stop.abort()
  await running
  assert.deepEqual(stopped, ['a', 'b'])
})

test('when one fails the others are stopped and waited for, and its failure is thrown', async () => {
  const stopped: string[] = []
  const failing: Run = async () => {
    throw new Error('disk full')
  }
  await assert.rejects(runTogether(new AbortController().signal, [aSibling(stopped, 'a'), failing]), /disk full/)
  assert.deepEqual(stopped, ['a'])
})

test('a sibling that throws before it returns a promise counts as failed', async () => {
  const throwing: Run = () => {
    throw new Error('no port')
  }
  await assert.rejects(runTogether(new AbortController().signal, [throwing]), /no port/)
})

test('when one returns the others are stopped and nothing is thrown', async () => {
  const stopped: string[] = []
  await runTogether(new AbortController().signal, [aSibling(stopped, 'a'), async () => {}])
  assert.deepEqual(stopped, ['a'])
})

test('the first failure wins over failures while stopping', async () => {
  const clumsy: Run = async (signal) => {
    await aborted(signal)
    throw new Error('second')
  }
  const failing: Run = async () => {
    throw new Error('first')
  }
  await assert.rejects(runTogether(new AbortController().signal, [clumsy, failing]), /first/)
})

test('a failure while stopping is not swallowed', async () => {
  const clumsy: Run = async (signal) => {
    await aborted(signal)
    throw new Error('could not flush')
  }
  await assert.rejects(runTogether(AbortSignal.abort(), [clumsy]), /could not flush/)
})

test('to stop by throwing the reason of the signal is no failure, plain or wrapped by Node', async () => {
  const stop = new AbortController()
  const runs: Run[] = [
    async (signal) => {
      await aborted(signal)
      signal.throwIfAborted()
    },
    (signal) => delay(60_000, undefined, { signal }),
  ]
  const running = runTogether(stop.signal, runs)
  stop.abort(new Error('enough'))
  await running
})

test('an AbortError of another signal is a failure', async () => {
  const other: Run = (signal) =>
    delay(60_000, undefined, { signal: AbortSignal.any([signal, AbortSignal.abort('other')]) })
  await assert.rejects(runTogether(new AbortController().signal, [other]), { name: 'AbortError' })
})

test('isAbort wants the signal to have aborted', () => {
  const { signal } = new AbortController()
  assert.equal(isAbort(signal.reason, signal), false)
  assert.equal(isAbort(new Error('x'), AbortSignal.abort()), false)
})

test('aborted resolves at once when the signal already has', async () => {
  await aborted(AbortSignal.abort())
})
