import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { decisionOn } from '../../../src/fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../../src/fleet/csr/request.ts'
import { byAge } from '../../../src/fleet/csr/superseded.ts'
import { agentUser, annotations, clusterGroup, commonGroup, labels } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, events } from '../../../src/kube/kinds.ts'
import { fingerprintOf, generateKey, readCertificate } from '../../../src/pki/index.ts'
import { csrHubDriver } from '../../../src/registration/drivers/csr/hub.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import type { Oddities } from '../../support/csr-scene.ts'
import { approvalReason, csrScene, startedOnce } from '../../support/csr-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const listed = 'listed-user'

async function start(t: TestScope) {
  const timed = await timedPlane(t)
  const { plane, clock } = timed
  const hub = await hubScene(t, plane, {
    clock,
    settings: { autoApprovedUsers: [listed] },
    parts: (deps) => [csrHubDriver(deps).run],
  })
  return { ...timed, ...hub, ...(await csrScene(t, plane)) }
}

/** One hub for all tests of this file, each with a cluster of its own. */
const scene = startedOnce(start)

type Csr = Parameters<Awaited<ReturnType<typeof scene>>['decision']>[0]

/** Lets the hub's retries come due while it waits. */
async function soon<T>(what: string, probe: () => T | Promise<T>) {
  const { clock } = await scene()
  return await eventually(what, async () => {
    await clock.advance(100)
    return await probe()
  })
}

const approved = (csr: Csr) =>
  soon('the CSR is approved', async () => {
    const { csrs } = await scene()
    const now = await csrs.get(csr.metadata.name)
    return decisionOn(now) === 'approved' && now
  })

const seen = async (csr: Csr) => {
  const { deps } = await scene()
  await soon('the hub has seen it', () => deps.view.csrs.get(csr.metadata.name)?.metadata.uid === csr.metadata.uid)
}

/** Returns once the hub has removed a request because of a newer one: it has looked at both. */
async function removedFor(older: Csr, newer: Csr): Promise<void> {
  const { decision, advance } = await scene()
  await seen(newer)
  await advance('31s')
  await soon('the older is removed', async () => (await decision(older)) === 'gone')
}

/** A cluster that is in, and its agent. */
async function acceptedCluster(cluster: string) {
  const { createCluster, letRenew, agent } = await scene()
  await createCluster(cluster, { hubAcceptsClient: true })
  await letRenew(cluster)
  return await agent(cluster, 'a1')
}

const eventReasons = async (name: string) => {
  const { admin } = await scene()
  const { items } = await admin.of(events).list({ fieldSelector: `involvedObject.name=${name}` })
  return items.map(({ reason }) => reason)
}

describe('the hub decides on CSRs', needsControlPlane, () => {
  test("an agent's renewal is approved, its certificate issued and written down", needsControlPlane, async () => {
    const { ask, csrs, cluster } = await scene()
    const agent = await acceptedCluster('renews')
    const csr = await approved(await ask(agent, 'renews', 'a1'))
    assert.equal(approvalReason(csr), 'AutoApprovedByHubCSRApprovingController')
    const pem = await soon('it has its certificate', async () => {
      const { status } = await csrs.get(csr.metadata.name)
      return status?.certificate && Buffer.from(status.certificate, 'base64').toString()
    })
    const written = await soon('it is on record', async () => {
      const { metadata } = await cluster('renews')
      return metadata.annotations?.[annotations.agentName] !== undefined && metadata.annotations
    })
    assert.equal(written[annotations.agentName], 'a1')
    assert.deepEqual(new Date(written[annotations.certificateExpiresAt] ?? ''), readCertificate(pem).notAfter)
    assert.equal(written[annotations.certificateFingerprint], fingerprintOf(pem))
    await soon('people are told', async () => (await eventReasons('renews')).includes('ManagedClusterCSRAutoApproved'))
  })

  test(
    'a request with the common group, as other agents of the field make it, is approved too',
    needsControlPlane,
    async () => {
      const { ask } = await scene()
      const agent = await acceptedCluster('field')
      const subject = {
        commonName: agentUser('field', 'a1'),
        organizations: [clusterGroup('field'), commonGroup],
      }
      await approved(await ask(agent, 'field', 'a1', { subject }))
    },
  )

  test('for a renewal, neither acceptance nor the right to renew is enough alone', needsControlPlane, async () => {
    const { ask, decision, admin, createCluster, letRenew, agent } = await scene()
    await createCluster('denied', { hubAcceptsClient: false })
    await letRenew('denied')
    const denied = await agent('denied', 'a1')
    const first = await ask(denied, 'denied', 'a1', { prefix: 'denied-1-' })
    const second = await ask(denied, 'denied', 'a1', { prefix: 'denied-2-' })
    await removedFor(first, second)
    assert.equal(await decision(second), 'none')

    await createCluster('rightless', { hubAcceptsClient: true })
    const rightless = await agent('rightless', 'a1')
    const older = await ask(rightless, 'rightless', 'a1', { prefix: 'rightless-1-' })
    const newer = await ask(rightless, 'rightless', 'a1', { prefix: 'rightless-2-' })
    await removedFor(older, newer)
    assert.equal(await decision(newer), 'none')

    await admin
      .of(ManagedCluster.resource)
      .patch('denied', { type: 'merge', body: { spec: { hubAcceptsClient: true } } })
    await approved(second)
  })

  test('R16: a request that names another cluster than its label stays unapproved', needsControlPlane, async () => {
    const { ask, decision, user } = await scene()
    const agent = await acceptedCluster('west')
    const boot = await user(listed)
    const foreign: Oddities[] = [
      { subject: { commonName: agentUser('west', 'a1'), organizations: [clusterGroup('westxyz')] } },
      { subject: { commonName: agentUser('westxyz', 'a1'), organizations: [clusterGroup('westxyz')] } },
      { subject: { commonName: agentUser('westxyz', 'a1'), organizations: [clusterGroup('west')] } },
    ]
    const asked = await Promise.all(
      [agent, boot].flatMap((asker) => foreign.map((oddities) => ask(asker, 'west', 'a1', oddities))),
    )
    await approved(await ask(agent, 'west', 'a1'))
    for (const csr of asked) assert.equal(await decision(csr), 'none')
  })

  test('R17: the renewal path approves nothing but an agent asking for itself', needsControlPlane, async () => {
    const { ask, decision, agent: agentOf } = await scene()
    const agent = await acceptedCluster('north')
    const colleague = await agentOf('north', 'a2')
    const commonName = agentUser('north', 'a1')
    const odd: Oddities[] = [
      { signer: 'example.com/other' },
      { labels: {} },
      { labels: { [labels.clusterName]: 'north', [labels.addonName]: 'work' } },
      { subject: { commonName: `${commonName}:more`, organizations: [clusterGroup('north')] } },
      { subject: { commonName: clusterGroup('north'), organizations: [clusterGroup('north')] } },
      { subject: { commonName, organizations: [clusterGroup('north'), clusterGroup('south')] } },
      { subject: { commonName, organizations: [commonGroup] } },
      { subject: { commonName, organizations: [clusterGroup('north')], organizationalUnits: ['ops'] } },
      { usages: ['digital signature', 'server auth', 'client auth'] },
      { sans: { dnsNames: ['kubernetes.default.svc'] } },
    ]
    const asked = await Promise.all([
      ask(colleague, 'north', 'a1'),
      ...odd.map((oddities) => ask(agent, 'north', 'a1', oddities)),
    ])
    await approved(await ask(agent, 'north', 'a1'))
    for (const csr of asked) assert.equal(await decision(csr), 'none')
  })

  test('of the open requests of one agent only the newest stays; others keep theirs', needsControlPlane, async () => {
    const { ask, decision, createCluster, user, csrs, advance } = await scene()
    await createCluster('waits')
    const [one, two] = [await user('somebody'), await user('somebody-else')]
    const denied = await ask(one, 'waits', 'a1', { prefix: 'waits-0-' })
    const condition = { type: 'Denied', status: 'True', reason: 'Test', message: 'no' }
    await csrs.update({ ...denied, status: { conditions: [condition] } }, { subresource: 'approval' })
    const older = await ask(one, 'waits', 'a1', { prefix: 'waits-1-' })
    const foreign = await ask(two, 'waits', 'a1', { prefix: 'waits-2-' })
    const otherAgent = await ask(one, 'waits', 'a2', { prefix: 'waits-3-' })
    const newest = await ask(one, 'waits', 'a1', { prefix: 'waits-4-' })
    await seen(newest)
    await advance('29s')
    assert.equal(await decision(older), 'none', 'not at once: its agent may be alive')
    await removedFor(older, newest)
    assert.equal(await decision(denied), 'denied')
    for (const csr of [foreign, otherAgent, newest]) assert.equal(await decision(csr), 'none')
    await soon('people are told', async () => (await eventReasons('waits')).includes('SupersededCSRRemoved'))
  })

  test(
    'two living agents of one name do not have the hub remove their requests for ever',
    needsControlPlane,
    async () => {
      const { createCluster, user, decision, advance } = await scene()
      await createCluster('twins')
      const boot = await user('somebody')
      const requests = boot.of(certificateSigningRequests)
      const request = async (prefix: string) =>
        await csrObject({ ...agentOrder('twins', 'a1'), prefix }, generateKey().keyPem)
      const [one, two] = [await request('twins-1-'), await request('twins-2-')]
      const older = await requests.create(one)
      const newer = await requests.create(two)
      await removedFor(older, newer)
      // As the agent does as soon as it finds that its request is gone.
      const again = await requests.create(one)
      await seen(again)
      await advance('31s')
      // Of the same second it counts as the older, by its name: then it is let be, for it was removed once.
      const isReplaced = byAge(newer, again) < 0
      if (isReplaced) await soon('the other is removed in turn', async () => (await decision(newer)) === 'gone')
      const twoAgain = isReplaced ? await requests.create(two) : newer
      await seen(twoAgain)
      await advance('5m')
      assert.deepEqual([await decision(again), await decision(twoAgain)], ['none', 'none'])
    },
  )
})
