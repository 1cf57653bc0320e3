import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { kubeFailure } from '../../test/support/memory-kube.ts'
import { ClusterConfig } from '../apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import type { Log } from '../core/log.ts'
import { silentLog } from '../core/log.ts'
import { noMetrics } from '../core/metrics.ts'
import { randomFrom } from '../core/random.ts'
import type { Kube } from '../kube/kube.ts'
import { onceServed } from './served-kinds.ts'

const [configs, providers] = [ClusterConfig.resource, IdentityProvider.resource]

/** A gate whose parts begin when `answer` lets them, and what was logged. */
function scene(t: TestContext, answer: () => Promise<unknown>) {
  const clock = new FakeClock()
  const lines: string[] = []
  const note = (_: object, message: string) => void lines.push(message)
  const log = { ...silentLog, warn: note, info: note } as Log
  let asked = 0
  const kube = {
    request: () => {
      asked += 1
      return answer()
    },
  } as unknown as Kube
  const deps = { clock, random: randomFrom(() => 0), log, metrics: noMetrics }
  const begin = onceServed(kube, { gate: 'Reach', kinds: [configs, providers] }, deps)
  const stop = new AbortController()
  t.after(() => stop.abort())
  let begun = 0
  const start = () =>
    begin(async () => {
      begun += 1
    })(stop.signal)
  return { clock, lines, start, stop, asked: () => asked, begun: () => begun }
}
const none = () => Promise.reject(kubeFailure(404, 'NotFound'))

test('all parts of a gate wait for its kinds, with one line and ever longer pauses', async (t) => {
  let answer: () => Promise<unknown> = none
  const { clock, lines, start, asked, begun } = scene(t, () => answer())
  const parts = [start(), start()]
  await clock.advance('5m')
  assert.deepEqual([begun(), lines.length], [0, 1])
  assert.ok(asked() < 2 * 20, `${asked()} requests in 5 minutes`)
  answer = async () => ({ resources: [{ name: configs.plural }, { name: providers.plural }] })
  await clock.advance('30s')
  await Promise.all(parts)
  assert.equal(begun(), 2)
  assert.equal(lines.length, 2)
})

test('kinds that come one by one are waited for, unless the rest stays away', async (t) => {
  let served: string[] = []
  const { clock, lines, start, begun } = scene(t, async () => ({ resources: served.map((name) => ({ name })) }))
  const part = start()
  await clock.advance('1s')
  served = [configs.plural]
  await clock.advance('2s')
  assert.deepEqual([begun(), lines.length], [0, 1])
  await clock.advance('30s')
  await part
  assert.equal(begun(), 1)
})

test('a group without the kinds is as good as none; one of them, or a server that does not tell, lets the gate begin', async (t) => {
  const other = scene(t, async () => ({ resources: [{ name: 'others' }] }))
  const waiting = other.start()
  await other.clock.advance('1m')
  assert.equal(other.begun(), 0)
  other.stop.abort()
  await waiting
  assert.equal(other.begun(), 0, 'what was stopped begins nothing')
  for (const answer of [
    async () => ({ resources: [{ name: providers.plural }] }),
    () => Promise.reject(kubeFailure(403, 'Forbidden')),
    () => Promise.reject(kubeFailure(503, 'ServiceUnavailable')),
  ]) {
    const { start, begun, lines } = scene(t, answer)
    await start()
    assert.deepEqual([begun(), lines], [1, []])
  }
})
