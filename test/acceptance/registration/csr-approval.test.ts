import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { agentUser, annotations, clusterGroup, commonGroup, labels } from '../../../src/fleet/names.ts'
import { events } from '../../../src/kube/kinds.ts'
import { fingerprintOf, readCertificate } from '../../../src/pki/index.ts'
import { csrHubDriver } from '../../../src/registration/drivers/csr/hub.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Oddities } from '../../support/csr-scene.ts'
import { approvalReason, csrScene, startedOnce } from '../../support/csr-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'

const listed = 'listed-user'

async function start(t: TestScope) {
  const plane = await startControlPlane(t, {})
  const hub = await hubScene(t, plane, {
    settings: { autoApprovedUsers: [listed] },
    parts: (deps) => [csrHubDriver(deps).run],
  })
  return { ...hub, ...(await csrScene(t, plane)) }
}

/** One hub for all tests of this file, each with a cluster of its own. */
const scene = startedOnce(start)

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
    const { ask, approved, csrs, cluster } = await scene()
    const agent = await acceptedCluster('renews')
    const csr = await approved(await ask(agent, 'renews', 'a1'))
    assert.equal(approvalReason(csr), 'AutoApprovedByHubCSRApprovingController')
    const pem = await eventually('it has its certificate', async () => {
      const { status } = await csrs.get(csr.metadata.name)
      return status?.certificate && Buffer.from(status.certificate, 'base64').toString()
    })
    const written = await eventually('it is on record', async () => {
      const { metadata } = await cluster('renews')
      return metadata.annotations?.[annotations.agentName] !== undefined && metadata.annotations
    })
    assert.equal(written[annotations.agentName], 'a1')
    assert.deepEqual(new Date(written[annotations.certificateExpiresAt] ?? ''), readCertificate(pem).notAfter)
    assert.equal(written[annotations.certificateFingerprint], fingerprintOf(pem))
    await eventually('people are told', async () =>
      (await eventReasons('renews')).includes('ManagedClusterCSRAutoApproved'),
    )
  })

  test(
    'a request with the common group, as other agents of the field make it, is approved too',
    needsControlPlane,
    async () => {
      const { ask, approved } = await scene()
      const agent = await acceptedCluster('field')
      const subject = {
        commonName: agentUser('field', 'a1'),
        organizations: [clusterGroup('field'), commonGroup],
      }
      await approved(await ask(agent, 'field', 'a1', { subject }))
    },
  )

  test('for a renewal, neither acceptance nor the right to renew is enough alone', needsControlPlane, async () => {
    const { ask, approved, decision, admin, createCluster, letRenew, agent } = await scene()
    await createCluster('denied', { hubAcceptsClient: false })
    await letRenew('denied')
    const denied = await agent('denied', 'a1')
    const first = await ask(denied, 'denied', 'a1', { prefix: 'denied-1-' })
    const second = await ask(denied, 'denied', 'a1', { prefix: 'denied-2-' })
    await eventually('the hub has looked at both', async () => (await decision(first)) === 'gone')
    assert.equal(await decision(second), 'none')

    await createCluster('rightless', { hubAcceptsClient: true })
    const rightless = await agent('rightless', 'a1')
    const older = await ask(rightless, 'rightless', 'a1', { prefix: 'rightless-1-' })
    const newer = await ask(rightless, 'rightless', 'a1', { prefix: 'rightless-2-' })
    await eventually('the hub has looked at both', async () => (await decision(older)) === 'gone')
    assert.equal(await decision(newer), 'none')

    await admin
      .of(ManagedCluster.resource)
      .patch('denied', { type: 'merge', body: { spec: { hubAcceptsClient: true } } })
    await approved(second)
  })

  test('R16: a request that names another cluster than its label stays unapproved', needsControlPlane, async () => {
    const { ask, approved, decision, user } = await scene()
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
    const { ask, approved, decision, agent: agentOf } = await scene()
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
    const { ask, decision, createCluster, user, csrs } = await scene()
    await createCluster('waits')
    const [one, two] = [await user('somebody'), await user('somebody-else')]
    const denied = await ask(one, 'waits', 'a1', { prefix: 'waits-0-' })
    const condition = { type: 'Denied', status: 'True', reason: 'Test', message: 'no' }
    await csrs.update({ ...denied, status: { conditions: [condition] } }, { subresource: 'approval' })
    const older = await ask(one, 'waits', 'a1', { prefix: 'waits-1-' })
    const foreign = await ask(two, 'waits', 'a1', { prefix: 'waits-2-' })
    const otherAgent = await ask(one, 'waits', 'a2', { prefix: 'waits-3-' })
    const newest = await ask(one, 'waits', 'a1', { prefix: 'waits-4-' })
    await eventually('the older is removed', async () => (await decision(older)) === 'gone')
    assert.equal(await decision(denied), 'denied')
    for (const csr of [foreign, otherAgent, newest]) assert.equal(await decision(csr), 'none')
    await eventually('people are told', async () => (await eventReasons('waits')).includes('SupersededCSRRemoved'))
  })
})
