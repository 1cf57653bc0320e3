/** What others see of somebody who sends the hub all that they can: with the token of a cluster, and without any. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../../src/core/clock.ts'
import { aborted } from '../../../src/core/lifecycle.ts'
import { silentLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { leading } from '../../../src/kube/election.ts'
import { leases } from '../../../src/kube/kinds.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { runInTest } from '../../support/fleet-scene.ts'
import type { Flooded, Target } from '../../support/long-reviews.ts'
import { policiesPath } from '../../support/long-reviews.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'
import type { WebhookFront } from '../../support/webhook-front.ts'
import { hubOverTls } from '../../support/webhook-front.ts'

const asked = { user: 'reader@example.com', verb: 'list', namespace: 'shop' }
const selectorBytes = 1024 * 1024

describe('a hub that is flooded', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: BreakglassScene
  let hub: WebhookFront
  let west: string
  let east: string
  before(async () => {
    scene = await breakglassScene(suite, await startControlPlane(suite, {}))
    hub = await hubOverTls(suite, scene)
    west = await scene.cluster()
    east = await scene.cluster()
    await scene.policy({ rules: [{ verbs: ['list'], apiGroups: [''], resources: ['secrets'] }] })
    await eventually('the policy counts', async () => {
      const path = '/api/breakglass/webhook/authorize'
      const { body } = await scene.ask(
        `${east}/policies`,
        asked.user,
        { verb: 'list' },
        { path, token: await scene.webhookToken(east) },
      )
      return body.status.denied
    })
  })

  /** What the flood saw until it was ended. */
  const flooding = (t: TestScope, target: Target, connections: number) => {
    const workerData = { target, asked, selectorBytes, connections }
    const worker = new Worker(new URL('../../support/flood-worker.ts', import.meta.url), { workerData })
    teardown(t, async () => void (await worker.terminate()))
    return {
      async end(): Promise<Flooded> {
        const told = once(worker, 'message')
        worker.postMessage('end')
        return (await told)[0]
      },
    }
  }

  /** As the API server of a cluster asks that keeps its connections; what it was answered. */
  const asker = async (t: TestScope, cluster: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: hub.caPem })
    teardown(t, () => agent.destroy())
    const headers = { authorization: `Bearer ${await scene.webhookToken(cluster)}` }
    const resourceAttributes = { verb: 'list', group: '', version: 'v1', resource: 'secrets', namespace: 'shop' }
    const spec = { user: asked.user, groups: ['system:authenticated'], resourceAttributes }
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
    return async (): Promise<string> => {
      const asking = request(`${hub.url}${policiesPath(cluster)}`, { method: 'POST', agent, headers })
      const [answer] = await once(asking.end(JSON.stringify(review)), 'response')
      return `${answer.statusCode} ${Buffer.concat(await Array.fromAsync(answer)).toString()}`
    }
  }

  const deniedBy = /^200 .*"denied":true,"reason":"Policy /

  test('F3: while one cluster sends the longest questions, it is denied them, policies of another hold, and the lease is kept', async (t) => {
    const seen = { terms: 0 }
    const election = { clock: systemClock, random: systemRandom, log: silentLog, identity: 'hub', name: 'flooded' }
    runInTest(t, [
      leading(scene.admin, { ...election, namespace: scene.namespace }, async (signal) => {
        seen.terms += 1
        await aborted(signal)
      }),
    ])
    await eventually('it leads', () => seen.terms === 1)
    const lease = async () => (await scene.admin.of(leases, scene.namespace).get('flooded')).spec?.renewTime
    const target = { url: hub.url, caPem: hub.caPem, cluster: west, token: await scene.webhookToken(west) }
    const flood = flooding(t, target, 16)
    const ask = await asker(t, east)
    for (let renewals = 0, last = await lease(); renewals < 2; ) {
      for (let n = 0; n < 20; n += 1) assert.match(await ask(), deniedBy)
      const now = await lease()
      if (now !== last) renewals += 1
      last = now
    }
    const { denied, ...others } = await flood.end()
    assert.deepEqual(others, { noOpinion: 0, refused: 0, unanswered: 0 })
    assert.ok(denied >= 16, `${denied}`)
    assert.equal(seen.terms, 1)
  })

  test('F2: whoever has no token of the cluster is refused before a byte is read, and takes nobody the place', async (t) => {
    const ask = await asker(t, east)
    assert.match(await ask(), deniedBy)
    const token = await scene.webhookToken(east)
    // Of the body there is but the beginning, and there will never be more.
    for (const authorization of ['', `authorization: Bearer ${token}\r\n`]) {
      const socket = tlsConnect({ host: '127.0.0.1', port: Number(new URL(hub.url).port), ca: hub.caPem })
      teardown(t, () => void socket.destroy())
      socket.write(`POST ${policiesPath(west)} HTTP/1.1\r\nhost: h\r\n${authorization}content-length: 900000\r\n\r\n{`)
      const [answer] = await once(socket.setEncoding('utf8'), 'data')
      assert.match(answer, /^HTTP\/1.1 401 /)
    }
    const idle = Array.from({ length: 400 }, () => connect(Number(new URL(hub.url).port), '127.0.0.1'))
    for (const socket of idle) socket.on('error', () => {}).resume()
    teardown(t, () => {
      for (const socket of idle) socket.destroy()
    })
    await eventually('the oldest make room', () => idle.filter(({ closed }) => closed).length >= 144)
    assert.match(await ask(), deniedBy)

    const strangers = flooding(t, { url: hub.url, caPem: hub.caPem, cluster: west }, 100)
    const neighbour = flooding(t, { url: hub.url, caPem: hub.caPem, cluster: west, token }, 16)
    for (let n = 0; n < 200; n += 1) assert.match(await ask(), deniedBy)
    for (const flood of [strangers, neighbour]) {
      const { denied, noOpinion } = await flood.end()
      assert.deepEqual([denied, noOpinion], [0, 0])
    }
    assert.match(await ask(), deniedBy)
  })
})
