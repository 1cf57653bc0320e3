import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../core/failure.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ForeignNamespace } from '../foreign-namespace.ts'
import { contentOf } from '../foreign-namespace.ts'
import type { AcceptChoices, AcceptSituation, Asking } from './accept-plan.ts'
import { planAcceptance } from './accept-plan.ts'

const west = (more: { spec?: ManagedCluster['spec']; metadata?: object } = {}): Stored<ManagedCluster> => ({
  ...(more.spec && { spec: more.spec }),
  metadata: { name: 'west', uid: '1', resourceVersion: '1', ...more.metadata },
})

const byBootstrap: Asking = {
  csr: 'west-1',
  agent: 'abc',
  requester: 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
  groups: ['system:serviceaccounts'],
  publicKey: 'key',
}

const plan = (situation: Partial<AcceptSituation>, choices: Partial<AcceptChoices> = {}) => {
  const made = planAcceptance(
    { cluster: west(), asking: [], hasApproved: false, ...situation },
    { requesters: [], replaceAgent: false, skipApproveCheck: false, intoForeignNamespace: false, ...choices },
  )
  return made.plan === 'refuse' && isFailure(made.failure) ? made.failure.code : made
}

test('a request of the bootstrap identity is approved, then the cluster accepted', () => {
  assert.deepEqual(plan({ asking: [byBootstrap] }), { plan: 'accept', approve: byBootstrap })
})

test('a cluster that the hub would refuse for its name is not accepted, whichever way it comes', () => {
  for (const name of ['kube-system', 'managed-clusters'])
    for (const isAws of [true, false])
      assert.equal(
        plan({ cluster: west({ metadata: { name } }), asking: [byBootstrap], isAws }),
        'CLUSTER_NAME_RESERVED',
      )
})

test('a namespace that others use is entered only when that is said, whichever way the cluster comes', () => {
  const foreign: ForeignNamespace = { found: new Map([['Pod', ['a', 'b', 'c', 'd']]]), unseen: ['Secret'] }
  const accepted = west({ spec: { hubAcceptsClient: true } })
  for (const isAws of [true, false]) {
    const situation = { asking: [byBootstrap], isAws, foreign }
    assert.equal(plan(situation), 'ACCEPT_FOREIGN_NAMESPACE')
    assert.notEqual(plan(situation, { intoForeignNamespace: true }), 'ACCEPT_FOREIGN_NAMESPACE')
    assert.notEqual(plan({ ...situation, cluster: accepted }), 'ACCEPT_FOREIGN_NAMESPACE')
  }
  assert.equal(contentOf(foreign), '4 Pods (a, b, c, and 1 more); not looked at: Secret')
})

test('the newest of several requests of one agent is the one', () => {
  const newer = { ...byBootstrap, csr: 'west-2' }
  assert.deepEqual(plan({ asking: [byBootstrap, newer] }), { plan: 'accept', approve: newer })
})

test('a bootstrap token, the creator of the cluster, and whoever is named, count as known', () => {
  const byToken = {
    ...byBootstrap,
    requester: 'system:bootstrap:ocmhub',
    groups: ['system:bootstrappers:managedcluster'],
  }
  const byJane = { ...byBootstrap, requester: 'jane', groups: [] }
  const cluster = west({ metadata: { annotations: { 'lanyard.io/created-by': 'jane' } } })
  assert.deepEqual(plan({ asking: [byToken] }), { plan: 'accept', approve: byToken })
  assert.deepEqual(plan({ asking: [byJane] }), 'ACCEPT_OTHER_REQUESTER')
  assert.deepEqual(plan({ asking: [byJane], cluster }), { plan: 'accept', approve: byJane })
  assert.deepEqual(plan({ asking: [byJane] }, { requesters: ['jane'] }), { plan: 'accept', approve: byJane })
})

test('without a request nothing is done, unless one was approved before or it is not asked for', () => {
  assert.equal(plan({}), 'ACCEPT_NO_REQUEST')
  assert.deepEqual(plan({ hasApproved: true }), { plan: 'accept' })
  assert.deepEqual(plan({}, { skipApproveCheck: true }), { plan: 'accept' })
})

test('accepted and approved leaves nothing to do', () => {
  const cluster = west({ spec: { hubAcceptsClient: true } })
  assert.deepEqual(plan({ cluster, hasApproved: true }), { plan: 'nothing' })
})

test('accepted without any certificate is told as a missing request', () => {
  assert.equal(plan({ cluster: west({ spec: { hubAcceptsClient: true } }) }), 'ACCEPT_NO_REQUEST')
})

test('of several agents one has to be chosen', () => {
  const other = { ...byBootstrap, csr: 'west-9', agent: 'xyz' }
  assert.equal(plan({ asking: [byBootstrap, other] }), 'ACCEPT_SEVERAL_AGENTS')
  assert.deepEqual(plan({ asking: [byBootstrap, other] }, { agent: 'abc' }), { plan: 'accept', approve: byBootstrap })
})

const first = { agent: 'first', isHeard: false, hasCertificate: false, isContested: false }

test('a second agent beside a live one needs --replace-agent', () => {
  for (const sign of [{ isHeard: true }, { hasCertificate: true }, { isContested: true }]) {
    const joined = { ...first, ...sign }
    assert.equal(plan({ asking: [byBootstrap], joined }), 'ACCEPT_SECOND_AGENT')
    assert.deepEqual(plan({ asking: [byBootstrap], joined }, { replaceAgent: true }), {
      plan: 'accept',
      approve: byBootstrap,
    })
  }
  assert.deepEqual(plan({ asking: [byBootstrap], joined: first }), { plan: 'accept', approve: byBootstrap })
})

test('an agent that lost its certificate comes back under its own name once it is not heard of', () => {
  const joined = { ...first, agent: 'abc', hasCertificate: true }
  assert.deepEqual(plan({ asking: [byBootstrap], joined }), { plan: 'accept', approve: byBootstrap })
  assert.equal(plan({ asking: [byBootstrap], joined: { ...joined, isHeard: true } }), 'ACCEPT_SECOND_AGENT')
})

test('a request of the agent of another cluster neither gets in nor in the way', () => {
  const rogue = {
    ...byBootstrap,
    csr: 'west-r',
    agent: 'r',
    requester: 'system:open-cluster-management:rogue:r',
    groups: [],
  }
  assert.equal(plan({ asking: [rogue] }), 'ACCEPT_OTHER_AGENT')
  assert.deepEqual(plan({ asking: [byBootstrap, rogue] }), { plan: 'accept', approve: byBootstrap })
})

test('a renewal under way is the hub’s to decide', () => {
  const renewal = { ...byBootstrap, requester: 'system:open-cluster-management:west:abc', groups: [] }
  const cluster = west({ spec: { hubAcceptsClient: true } })
  assert.deepEqual(plan({ cluster, asking: [renewal], hasApproved: true }), { plan: 'nothing' })
})

test('two keys under one agent name: a person has to choose', () => {
  const other = { ...byBootstrap, csr: 'west-2', publicKey: 'other key' }
  assert.equal(plan({ asking: [byBootstrap, other] }), 'ACCEPT_SEVERAL_REQUESTS')
  assert.deepEqual(plan({ asking: [byBootstrap, other] }, { csr: 'west-1' }), { plan: 'accept', approve: byBootstrap })
})

test('a cluster that leaves is not accepted', () => {
  const cluster = west({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
  assert.equal(plan({ cluster, asking: [byBootstrap] }), 'CLUSTER_LEAVES')
})

test('a cluster that comes by AWS IAM needs no request, and is accepted once', () => {
  assert.deepEqual(plan({ isAws: true }), { plan: 'accept' })
  assert.deepEqual(plan({ isAws: true, cluster: west({ spec: { hubAcceptsClient: true } }) }), { plan: 'nothing' })
  const leaving = west({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
  assert.equal(plan({ isAws: true, cluster: leaving }), 'CLUSTER_LEAVES')
})
