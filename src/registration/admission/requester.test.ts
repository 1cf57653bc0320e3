import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentUser, clusterGroup, commonGroup, parseClusterGroup } from '../../fleet/names.ts'
import { isAgent, isAgentOf } from './requester.ts'

/** By a certificate; by an access entry of EKS, as we and as hubs of the field make it; by the ConfigMap aws-auth. */
const agentsOf = (cluster: string) => [
  { username: agentUser(cluster, 'a1'), groups: [clusterGroup(cluster), commonGroup] },
  { username: `open-cluster-management:${cluster}`, groups: [`open-cluster-management:${cluster}`] },
  { username: cluster, groups: [`open-cluster-management:${cluster}`] },
  { username: agentUser(cluster, 'awsirsa'), groups: [clusterGroup(cluster)] },
]

test('an agent is one of its own cluster and of no other, however it proved who it is', () => {
  for (const agent of agentsOf('west')) {
    assert.equal(isAgentOf(agent, 'west'), true, agent.username)
    for (const other of ['west1', 'wes', 'east']) assert.equal(isAgentOf(agent, other), false, agent.username)
    for (const cluster of ['west', 'east'])
      assert.equal(isAgent(agent, cluster), cluster === 'west' || agent.username !== 'west', agent.username)
    assert.equal(isAgent({ groups: agent.groups }, 'west'), true, `${agent.groups}`)
  }
  assert.equal(isAgent({ username: 'x', groups: [commonGroup] }, 'west'), true)
})

test('nobody else is an agent, whatever their names begin with', () => {
  for (const person of [
    {},
    { username: 'jane', groups: ['system:authenticated', 'system:masters'] },
    { username: 'west', groups: ['west'] },
    { username: 'alice@corp', groups: ['open-cluster-management:admins', 'system:authenticated'] },
    { username: 'system:serviceaccount:open-cluster-management-hub:lanyard-hub', groups: ['system:serviceaccounts'] },
    { username: 'x', groups: ['open-cluster-management', 'open-cluster-management:', 'open-cluster-management:a:b'] },
    { username: 'x', groups: ['xopen-cluster-management:west', 'system:open-cluster-management:cluster:a:addon:b'] },
  ]) {
    assert.equal(isAgent(person, 'west'), false, JSON.stringify(person))
    assert.equal(isAgentOf(person, 'west'), false, JSON.stringify(person))
  }
})

test('a group of a cluster is read whole, in both forms', () => {
  assert.equal(parseClusterGroup('system:open-cluster-management:west'), 'west')
  assert.equal(parseClusterGroup('open-cluster-management:west'), 'west')
  for (const group of ['', 'system:open-cluster-management:', 'open-cluster-management:a:b', 'west'])
    assert.equal(parseClusterGroup(group), undefined, group)
})
