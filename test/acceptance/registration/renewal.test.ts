/** How an agent renews its certificate. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { agentOrder, csrObject } from '../../../src/fleet/csr/request.ts'
import { agentUser, clusterGroup, conditions, labels } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, events, secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { generateKey, readCertificate } from '../../../src/pki/index.ts'
import { reasons } from '../../../src/registration/reasons.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import type { AgentScene } from '../../support/agent-scene.ts'
import {
  agentScene,
  approve,
  bootstrapKubeconfig,
  bootstrapUser,
  decide,
  isJoined,
  joinHub,
  letIn,
  pendingCsr,
  withHub,
} from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const life = { clientCertExpirationSeconds: 600 }

describe('a certificate is renewed', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let hub: HubScene
  before(async () => {
    timed = await timedPlane(suite)
    hub = await joinHub(suite, timed.plane, { clock: timed.clock })
  })
  /** The plane's own time; or, where that is real, time that begins at the present for each test. */
  function time(): Pick<TimedPlane, 'clock' | 'advance'> {
    if (timed.ownsTime) return timed
    const clock = new FakeClock(new Date())
    return { clock, advance: (by) => clock.advance(by) }
  }
  const rotated = (scene: AgentScene, status: string, reason: string) =>
    eventually(`the condition is ${status}/${reason}`, async () => {
      const condition = await scene.condition(conditions.certificateRotated)
      return condition?.status === status && condition.reason === reason ? condition : undefined
    })
  const another = (scene: AgentScene, old: string | undefined) => {
    let looks = 0
    return eventually('it has another certificate', async () => {
      looks += 1
      // What the hub looks at again, it does by its clock: a right that the API server has not heard of yet.
      if (looks > 20) await timed.clock.advance(200)
      const texts = await scene.secret()
      return texts?.['tls.crt'] !== undefined && texts['tls.crt'] !== old ? texts : undefined
    })
  }
  const message = (certPem: string) => {
    const whole = (date: Date) => date.toISOString().replace('.000Z', 'Z')
    const { notBefore, notAfter } = readCertificate(certPem)
    return `the client certificate is valid from ${whole(notBefore)} to ${whole(notAfter)}`
  }

  test('R14: in the last quarter of its life it is renewed by the agent itself, with a new key and no loss of access', async (t) => {
    const { clock, advance } = time()
    const scene = await agentScene(t, timed.plane, { clock, settings: life })
    const asksAt = clock.now()
    await letIn(scene)
    // It was received at some moment in between, which is what the agent counts from.
    const holdsAt = clock.now()
    const expiresAt = scene.agent.state().expiresAt ?? new Date(Number.NaN)
    const share = (from: Date, ofLife: number) => from.getTime() + (expiresAt.getTime() - from.getTime()) * ofLife
    const advanceTo = (moment: number) => advance(moment - clock.now().getTime())
    const first = (await scene.secret()) ?? {}
    const condition = await rotated(scene, 'True', reasons.ClientCertificateUpdated)
    assert.equal(condition.message, message(first['tls.crt'] ?? ''))
    const phases = new Set<string>()
    await advanceTo(share(asksAt, 0.75) - 1_000)
    assert.equal((await scene.csrs()).length, 1)
    await advanceTo(share(holdsAt, 0.8) + 1_000)
    const second = await another(scene, first['tls.crt'])
    phases.add(scene.agent.state().phase)
    // By age they may be of the same second.
    const requesters = (await scene.csrs()).map(({ spec }) => spec.username)
    assert.deepEqual(requesters.sort(), [bootstrapUser, agentUser(scene.cluster, first['agent-name'] ?? '')])
    assert.notEqual(second['tls.key'], first['tls.key'])
    await eventually('its dates are told', async () => {
      const { message: told } = await rotated(scene, 'True', reasons.ClientCertificateUpdated)
      return told === message(second['tls.crt'] ?? '')
    })
    if (timed.ownsTime) {
      await advance('300s', 30)
      await eventually('it still works with the new one', async () => {
        const available = await scene.condition(conditions.available)
        phases.add(scene.agent.state().phase)
        return available?.status === 'True'
      })
    }
    assert.deepEqual([...phases], ['joined'])
  })

  /** Requests of the cluster that lead nowhere, made by this user. */
  async function clutter(scene: AgentScene, count: number, as: Kube): Promise<string[]> {
    const made = Array.from({ length: count }, async () => {
      const order = agentOrder('nobody', 'a1')
      const csr = await csrObject(order, generateKey().keyPem)
      const metadata = { ...csr.metadata, labels: { [labels.clusterName]: scene.cluster } }
      return (await as.of(certificateSigningRequests).create({ ...csr, metadata })).metadata.name
    })
    return await Promise.all(made)
  }
  const eventsOf = async (scene: AgentScene) =>
    (await scene.home.of(events, scene.namespace).list()).items.map(({ reason }) => reason)

  for (const number of ['R18', 'R19']) {
    const what =
      number === 'R18'
        ? 'with 10 CSRs of the cluster no further one is made, and condition and event say so'
        : 'when old CSRs are gone, a new one is made at once, without a timer and without anybody'
    test(`${number}: ${what}`, async (t) => {
      const { clock, advance } = time()
      const scene = await agentScene(t, timed.plane, { clock, settings: life })
      await letIn(scene)
      const first = (await scene.secret()) ?? {}
      await rotated(scene, 'True', reasons.ClientCertificateUpdated)
      const names = await clutter(scene, 10, await agentsClient(t, timed.plane, scene.home, scene.namespace))
      await advance('480s')
      const condition = await rotated(scene, 'False', reasons.ClientCertificateUpdateFailed)
      assert.match(condition.message, /10 or more certificate requests/)
      await eventually('an event tells people', async () =>
        (await eventsOf(scene)).includes(reasons.ClientCertificateCreationHalted),
      )
      assert.equal((await scene.csrs()).length, 11)
      assert.equal((await scene.secret())?.['tls.crt'], first['tls.crt'])
      if (number === 'R18') return
      await scene.admin.of(certificateSigningRequests).delete(names[0] ?? '')
      await another(scene, first['tls.crt'])
      await rotated(scene, 'True', reasons.ClientCertificateUpdated)
    })
  }

  test('requests that others made for the cluster do not stop a renewal', async (t) => {
    const { clock, advance } = time()
    const scene = await agentScene(t, timed.plane, { clock, settings: life })
    await letIn(scene)
    const first = (await scene.secret()) ?? {}
    await clutter(scene, 10, scene.admin)
    await advance('480s')
    await another(scene, first['tls.crt'])
    await rotated(scene, 'True', reasons.ClientCertificateUpdated)
  })

  test('R21: a certificate that expired while the hub was away: the agent comes back by bootstrap', async (t) => {
    const way = await startFaultProxy(t, timed.plane.url)
    const bootstrap = withHub(await bootstrapKubeconfig(timed.plane), { server: way.url })
    const scene = await agentScene(t, timed.plane, { bootstrap, ...(timed.ownsTime && { clock: timed.clock }) })
    await letIn(scene)
    const first = (await scene.secret()) ?? {}
    await scene.stop()
    const short = await timed.plane.issueClientCertificate({
      commonName: agentUser(scene.cluster, first['agent-name'] ?? ''),
      organizations: [clusterGroup(scene.cluster)],
      lifetimeMs: timed.ownsTime ? timed.clock.now().getTime() - Date.now() + 10_000 : 5_000,
    })
    const data = { 'tls.crt': base64(short.certPem), 'tls.key': base64(short.keyPem.reveal()) }
    await scene.home.of(secrets, scene.namespace).patch('hub-kubeconfig-secret', { type: 'merge', body: { data } })
    way.refuse()
    way.resetAll()
    scene.start()
    const isAsking = () => scene.agent.state().phase === 'asking'
    if (timed.ownsTime) await timed.advance('20s')
    await eventually('its certificate has expired', isAsking)
    way.heal()
    if (timed.ownsTime) await timed.advance('30s')
    const csr = await eventually('it asks again', async () => (await scene.csrs())[1])
    assert.equal(csr.spec.username, bootstrapUser)
    await decide(scene.admin, csr.metadata.name, 'Approved')
    await another(scene, short.certPem)
    if (timed.ownsTime) await timed.advance('10s')
    await isJoined(scene)
  })
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  test('R20: a denied renewal shows as a condition and is asked for again after a pause', async (t) => {
    const { clock, advance } = time()
    const scene = await agentScene(t, timed.plane, { clock, settings: life })
    await letIn(scene)
    await rotated(scene, 'True', reasons.ClientCertificateUpdated)
    // Nobody approves by itself from here on.
    await hub.stop()
    const first = (await scene.secret()) ?? {}
    await advance('480s')
    const denied = await pendingCsr(scene)
    await decide(scene.admin, denied.metadata.name, 'Denied', 'NotNow')
    const condition = await rotated(scene, 'False', reasons.ClientCertificateDenied)
    assert.match(condition.message, /NotNow/)
    assert.equal((await scene.csrs()).length, 2)
    assert.equal(scene.agent.state().phase, 'joined')
    await advance('10s')
    const next = await pendingCsr(scene)
    assert.notEqual(next.metadata.name, denied.metadata.name)
    await approve(scene)
    await another(scene, first['tls.crt'])
    await rotated(scene, 'True', reasons.ClientCertificateUpdated)
  })
})
