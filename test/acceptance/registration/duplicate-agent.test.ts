import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { annotations, conditions, labels, leaseName } from '../../../src/fleet/names.ts'
import { leases, namespaces } from '../../../src/kube/kinds.ts'
import { csrHubDriver } from '../../../src/registration/drivers/csr/hub.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { csrScene, startedOnce } from '../../support/csr-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import { never } from '../../support/never.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const listed = 'listed-user'

const scene = startedOnce(async (t) => {
  const timed = await timedPlane(t)
  const hub = await hubScene(t, timed.plane, {
    clock: timed.clock,
    settings: { autoApprovedUsers: [listed] },
    parts: (deps) => [csrHubDriver(deps).run],
  })
  const csrs = await csrScene(t, timed.plane)
  return { ...timed, ...hub, ...csrs, boot: await csrs.user(listed) }
})

/** Lets the hub's retries come due while it waits. */
async function soon<T>(what: string, probe: () => T | Promise<T>) {
  const { clock } = await scene()
  return await eventually(what, async () => {
    await clock.advance(100)
    return await probe()
  })
}

const labelled = (cluster: string) => ({ [labels.clusterName]: cluster })

async function renewLease(cluster: string): Promise<void> {
  const { admin, deps, clock } = await scene()
  const before = deps.view.heartbeats.renewedAt(cluster)
  const { spec } = await admin.of(leases, cluster).get(leaseName)
  // The agent's clock is its own affair: any other time than before is a heartbeat.
  const renewTime = new Date(new Date(spec?.renewTime ?? 0).getTime() + 1_000).toISOString().replace('Z', '000Z')
  // What the hub hears in the moment in which it saw a request may have been said before that.
  await clock.advance(1)
  await admin.of(leases, cluster).patch(leaseName, { type: 'merge', body: { spec: { renewTime } } })
  await soon('the hub has heard it', () => deps.view.heartbeats.renewedAt(cluster) !== before)
}

/** A cluster whose agent a1 has its certificate, and whose lease has just been renewed. */
async function joinedCluster(name: string): Promise<void> {
  const { admin, boot, createCluster, ask, cluster, deps } = await scene()
  await createCluster(name, { hubAcceptsClient: true })
  await ask(boot, name, 'a1')
  await soon(
    'its certificate is on record',
    async () => (await cluster(name)).metadata.annotations?.[annotations.agentName],
  )
  await admin.of(namespaces).create({ metadata: { name, labels: labelled(name) } })
  await admin.of(leases, name).create({
    metadata: { name: leaseName, labels: labelled(name) },
    spec: { holderIdentity: leaseName, renewTime: '2026-01-01T00:00:00.000000Z' },
  })
  await soon('the hub sees the lease', () => deps.view.heartbeats.receivedAt(name))
  await renewLease(name)
}

async function duplicate(name: string) {
  const { cluster } = await scene()
  return findCondition((await cluster(name)).status?.conditions, conditions.duplicateAgent)
}

const isDuplicate = (name: string, status: 'True' | 'False') =>
  soon(`DuplicateAgent of ${name} is ${status}`, async () => {
    const found = await duplicate(name)
    return found?.status === status && found
  })

const soonApproved = async (csr: Parameters<Awaited<ReturnType<typeof scene>>['decision']>[0]) => {
  const { decision } = await scene()
  await soon('the CSR is approved', async () => (await decision(csr)) === 'approved')
}

describe('one agent a cluster', needsControlPlane, () => {
  test(
    'R81a: an agent of another name is not approved while the first is alive, until an administrator lets it',
    needsControlPlane,
    async () => {
      const { admin, csrs, boot, user, ask, agent, letRenew, decision, cluster, advance, ownsTime } = await scene()
      await joinedCluster('taken')
      const second = await ask(boot, 'taken', 'a2')
      const condition = await isDuplicate('taken', 'True')
      assert.equal(condition.reason, 'SecondAgentAsks')
      for (const part of ['a2', listed, second.metadata.name, 'lanyard accept taken --replace-agent'])
        assert.ok(condition.message.includes(part), part)
      const third = await ask(await user('stranger'), 'taken', 'a3')
      await soon('the third is told of', async () => (await duplicate('taken'))?.message.includes('1 more'))
      const decisions = [await decision(second), await decision(third)]
      never('allowed', () => assert.deepEqual(decisions, ['none', 'none']))
      // A silent agent may come back with its certificate, which is still good.
      if (ownsTime) await advance('6m')
      assert.deepEqual([await decision(second), (await duplicate('taken'))?.status], ['none', 'True'])

      const body = { metadata: { annotations: { [annotations.replaceAgent]: 'a2' } } }
      await admin.of(ManagedCluster.resource).patch('taken', { type: 'merge', body })
      await soonApproved(second)
      const { metadata } = await soon('the new agent is on record', async () => {
        const now = await cluster('taken')
        return now.metadata.annotations?.[annotations.agentName] === 'a2' && now
      })
      assert.equal(metadata.annotations?.[annotations.replaceAgent], undefined)
      await csrs.delete(third.metadata.name)
      assert.equal((await isDuplicate('taken', 'False')).reason, 'NoOtherAgent')

      // The certificate of the first is still good, but the place is not its own any more, nor that of who has its key.
      await letRenew('taken')
      const replaced = await ask(await agent('taken', 'a1'), 'taken', 'a1')
      const { message } = await isDuplicate('taken', 'True')
      for (const part of [replaced.metadata.name, 'kubectl annotate managedcluster taken lanyard.io/replace-agent=a1'])
        assert.ok(message.includes(part), message)
      await soonApproved(await ask(await agent('taken', 'a2'), 'taken', 'a2'))
      assert.equal(await decision(replaced), 'none')
      assert.equal((await cluster('taken')).metadata.annotations?.[annotations.agentName], 'a2')
    },
  )

  test('R81c: a copy of an agent that goes on renewing its lease is not approved', needsControlPlane, async () => {
    const { boot, ask, decision } = await scene()
    await joinedCluster('copied')
    const copy = await ask(boot, 'copied', 'a1')
    await seen(copy.metadata.name)
    assert.equal(await duplicate('copied'), undefined)
    await renewLease('copied')
    await isDuplicate('copied', 'True')
    assert.equal(await decision(copy), 'none')
  })

  test('R81d: an agent that lost its certificate comes back once its lease is silent', needsControlPlane, async () => {
    const { boot, ask, decision, advance } = await scene()
    await joinedCluster('lost')
    const again = await ask(boot, 'lost', 'a1')
    await seen(again.metadata.name)
    await advance('60s')
    assert.equal(await decision(again), 'none')
    await advance('31s')
    await soonApproved(again)
    assert.equal(await duplicate('lost'), undefined)
  })

  test("the agent's own renewal is never a duplicate", needsControlPlane, async () => {
    const { boot, ask, agent, letRenew } = await scene()
    await joinedCluster('own')
    await letRenew('own')
    await ask(boot, 'own', 'a2')
    await isDuplicate('own', 'True')
    await soonApproved(await ask(await agent('own', 'a1'), 'own', 'a1'))
    assert.equal((await duplicate('own'))?.status, 'True')
  })

  test(
    'of two agents that ask for a new cluster at the same time only one is approved',
    needsControlPlane,
    async () => {
      const { boot, ask, createCluster, decision } = await scene()
      const first = await ask(boot, 'contested', 'a1', { prefix: 'contested-1-' })
      const second = await ask(boot, 'contested', 'a2', { prefix: 'contested-2-' })
      await seen(second.metadata.name)
      await createCluster('contested')
      await soonApproved(first)
      await isDuplicate('contested', 'True')
      assert.equal(await decision(second), 'none')
    },
  )

  test('of two keys in the name of one agent none is approved while both ask', needsControlPlane, async () => {
    const { boot, ask, createCluster, csrs, decision } = await scene()
    const genuine = await ask(boot, 'disputed', 'a1', { prefix: 'disputed-1-' })
    const stolen = await ask(boot, 'disputed', 'a1', { prefix: 'disputed-2-' })
    await seen(stolen.metadata.name)
    await createCluster('disputed')
    const { message } = await isDuplicate('disputed', 'True')
    for (const csr of [genuine, stolen]) assert.ok(message.includes(csr.metadata.name), message)
    const decisions = [await decision(genuine), await decision(stolen)]
    never('allowed', () => assert.deepEqual(decisions, ['none', 'none']))
    await csrs.delete(stolen.metadata.name)
    await soonApproved(genuine)
    await isDuplicate('disputed', 'False')
  })
})

async function seen(csr: string): Promise<void> {
  const { deps } = await scene()
  await soon('the hub has seen the CSR', () => deps.view.csrs.get(csr))
}
