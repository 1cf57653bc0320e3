import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { agentUser, annotations, conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDeps } from '../../hub/deps.ts'
import { defaultHubSettings } from '../../hub/deps.ts'
import { incumbentOf, judge, judgeRenewal } from './hub-judge.ts'
import type { SeenRequest } from './hub-requests.ts'

const noon = new Date('2026-03-01T12:00:00Z')
const later = new Date('2026-03-01T13:00:00Z')

function aCluster(written: Record<string, string> = {}, joined = false): Stored<ManagedCluster> {
  const condition = {
    type: conditions.joined,
    status: 'True' as const,
    reason: 'ManagedClusterJoined',
    message: '',
    lastTransitionTime: '2026-03-01T12:00:00Z',
  }
  return {
    metadata: { name: 'west', uid: 'u', resourceVersion: '1', annotations: written },
    status: { conditions: joined ? [condition] : [] },
  }
}

const recorded = {
  [annotations.agentName]: 'a1',
  [annotations.certificateIssuedAt]: '2026-03-01T12:00:00Z',
  [annotations.certificateExpiresAt]: '2026-03-01T13:00:00Z',
}

function aRequest(agent: string, created: string, approved = false, issuedAt?: Date): SeenRequest {
  return {
    csr: {
      metadata: { name: `csr-${agent}`, uid: agent, resourceVersion: '1', creationTimestamp: created as never },
      spec: { request: '', signerName: '' },
      status: { conditions: approved ? [{ type: 'Approved', status: 'True' }] : [] },
    },
    cluster: 'west',
    agent,
    user: agentUser('west', agent),
    requester: 'boot',
    publicKeyPem: `key-${agent}`,
    seenAt: noon,
    issued: issuedAt && { agent, issuedAt, expiresAt: later, fingerprint: '', version: '1' },
  }
}

test('nobody has the place of a new cluster', () => {
  assert.equal(incumbentOf(aCluster(), [aRequest('a1', '2026-03-01T12:00:00Z')]), undefined)
})

test('the agent on record has the place', () => {
  assert.deepEqual(incumbentOf(aCluster(recorded), []), { agent: 'a1', certificateExpiresAt: later })
})

test('an approved request has the place before its certificate is there', () => {
  const approved = aRequest('a2', '2026-03-01T12:30:00Z', true)
  assert.deepEqual(incumbentOf(aCluster(recorded), [approved]), { agent: 'a2', certificateExpiresAt: undefined })
  assert.deepEqual(incumbentOf(aCluster(), [approved]), { agent: 'a2', certificateExpiresAt: undefined })
})

test('an approved request that is older than what is on record does not count', () => {
  const old = aRequest('a0', '2026-03-01T11:00:00Z', true, new Date('2026-03-01T11:00:00Z'))
  assert.equal(incumbentOf(aCluster(recorded), [old])?.agent, 'a1')
})

test('a cluster that joined before the hub kept records has an agent without a name', () => {
  assert.deepEqual(incumbentOf(aCluster({}, true), []), { agent: undefined, certificateExpiresAt: undefined })
})

const deps = {
  view: { heartbeats: { receivedAt: () => noon, renewedAt: () => noon } },
  clock: new FakeClock(noon),
  settings: defaultHubSettings,
} as unknown as HubDeps

test('the agent that an administrator names may take the place', () => {
  const asking = aRequest('a2', '2026-03-01T12:00:00Z')
  const standing = (written: Record<string, string>) => judge(aCluster(written), [asking], [asking], deps)[0]?.standing
  assert.equal(standing(recorded), 'second')
  assert.equal(standing({ ...recorded, [annotations.replaceAgent]: 'a2' }), 'free')
  assert.equal(standing({ ...recorded, [annotations.replaceAgent]: 'a22' }), 'second')
})

test('who was replaced may not renew, until an administrator lets it back in', () => {
  const renewal = (agent: string): SeenRequest => ({
    ...aRequest(agent, '2026-03-01T12:30:00Z'),
    requester: agentUser('west', agent),
  })
  const inItsWay = (agent: string, written = {}, all: SeenRequest[] = []) =>
    judgeRenewal(aCluster({ ...recorded, ...written }), all, renewal(agent))?.incumbent?.agent
  assert.equal(inItsWay('a1'), undefined)
  assert.equal(inItsWay('a0'), 'a1')
  assert.equal(inItsWay('a0', { [annotations.replaceAgent]: 'a0' }), undefined)
  assert.equal(judgeRenewal(aCluster(), [], renewal('a0')), undefined)
  // The one that takes its place has been let in already, though it asked before the last renewal.
  const successor = aRequest('a2', '2026-03-01T11:00:00Z', true)
  assert.equal(inItsWay('a1', { [annotations.replaceAgent]: 'a2' }, [successor]), 'a2')
  assert.equal(inItsWay('a1', {}, [successor]), undefined)
})

const rival = (name: string, key: string): SeenRequest => {
  const request = aRequest('a1', '2026-03-01T12:00:00Z')
  return { ...request, publicKeyPem: key, csr: { ...request.csr, metadata: { ...request.csr.metadata, name } } }
}

test('of two requests with different keys in the name of one agent none is free for 1.5 lease durations', async () => {
  const clock = new FakeClock(noon)
  const both = [rival('one', 'k1'), rival('two', 'k2')]
  const standings = (all: SeenRequest[]) => judge(aCluster(), all, all, { ...deps, clock }).map((one) => one.standing)
  assert.deepEqual(standings(both), ['waits', 'waits'])
  assert.deepEqual(standings([rival('one', 'k'), rival('two', 'k')]), ['free', 'free'])
  assert.deepEqual(standings(both.slice(1)), ['free'])
  const [first] = judge(aCluster(), both, both, { ...deps, clock })
  assert.deepEqual(first?.until, new Date('2026-03-01T12:01:30Z'))
  assert.deepEqual(
    first?.rivals?.map(({ csr }) => csr.metadata.name),
    ['two'],
  )
  await clock.advance('90s')
  assert.deepEqual(standings(both), ['free', 'free'])
})

test('whoever lost a request to a newer one has the time to ask again', () => {
  const only = rival('two', 'k2')
  const until = new Date('2026-03-01T12:01:00Z')
  const [judged] = judge(aCluster(), [only], [only], deps, () => until)
  assert.deepEqual([judged?.standing, judged?.until], ['waits', until])
})

test('a silence in which the hub itself heard nothing is none', () => {
  const longAgo = new Date('2026-03-01T11:00:00Z')
  const heartbeats = { receivedAt: () => longAgo, renewedAt: () => undefined }
  const asking = aRequest('a1', '2026-03-01T12:00:00Z')
  const standing = (since?: Date) => {
    const contact = since && { since: () => since }
    const own = { ...deps, view: { heartbeats }, ...(contact && { contact }) } as unknown as HubDeps
    return judge(aCluster(recorded), [asking], [asking], own)[0]?.standing
  }
  assert.equal(standing(), 'free')
  assert.equal(standing(new Date('2026-03-01T10:00:00Z')), 'free')
  assert.equal(standing(new Date('2026-03-01T11:59:30Z')), 'waits')
})
