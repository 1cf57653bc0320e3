import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { GroupAnswer } from './answers.ts'
import { mayApproveBy, membershipOf } from './decide.ts'

const escalation = (groups: string[], more: Partial<BreakglassEscalation> = {}): BreakglassEscalation => ({
  spec: { allowed: { clusters: ['*'] }, escalatedGroup: 'admins', approvers: { groups } },
  ...more,
})
type Answers = Record<string, Record<string, Partial<GroupAnswer>>>
const decided = (object: BreakglassEscalation, answers: Answers) =>
  membershipOf(object, Object.keys(answers), (provider, group) => {
    const answer = answers[provider]?.[group]
    return answer && { at: 0, members: undefined, ...answer }
  })
const said = ({ condition }: ReturnType<typeof membershipOf>) => condition && [condition.status, condition.reason]

test('what several providers say is put together, and kept apart as well', () => {
  const found = decided(escalation(['leads']), {
    a: { leads: { members: ['bob@x.org', 'ann@x.org'] } },
    b: { leads: { members: ['ann@x.org', 'cy@x.org'] } },
  })
  assert.deepEqual(found.approverGroupMembers, { leads: ['ann@x.org', 'bob@x.org', 'cy@x.org'] })
  assert.deepEqual(found.idpGroupMemberships['b'], { leads: ['ann@x.org', 'cy@x.org'] })
  assert.deepEqual(said(found), ['True', 'GroupMembersResolved'])
})

test('what a provider cannot say is as it was, and is told', () => {
  const before = escalation(['leads'], { status: { idpGroupMemberships: { a: { leads: ['ann@x.org'] } } } })
  const found = decided(before, { a: { leads: { failed: 'it cannot be reached' } } })
  assert.deepEqual(found.approverGroupMembers, { leads: ['ann@x.org'] })
  assert.deepEqual(said(found), ['False', 'GroupSyncFailed'])
  const pending = membershipOf(before, ['a'], () => undefined)
  assert.deepEqual(pending.approverGroupMembers, { leads: ['ann@x.org'] })
  assert.deepEqual(said(pending), ['Unknown', 'GroupSyncPending'])
})

test('a group that nobody knows, or that nobody is in, is told', () => {
  assert.deepEqual(said(decided(escalation(['leads', 'gone']), { a: { leads: { members: ['x@x.org'] }, gone: {} } })), [
    'False',
    'GroupNotFound',
  ])
  assert.deepEqual(said(decided(escalation(['leads']), { a: { leads: { members: [] } } })), [
    'False',
    'GroupMembersEmpty',
  ])
  assert.deepEqual(said(decided(escalation(['leads']), { a: { leads: {} }, b: { leads: { members: ['x@x.org'] } } })), [
    'True',
    'GroupMembersResolved',
  ])
})

test('a provider that is gone takes its members along, and without any there is nothing to tell', () => {
  const before = escalation(['leads'], { status: { idpGroupMemberships: { gone: { leads: ['ann@x.org'] } } } })
  assert.deepEqual(decided(before, {}), { approverGroupMembers: {}, idpGroupMemberships: {}, condition: undefined })
})

test('of a group a thousand are kept and five thousand in all', () => {
  const many = (group: string) => Array.from({ length: 1_001 }, (_, at) => `${group}-${at}@x.org`)
  const groups = Array.from({ length: 7 }, (_, at) => `g${at}`)
  const found = decided(escalation(groups), {
    a: Object.fromEntries(groups.map((group) => [group, { members: many(group) }])),
  })
  assert.deepEqual(
    groups.map((group) => found.approverGroupMembers[group]?.length),
    [1_000, 1_000, 1_000, 1_000, 1_000, 0, 0],
  )
  assert.match(found.condition?.message ?? '', /5000 in all/)
})

test('only providers whose people may approve are asked', () => {
  const { spec } = escalation(['leads'])
  assert.equal(mayApproveBy(spec, 'a'), true)
  assert.equal(mayApproveBy({ ...spec, allowedIdentityProviders: ['b'] }, 'a'), false)
  const split = { ...spec, allowedIdentityProvidersForRequests: ['a'], allowedIdentityProvidersForApprovers: ['b'] }
  assert.deepEqual(
    ['a', 'b'].map((name) => mayApproveBy(split, name)),
    [false, true],
  )
})
