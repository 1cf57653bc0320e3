import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import { approverRecipients, isAddress, isExcluded, requesterAddress } from './recipients.ts'

const spec: EscalationSpec = {
  allowed: { clusters: ['*'], groups: ['devs'] },
  escalatedGroup: 'admins',
  approvers: { users: ['Lead@Example.com', 'not-an-address'], groups: ['leads', 'night'] },
}
const status = {
  approverGroupMembers: { leads: ['lead@example.com', 'ann@example.com'], night: ['ann@example.com', 'bob@other.org'] },
}
const addresses = (more: Partial<EscalationSpec>, alarm = false, out?: string) =>
  approverRecipients({ spec: { ...spec, ...more }, status }, { alarm, out }).map(({ address }) => address)

test('each approver is written to once, with all groups by which they may approve', () => {
  assert.deepEqual(approverRecipients({ spec, status }, { alarm: false }), [
    { address: 'lead@example.com', groups: ['leads'] },
    { address: 'ann@example.com', groups: ['leads', 'night'] },
    { address: 'bob@other.org', groups: ['night'] },
  ])
})

test('whoever asked, who is hidden or excluded, and who may not approve for their domain is left out', () => {
  assert.deepEqual(addresses({}, false, 'ann@example.com'), ['lead@example.com', 'bob@other.org'])
  assert.deepEqual(addresses({ approvers: { ...spec.approvers, hiddenFromUI: ['night'] } }), [
    'lead@example.com',
    'ann@example.com',
  ])
  assert.deepEqual(addresses({ approvers: { ...spec.approvers, hiddenFromUI: ['Lead@Example.com'] } }), [
    'ann@example.com',
    'bob@other.org',
  ])
  assert.deepEqual(addresses({ notificationExclusions: { users: ['ANN@example.com'], groups: [] } }), [
    'lead@example.com',
    'bob@other.org',
  ])
  assert.deepEqual(addresses({ notificationExclusions: { groups: ['night'] } }), ['lead@example.com'])
  assert.deepEqual(addresses({ allowedApproverDomains: ['other.org'] }), ['bob@other.org'])
})

test('in an emergency nobody who may approve is left out', () => {
  const quiet = {
    approvers: { ...spec.approvers, hiddenFromUI: ['night'] },
    notificationExclusions: { groups: ['leads'] },
  }
  assert.deepEqual(addresses(quiet, true), ['lead@example.com', 'ann@example.com', 'bob@other.org'])
})

const alone = { isOnlyProvider: true }

test('a requester is written to at their address, whatever their cluster calls them', () => {
  const base = { cluster: 'c', grantedGroup: 'g' }
  assert.equal(
    requesterAddress({ ...base, user: 'u-17', requestedBy: { email: 'Dev@Example.com' } }, alone),
    'dev@example.com',
  )
  assert.equal(requesterAddress({ ...base, user: 'dev@example.com' }, alone), 'dev@example.com')
  assert.equal(requesterAddress({ ...base, user: 'u-17' }, alone), undefined)
  assert.equal(isExcluded('dev@example.com', { ...spec, disableNotifications: true }, status), true)
})

test('F9j: of several identity providers a user name that looks like the address of another gets no letters, and takes none from them', () => {
  const session = {
    cluster: 'c',
    grantedGroup: 'g',
    user: 'lead@example.com',
    requestedBy: { username: 'lead@example.com' },
  }
  assert.equal(requesterAddress(session, alone), 'lead@example.com')
  assert.equal(requesterAddress(session, { isOnlyProvider: false }), undefined)
  const vouched = { ...session, requestedBy: { email: 'dev@example.com' } }
  assert.equal(requesterAddress(vouched, { isOnlyProvider: false }), 'dev@example.com')
  const { requestedBy: _requestedBy, ...byHand } = session
  assert.equal(requesterAddress(byHand, { isOnlyProvider: false }), 'lead@example.com', 'an administrator wrote it')
})

test('what could be taken for more than one address is none', () => {
  for (const text of ['a@b, c@d', 'a@b\nBcc: c@d', '<a@b>', 'a@b;c@d', 'a b@c', 'a@', '@b', 'a@b@c'])
    assert.equal(isAddress(text), false, text)
})
