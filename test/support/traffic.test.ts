import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from './fake-clock.ts'
import { startHttpServer } from './http-server.ts'
import { kubeClient } from './kube-client.ts'
import { live, traffic } from './traffic.ts'

test('time does not go on while a call is under way, however long its answer takes', async (t) => {
  const server = await startHttpServer(t)
  server.ignores = () => true
  const clock = new FakeClock()
  const startedAt = clock.now().getTime()
  const secondsOver = () => (clock.now().getTime() - startedAt) / 1_000
  const heard = traffic(clock)
  const client = kubeClient(t, { server: server.url, tls: {} }, { onRequest: heard.onRequest, onCall: heard.onCall })
  const asking = assert.rejects(client.request({ path: '/readyz' }))
  assert.equal(heard.open, 1)
  const living = live(clock, 3, heard)
  // Time enough for those who have nothing under way.
  await live(new FakeClock(), 10, traffic(clock))
  assert.equal(secondsOver(), 1)
  await client.close()
  await asking
  await living
  assert.deepEqual([heard.open, secondsOver()], [0, 3])
})
