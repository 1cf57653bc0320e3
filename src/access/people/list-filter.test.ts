import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionState } from '../../apis/breakglass/session-status-fields.ts'
import { sessionFailures } from '../sessions/index.ts'
import type { Listed, ListQuery } from './list-filter.ts'
import { byAge, isWanted, stateTokens, unknownState } from './list-filter.ts'

const approvalOf = (allowed: boolean): Listed['sight']['approval'] =>
  allowed
    ? { allowed }
    : { allowed, denialReason: 'NOT_AN_APPROVER', failure: sessionFailures.ACCESS_NOT_AN_APPROVER() }

function listed(state: SessionState, relation: 'mine' | 'approver' | 'decided' | 'none' = 'mine', name = 'a'): Listed {
  return {
    session: {
      metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: `2026-01-0${name.length}T00:00:00Z` },
      spec: { cluster: 'west', user: 'dev', grantedGroup: 'admins' },
    },
    sight: {
      isRequester: relation === 'mine',
      approval: approvalOf(relation === 'approver'),
      hasDecided: relation === 'decided',
    },
    state,
    grants: state === 'Approved',
  }
}

const relations: [query: ListQuery, seen: string][] = [
  [{}, 'approver'],
  [{ mine: true }, 'mine'],
  [{ approvedByMe: true }, 'decided'],
  [{ mine: true, approver: true }, 'mine approver'],
  [{ mine: true, approvedByMe: true }, 'mine decided'],
  [{ approver: false }, ''],
]
for (const [query, seen] of relations)
  test(`${JSON.stringify(query)} lists ${seen || 'nothing'}`, () => {
    const found = (['mine', 'approver', 'decided', 'none'] as const).filter((relation) =>
      isWanted(query)(listed('Pending', relation)),
    )
    assert.equal(found.join(' '), seen)
  })

const states: [token: string, state: SessionState][] = [
  ['pending', 'Pending'],
  ['Approved', 'Approved'],
  ['active', 'Approved'],
  ['waiting', 'WaitingForScheduledTime'],
  ['waitingForScheduledTime', 'WaitingForScheduledTime'],
  ['scheduled', 'WaitingForScheduledTime'],
  ['rejected', 'Rejected'],
  ['withdrawn', 'Withdrawn'],
  ['expired', 'Expired'],
  ['idleExpired', 'IdleExpired'],
  ['timeout', 'ApprovalTimeout'],
  ['approvalTimeout', 'ApprovalTimeout'],
]
for (const [token, state] of states)
  test(`${token} is ${state} and nothing else`, () => {
    assert.equal(unknownState({ state: [token] }), undefined)
    for (const [, other] of states)
      assert.equal(isWanted({ mine: true, state: [token] })(listed(other)), other === state, other)
  })

test('what is no word for a state is found', () => {
  for (const token of ['', 'sideways', 'constructor', '__proto__'])
    assert.equal(unknownState({ state: ['all', token] }), token)
  assert.equal(stateTokens.length, states.length + 1)
})

test('the rest of a filter must hold as well, whole', () => {
  const isListed = (query: ListQuery) => isWanted({ mine: true, ...query })(listed('Pending'))
  assert.ok(isListed({ cluster: 'west', user: 'dev', group: 'admins' }))
  for (const query of [{ cluster: 'wes' }, { user: 'DEV' }, { group: 'admin' }, { activeOnly: true }])
    assert.ok(!isListed(query), JSON.stringify(query))
})

test('the newest comes first', () => {
  const names = ['a', 'ccc', 'bb'].map((name) => listed('Pending', 'mine', name)).toSorted(byAge)
  assert.deepEqual(
    names.map(({ session }) => session.metadata.name),
    ['ccc', 'bb', 'a'],
  )
})
