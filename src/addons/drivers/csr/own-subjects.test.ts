import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addonGroup, addonUser } from '../../../fleet/names.ts'
import { isOwnSubject, isReservedSubject } from './own-subjects.ts'

const logs = { cluster: 'west', addon: 'logs' }
const own = { user: addonUser('west', 'logs'), group: addonGroup('west', 'logs') }
const judge = (user: string, ...groups: string[]) => {
  const subject = { commonName: user, organizations: groups, organizationalUnits: [], others: [] }
  return isOwnSubject(logs, subject) ? 'own' : isReservedSubject(logs, subject) ? 'reserved' : 'other'
}

test('an add-on is itself, under any name of its agents, with the groups that every add-on has', () => {
  assert.equal(judge(own.user, own.group), 'own')
  assert.equal(judge(own.user), 'own')
  assert.equal(judge(own.user.replace(/logs$/, 'a-1'), own.group), 'own')
  assert.equal(judge(own.user, own.group, 'system:open-cluster-management:addon:logs', 'system:authenticated'), 'own')
})

test('whoever the system knows is nobody that an add-on can be', () => {
  for (const group of [
    'system:masters',
    'system:nodes',
    'system:serviceaccounts',
    'system:open-cluster-management:west',
    'open-cluster-management:west',
    'system:open-cluster-management:managed-clusters',
    'system:open-cluster-management:addon:logs2',
    'system:open-cluster-management:addon:log',
    addonGroup('east', 'logs'),
    addonGroup('west', 'logs2'),
    addonGroup('west', 'log'),
    addonGroup('west2', 'logs'),
    'kubeadm:cluster-admins',
  ])
    assert.equal(judge(own.user, own.group, group), 'reserved', group)
  for (const user of [
    '',
    'system:admin',
    'system:kube-controller-manager',
    'system:serviceaccount:west:logs-agent',
    'system:open-cluster-management:west:a1',
    'system:open-cluster-management:cluster:west',
    addonUser('east', 'logs'),
    addonUser('west', 'logs2'),
    `${own.user}:more`,
    own.user.slice(0, -'logs'.length),
    own.user.replace(/:agent:logs$/, ''),
  ])
    assert.equal(judge(user, own.group), 'reserved', user)
})

test('everybody else is somebody whom an approver may vouch for', () => {
  assert.equal(judge('reader', own.group), 'other')
  assert.equal(judge(own.user, 'example:readers'), 'other')
  assert.equal(judge('example:reader', 'example:readers'), 'other')
})

test('an organizational unit is for people or an approver: nobody here knows what it means', () => {
  const subject = { commonName: own.user, organizations: [own.group], organizationalUnits: ['unit'], others: [] }
  assert.equal(isOwnSubject(logs, subject), false)
  assert.equal(isReservedSubject(logs, subject), false)
})
