/** What the reference page shows. A test checks each by its schema. */
const kind = (name: string) => ({ apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1', kind: name })

export const sessionName = 'west-cluster-admins-9f2c4b1a7d3e5f60-1'

export const wish = {
  cluster: 'west',
  group: 'cluster-admins',
  reason: 'INC-4711: nodes do not drain',
  duration: 1_800,
}

const requested = { seq: 1, at: '2026-03-02T09:00:00Z', transition: 'requested', by: 'dev@example.com' }

export const session = {
  ...kind('BreakglassSession'),
  metadata: {
    name: sessionName,
    namespace: 'breakglass',
    uid: '5b0c6f1e-8c42-4c6f-9a39-0d4b7c1f2e11',
    resourceVersion: '4711',
    creationTimestamp: '2026-03-02T09:00:00Z',
  },
  spec: {
    cluster: 'west',
    user: 'dev@example.com',
    grantedGroup: 'cluster-admins',
    escalation: 'west-admins',
    requestReason: wish.reason,
    maxValidFor: '30m',
  },
  status: { state: 'Pending', timeoutAt: '2026-03-02T10:00:00Z', history: [requested] },
}

export const approvedSession = {
  ...session,
  metadata: { ...session.metadata, resourceVersion: '4720' },
  status: {
    state: 'Approved',
    approvedAt: '2026-03-02T09:05:00Z',
    expiresAt: '2026-03-02T09:35:00Z',
    approver: 'lead@example.com',
    approvals: [{ approver: 'lead@example.com', at: '2026-03-02T09:05:00Z' }],
    history: [requested, { seq: 2, at: '2026-03-02T09:05:00Z', transition: 'approved', by: 'lead@example.com' }],
  },
}

export const sessionAnswer = {
  session,
  approvalMeta: {
    canApprove: true,
    canReject: true,
    isRequester: false,
    isApprover: true,
    sessionState: 'Pending',
    stateMessage: 'it waits for approval',
  },
}

export const escalation = {
  ...kind('BreakglassEscalation'),
  metadata: { name: 'west-admins', namespace: 'breakglass', uid: '0f6d6a5e-1b58-4c5e-8a5d-2f0a6f0f8d55' },
  spec: {
    allowed: { clusters: ['west'], groups: ['devs'] },
    escalatedGroup: 'cluster-admins',
    approvers: { users: ['lead@example.com'], groups: [] },
    maxValidFor: '1h',
  },
  status: { conditions: [] },
}

export const sessionEvent = {
  session: sessionName,
  namespace: 'breakglass',
  cluster: 'west',
  user: 'dev@example.com',
  group: 'cluster-admins',
  state: 'Pending',
  entry: requested,
}

export const explainQuery = { cluster: 'west', verb: 'delete', resource: 'pods', namespace: 'shop', name: 'cart-0' }

export const explanation = {
  cluster: 'west',
  user: 'dev@example.com',
  allowed: false,
  decision: { verdict: 'noOpinion', source: 'none', reason: 'No session stands for this.' },
  sessions: [],
  policies: [],
  reviews: [],
  rbac: { answer: 'refused' },
  escalations: [{ name: 'west-admins', group: 'cluster-admins', maxValidFor: '1h', approvals: 1, verified: true }],
}
