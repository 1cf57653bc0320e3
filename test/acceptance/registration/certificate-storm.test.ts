/** Agents whose certificates fell due while they and the hub could not reach the API server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientOptions } from '../../../src/kube/client/index.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import { agentScene, bootstrapKubeconfig, bootstrapUser, joinHub, withHub } from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { traffic } from '../../support/traffic.ts'

const size = 24
/** Renewed between minute 60 and 64. */
const life = { clientCertExpirationSeconds: 4_800 }

test(
  'R88b: certificates that fell due while the API server was away for an hour are renewed once each, spread out',
  needsControlPlane,
  async (t) => {
    const { plane, clock, advance } = await timedPlane(t)
    const proxy = await startFaultProxy(t, plane.url)
    const calls = traffic(clock)
    // The loops of hub and agents live by the fake clock, so a client that tried again by the real one would hide them.
    const client: ClientOptions = { retries: 0, onRequest: calls.onRequest }
    const connection = { ...plane.connection(), server: proxy.url }
    const settings = { autoApprovedUsers: [bootstrapUser] }
    const hub = await joinHub(t, plane, { clock, settings, hub: kubeClient(t, connection, client) })
    const bootstrap = withHub(await bootstrapKubeconfig(plane), { server: proxy.url })
    const agents: AgentScene[] = []
    for (let index = 0; index < size; index += 1)
      agents.push(await agentScene(t, plane, { clock, client, bootstrap, settings: life, cluster: `cluster-${index}` }))
    const isEach = (phase: string) => agents.every(({ agent }) => agent.state().phase === phase)
    await advanceUntil(clock, 'all have joined', () => isEach('joined'), 100)
    const requests = async () => (await hub.admin.of(certificateSigningRequests).list()).items
    assert.equal((await requests()).length, size)
    const first = agents.map(({ agent }) => agent.state().expiresAt?.getTime() ?? 0)

    proxy.refuse()
    proxy.resetAll()
    await advance('50m', 100)
    await advance('14m', 160)
    const lost = calls.count
    console.log(
      'lost',
      lost,
      new Set(
        calls
          .since(0)
          .filter((c) => c.code === 0)
          .map((c) => c.what),
      ),
    )
    assert.equal((await requests()).length, size)
    proxy.heal()
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1_000)
      for (let seen = -1; seen !== calls.count; ) {
        seen = calls.count
        await delay(20)
      }
    }
    const by = new Map<number, number>(),
      made = new Map<number, number>()
    const t0 = clock.now().getTime() - 60000
    for (const c of calls.since(lost)) {
      const s = Math.floor((c.at - t0) / 1000)
      by.set(s, (by.get(s) ?? 0) + 1)
      if (c.what.startsWith('POST certificatesigning')) made.set(s, (made.get(s) ?? 0) + 1)
    }
    console.log(by, made, calls.busiest(lost), calls.count - lost)
    const whats = new Map<string, number>()
    for (const c of calls.since(lost)) {
      const k = `${c.watch ? 'W ' : ''}${c.what} ${c.code}`
      whats.set(k, (whats.get(k) ?? 0) + 1)
    }
    console.log(whats)
    await eventually('all are renewed', async () => (await requests()).length >= 2 * size)
    assert.equal((await requests()).length, 2 * size)
    console.log(first.length)
  },
)
