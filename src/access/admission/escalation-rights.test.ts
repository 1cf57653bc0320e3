import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Right } from '../../fleet/access-review.ts'
import type { Kube } from '../../kube/kube.ts'
import { allowsSelfApproval, decideGiving } from './escalation-rights.ts'

const sample: EscalationSpec = {
  escalatedGroup: 'cluster-admin',
  allowed: { clusters: ['prod'], groups: ['emergency-responders'] },
  approvers: { users: ['admin@example.com'] },
}
const requester = { username: 'writer', uid: '7', groups: ['team'], extra: { scope: ['a'] } }

interface Review {
  spec: { user?: string; uid?: string; groups?: string[]; extra?: object; resourceAttributes: Right }
}

/** What the API server is asked, with nobody allowed anything unless it is said. */
function scene(isAllowed: (review: Review['spec']) => boolean = () => false) {
  const asked: Review['spec'][] = []
  const create = async ({ spec }: Review) => {
    asked.push(spec)
    return { status: { allowed: isAllowed(spec) } }
  }
  const kube = { of: () => ({ create }) } as unknown as Kube
  const decide = (changes: Partial<EscalationSpec>, old?: EscalationSpec) =>
    decideGiving(
      kube,
      requester,
      { spec: { ...sample, ...changes }, old, namespace: 'team-a' },
      AbortSignal.timeout(30_000),
    )
  return { asked, decide }
}
const attributes = ({ verb, resource, name, namespace }: Right) =>
  [verb, resource, name, namespace].filter((text) => text !== '').join(' ')

test('one right is asked for each cluster, of all that is known of the requester', async () => {
  const { asked, decide } = scene(({ resourceAttributes: { verb } }) => verb === 'bind')
  const clusters = { allowed: { clusters: ['prod', 'stage'] }, clusterConfigRefs: ['prod', 'edge'] }
  assert.equal((await decide(clusters)).allowed, true)
  assert.deepEqual(
    asked.map(({ resourceAttributes }) => attributes(resourceAttributes)),
    [
      'escalate breakglassescalations team-a',
      'bind escalatedgroups cluster-admin prod',
      'bind escalatedgroups cluster-admin stage',
      'bind escalatedgroups cluster-admin edge',
    ],
  )
  for (const { user, uid, groups, extra } of asked) assert.deepEqual({ username: user, uid, groups, extra }, requester)
})

test('who may escalate is asked nothing else', async () => {
  const { asked, decide } = scene(({ resourceAttributes: { verb } }) => verb === 'escalate')
  assert.equal((await decide({ escalatedGroup: 'system:masters', clusterConfigRefs: ['*'] })).allowed, true)
  assert.equal(asked.length, 1)
})

test('F5f: an answer that cannot be had is a refusal', async () => {
  const { decide } = scene(() => {
    throw new Error('no answer')
  })
  await assert.rejects(decide({}), /no answer/)
  const onlyEscalate = scene(({ resourceAttributes: { verb } }) => {
    if (verb === 'bind') throw new Error('no answer')
    return false
  })
  await assert.rejects(onlyEscalate.decide({}), /no answer/)
})

const isAsked = async (changes: Partial<EscalationSpec>, old: Partial<EscalationSpec> = {}): Promise<boolean> => {
  const { asked, decide } = scene()
  await decide(changes, { ...sample, ...old })
  return asked.length > 0
}
const clusters = (...names: string[]) => ({ allowed: { ...sample.allowed, clusters: names } })

test('what a change takes away, or leaves as it is, needs no right', async () => {
  const pairs: [now: Partial<EscalationSpec>, before: Partial<EscalationSpec>][] = [
    [{}, {}],
    [clusters('prod'), clusters('prod', 'stage')],
    [clusters('prod-1', 'prod-*-b'), clusters('prod-*')],
    [{ clusterConfigRefs: ['prod'] }, {}],
    [{ allowed: { clusters: ['prod'] } }, {}],
    [{}, { approvers: { users: ['admin@example.com', 'b@example.com'], groups: ['leads'] } }],
    [{ approvers: { ...sample.approvers, hiddenFromUI: ['admin@example.com'] } }, {}],
    [{ minApprovals: 2 }, {}],
    [{ blockSelfApproval: true }, {}],
    [{ maxValidFor: '30m' }, { maxValidFor: '1h' }],
    [{ idleTimeout: '5m' }, {}],
    [{ maxExtensions: 0 }, {}],
    [{ denyPolicyRefs: ['a'] }, {}],
    [{ requestReason: { mandatory: true } }, {}],
    [{ allowedIdentityProviders: ['a'] }, {}],
    [{ allowedApproverDomains: ['a.de'] }, { allowedApproverDomains: ['a.de', 'b.de'] }],
    [{ retainFor: '1h', approvalTimeout: '2h', mailProvider: 'm', disableNotifications: true }, {}],
    [{ escalatedGroup: 'system:masters', maxValidFor: '5m' }, { escalatedGroup: 'system:masters' }],
  ]
  for (const [now, old] of pairs) assert.equal(await isAsked(now, old), false, JSON.stringify([now, old]))
})

test('what a change adds does: to whom, on whose word, where, for how long, past which policy', async () => {
  const pairs: [now: Partial<EscalationSpec>, before: Partial<EscalationSpec>][] = [
    [{ escalatedGroup: 'other' }, {}],
    [clusters('prod', 'stage'), {}],
    [clusters('prod-*'), clusters('prod-1')],
    [{ allowed: { clusters: ['prod'], groups: ['emergency-responders', 'all'] } }, {}],
    [{ approvers: { users: ['admin@example.com'], groups: ['leads'] } }, {}],
    [{ minApprovals: 1 }, { minApprovals: 2 }],
    [{}, { blockSelfApproval: true }],
    [{ blockSelfApproval: false }, {}],
    [{}, { maxValidFor: '30m' }],
    [{}, { idleTimeout: '5m' }],
    [{ maxExtensions: 2 }, {}],
    [{}, { denyPolicyRefs: ['a'] }],
    [{}, { requestReason: { mandatory: true } }],
    [{}, { approvalReason: { mandatory: true } }],
    [{}, { allowedIdentityProviders: ['a'] }],
    [{ allowedIdentityProviders: ['a', 'b'] }, { allowedIdentityProviders: ['a'] }],
    [{ allowedApproverDomains: ['a.de'] }, {}],
    [{}, { allowedApproverDomains: ['a.de'] }],
    [{ emergencyBypass: { enabled: true } }, {}],
    [{ podSecurityOverrides: { enabled: true } }, {}],
    [{ sessionLimitsOverride: { unlimited: true } }, {}],
    [{ escalatedGroup: 'system:masters', maxExtensions: 3 }, { escalatedGroup: 'system:masters' }],
  ]
  for (const [now, old] of pairs) assert.equal(await isAsked(now, old), true, JSON.stringify([now, old]))
})

test('who asks may be who approves, unless the escalation or each of its clusters blocks that, or two must approve', () => {
  const may = (changes: Partial<EscalationSpec>, ...blocking: string[]) =>
    allowsSelfApproval({ ...sample, ...changes }, (name) => blocking.includes(name))
  assert.equal(may({}), true)
  assert.equal(may({}, 'prod'), false)
  assert.equal(may({ blockSelfApproval: false }, 'prod'), true)
  assert.equal(may({ blockSelfApproval: true }), false)
  assert.equal(may({ minApprovals: 2 }), false)
  assert.equal(may(clusters('prod', 'prod-*'), 'prod'), true)
  assert.equal(may({ allowed: { clusters: ['prod'] } }), false)
})
