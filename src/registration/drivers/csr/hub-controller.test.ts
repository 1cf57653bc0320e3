import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { runInTest } from '../../../../test/support/fleet-scene.ts'
import { kubeFailure, MemoryKube } from '../../../../test/support/memory-kube.ts'
import type { Intercept } from '../../../../test/support/memory-kube-parts.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../../core/checkpoint.ts'
import { silentLog } from '../../../core/log.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { randomFrom } from '../../../core/random.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { agentOrder, csrObject } from '../../../fleet/csr/request.ts'
import { agentUser, annotations, labels, leaseName } from '../../../fleet/names.ts'
import { certificateSigningRequests, leases, subjectAccessReviews } from '../../../kube/kinds.ts'
import { generateKey } from '../../../pki/index.ts'
import { defaultHubSettings } from '../../hub/deps.ts'
import { hubView } from '../../hub/view.ts'
import { csrController } from './hub-controller.ts'
import { clusterRequests } from './hub-requests.ts'

type Csr = CertificateSigningRequest

const boot = 'boot'

const aRequest = async (name: string, agent: string, username = boot): Promise<Csr> => {
  const { metadata, spec } = await csrObject(agentOrder('west', agent), generateKey().keyPem)
  return { metadata: { ...metadata, name }, spec: { ...spec, request: spec?.request ?? '', username } as never }
}

/** The driver on an API server in memory, for one cluster. */
async function scene(t: TestContext, written: Record<string, string> = {}, intercept?: Intercept) {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  const server = new MemoryKube(clock)
  const common = { clock, random: randomFrom(() => 0), log: silentLog }
  const kube = intercept ? server.through(intercept) : server
  const view = hubView(kube, common)
  const deps = {
    ...{ ...common, kube, view, metrics: noMetrics, checkpoint: passBy },
    events: { record() {}, flush: async () => {} },
    settings: { ...defaultHubSettings, autoApprovedUsers: [boot] },
  }
  const csrs = server.of(certificateSigningRequests)
  await server.of(ManagedCluster.resource).create({ metadata: { name: 'west', annotations: written } })
  runInTest(t, [view.run, csrController(deps, clusterRequests(view, clock)).run])
  await clock.settle()
  return {
    ...{ clock, server, csrs },
    leases: server.of(leases, 'west'),
    decision: async (name: string) => decisionOn(await csrs.get(name)),
  }
}

test('a request that comes before the watch tells of an approval does not find the place empty', async (t) => {
  const [late, early] = [await aRequest('a', 'a1'), await aRequest('b', 'a2')]
  const { server, csrs, clock, decision } = await scene(t, {}, async ({ verb, name }, proceed) => {
    if (verb !== 'update' || name !== 'b') return await proceed()
    await csrs.create(late)
    await clock.settle()
    server.stallWatches()
    return await proceed()
  })
  await csrs.create(early)
  await clock.advance('1s')
  assert.deepEqual([await decision('b'), await decision('a')], ['approved', 'none'])
})

test('an approval whose answer was lost is asked for before another request is judged', async (t) => {
  let isLost = false
  const { server, csrs, clock, decision } = await scene(t, {}, async ({ verb, name }, proceed) => {
    if (verb !== 'update' || name !== 'b' || isLost) return await proceed()
    await csrs.create(await aRequest('a', 'a1'))
    await clock.settle()
    server.stallWatches()
    await proceed()
    isLost = true
    throw kubeFailure(500, 'InternalError', 'b')
  })
  await csrs.create(await aRequest('b', 'a2'))
  await clock.advance('10s')
  assert.deepEqual([isLost, await decision('b'), await decision('a')], [true, 'approved', 'none'])
})

const recorded = {
  [annotations.agentName]: 'a1',
  [annotations.certificateIssuedAt]: '2026-03-01T11:00:00Z',
  [annotations.certificateExpiresAt]: '2027-03-01T11:00:00Z',
}

const aLease = (renewTime: string) => ({
  metadata: { name: leaseName, labels: { [labels.clusterName]: 'west' } },
  spec: { renewTime },
})

test('a lease whose watch hangs is looked at before a copy of its agent is let in', async (t) => {
  const { server, csrs, clock, decision, leases } = await scene(t, recorded)
  await leases.create(aLease('1'))
  await csrs.create(await aRequest('copy', 'a1'))
  await clock.advance('1s')
  server.stallWatches()
  const renew = (renewTime: string) => leases.patch(leaseName, { type: 'merge', body: { spec: { renewTime } } })
  const isDuplicate = async () =>
    (await server.of(ManagedCluster.resource).get('west')).status?.conditions?.map(({ status }) => status)
  await renew('2')
  await clock.advance('100s')
  // It may have been renewed before the other asked.
  assert.deepEqual([await decision('copy'), await isDuplicate()], ['none', undefined])
  await renew('3')
  await clock.advance('100s')
  assert.deepEqual([await decision('copy'), await isDuplicate()], ['none', ['True']])
})

const renewal = (renewTime: string) => ({ type: 'merge', body: { spec: { renewTime } } }) as const

test('a renewal that the watch tells of while the lease is looked at keeps a copy out', async (t) => {
  let isHeard = false
  const { csrs, clock, decision, leases } = await scene(t, recorded, async ({ verb, plural }, proceed) => {
    if (verb !== 'get' || plural !== 'leases' || isHeard) return await proceed()
    isHeard = true
    await leases.patch(leaseName, renewal('2'))
    await clock.settle()
    return await proceed()
  })
  await leases.create(aLease('1'))
  await csrs.create(await aRequest('copy', 'a1'))
  await clock.advance('100s')
  assert.deepEqual([isHeard, await decision('copy')], [true, 'none'])
})

test('who is denied while the lease is looked at is not let in', async (t) => {
  let isDenied = false
  const { server, csrs, clock, decision, leases } = await scene(t, recorded, async ({ verb, plural }, proceed) => {
    if (verb !== 'get' || plural !== 'leases' || isDenied) return await proceed()
    isDenied = true
    const body = { metadata: { annotations: { [annotations.unjoinedAt]: '2026-03-01T12:00:00Z' } } }
    await server.of(ManagedCluster.resource).patch('west', { type: 'merge', body })
    await clock.settle()
    return await proceed()
  })
  await leases.create(aLease('1'))
  await csrs.create(await aRequest('again', 'a1'))
  await clock.advance('200s')
  assert.deepEqual([isDenied, await decision('again')], [true, 'none'])
})

test('who is denied while its right to renew is asked for gets no other certificate', async (t) => {
  let asked = 0
  const accept = async (hubAcceptsClient: boolean) => {
    await server.of(ManagedCluster.resource).patch('west', { type: 'merge', body: { spec: { hubAcceptsClient } } })
    await clock.settle()
  }
  const { server, csrs, clock, decision } = await scene(t, recorded, async ({ plural }, proceed) => {
    if (plural !== subjectAccessReviews.plural) return await proceed()
    asked += 1
    if (asked === 1) await accept(false)
    return { status: { allowed: true } } as never
  })
  await accept(true)
  await csrs.create(await aRequest('renewal', 'a1', agentUser('west', 'a1')))
  await clock.advance('10s')
  assert.deepEqual([asked, await decision('renewal')], [1, 'none'])
  await accept(true)
  assert.deepEqual([asked, await decision('renewal')], [2, 'approved'])
})

test('an agent without its certificate is let in again once the server itself knows of no renewal', async (t) => {
  const { server, csrs, clock, decision, leases } = await scene(t, recorded)
  await leases.create(aLease('1'))
  await csrs.create(await aRequest('again', 'a1'))
  await clock.advance('1s')
  server.stallWatches()
  await leases.patch(leaseName, { type: 'merge', body: { spec: { renewTime: '2' } } })
  await clock.advance('100s')
  assert.equal(await decision('again'), 'none')
  await clock.advance('90s')
  assert.equal(await decision('again'), 'approved')
})

test('a superseded request whose removal failed is removed by the next try', async (t) => {
  let failures = 0
  const { csrs, clock } = await scene(t, { [annotations.createdBy]: 'somebody' }, async ({ verb, plural }, proceed) => {
    if (verb !== 'delete' || plural !== certificateSigningRequests.plural || failures > 0) return await proceed()
    failures += 1
    throw kubeFailure(500, 'InternalError', 'a')
  })
  await csrs.create(await aRequest('a', 'a1'))
  await csrs.create(await aRequest('b', 'a1'))
  await clock.advance('29s')
  assert.ok(await csrs.find('a'))
  await clock.advance('62s')
  assert.deepEqual([failures, await csrs.find('a')], [1, undefined])
})

test('a removal that always fails holds up neither its agent nor other removals', async (t) => {
  let tries = 0
  const bySomebody = { [annotations.createdBy]: 'somebody' }
  const { server, csrs, clock, decision } = await scene(t, bySomebody, async ({ verb, name }, proceed) => {
    if (verb !== 'delete' || name !== 'a') return await proceed()
    tries += 1
    throw kubeFailure(403, 'Forbidden', 'a')
  })
  for (const name of ['a', 'b', 'c']) {
    await csrs.create(await aRequest(name, 'a1'))
    await clock.advance('1s')
  }
  const body = { metadata: { annotations: { [annotations.createdBy]: null } } }
  await server.of(ManagedCluster.resource).patch('west', { type: 'merge', body })
  await clock.advance('32s')
  const left = [await csrs.find('a'), await csrs.find('b')].map(Boolean)
  assert.deepEqual([left, tries, await decision('c')], [[true, false], 1, 'none'])
  // Both by timers alone: nothing else happens to the cluster.
  await clock.advance('3m')
  assert.equal(await decision('c'), 'approved')
  assert.equal(tries, 4)
})
