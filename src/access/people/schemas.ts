import * as Type from 'typebox'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { stateTokens } from './list-filter.ts'

const text = (description: string, more: object = {}) => Type.String({ description, ...more })
const flag = (description: string, more: object = {}) => Type.Boolean({ description, ...more })
const maybe = Type.Optional

const metadata = Type.Object(
  {
    name: text('Of the object.'),
    namespace: maybe(text('Where it is.')),
    uid: maybe(text('Of this very object.')),
    resourceVersion: maybe(text('Of its state.')),
    creationTimestamp: maybe(text('When it was made.', { format: 'date-time' })),
  },
  { description: 'As Kubernetes has it.' },
)
const kindOf = (kind: string) => ({
  apiVersion: text('Always `breakglass.t-caas.telekom.com/v1alpha1`.'),
  kind: text(`Always \`${kind}\`.`),
  metadata,
})
const sessionFields = BreakglassSession.declaration.versions[0].schema.properties
const escalationFields = BreakglassEscalation.declaration.versions[0].schema.properties

export const session = Type.Object({ ...kindOf('BreakglassSession'), ...sessionFields })
export const escalation = Type.Object({ ...kindOf('BreakglassEscalation'), ...escalationFields })
const total = Type.Integer({ description: 'How many there are, on all pages.' })
export const sessionList = Type.Object({ items: Type.Array(session, { description: 'The newest first.' }), total })
export const escalationList = Type.Object({ items: Type.Array(escalation, { description: 'By name.' }), total })

export const sessionAnswer = Type.Object({
  session,
  approvalMeta: Type.Object(
    {
      canApprove: flag('Whether the caller may approve it now.'),
      canReject: flag('Whether the caller may reject it now.'),
      isRequester: flag('Whether they asked for it.'),
      isApprover: flag('Whether they are among those who decide, whatever its state.'),
      denialReason: maybe(text('Why they are not.')),
      sessionState: text('Its state by the clock, which the object may not have reached yet.'),
      stateMessage: text('The same in words.'),
    },
    { description: 'What the caller may do with it.' },
  ),
})

export const nameParams = Type.Object({ name: text('The name of the session.', { maxLength: 253 }) })

/** As it is shown. What is missing or wrong is told by what decides on it, in its order. */
export const wish = Type.Object({
  cluster: maybe(text('The name of the cluster. Needed.', { maxLength: 253 })),
  group: maybe(text('Whose rights are asked for. Needed.', { maxLength: 253 })),
  user: maybe(text('The caller, where it is given at all.', { maxLength: 256 })),
  reason: maybe(text('Why, at most 500 characters. Some escalations insist on it.')),
  duration: maybe(Type.Integer({ description: 'Seconds, at least 60. Absent: as long as the escalation allows.' })),
  scheduledStartTime: maybe(text('When it is to begin, RFC 3339, at least five minutes from now. Absent: at once.')),
  emergency: maybe(flag('At once and without approval, where the escalation allows that. It is reviewed afterwards.')),
})
export const approveBody = Type.Object({
  reason: maybe(text('Why. Some escalations insist on it.')),
  duration: maybe(Type.Integer({ description: 'Seconds, at most what was asked for. Absent: that.' })),
})
export const reasonBody = Type.Object({ reason: maybe(text('Why.')) })
export const extendBody = Type.Object({
  duration: Type.Integer({ description: 'How much longer, in seconds.' }),
  reason: maybe(text('Why.')),
})
export const reviewBody = Type.Object({
  verdict: Type.Enum(['Justified', 'Unjustified'], { description: 'Whether the emergency was one.' }),
  comment: maybe(text('Why.')),
})

export const listQuery = Type.Object({
  cluster: maybe(text('Of this cluster alone.')),
  user: maybe(text('Of this user alone.')),
  group: maybe(text('Of this granted group alone.')),
  mine: maybe(flag('Those that the caller asked for.')),
  approver: maybe(flag('Those that the caller may decide on. Default: unless `mine` or `approvedByMe`.')),
  approvedByMe: maybe(flag('Those that the caller approved.')),
  activeOnly: maybe(flag('Only what grants at this moment.')),
  state: maybe(
    Type.Array(Type.String(), { description: `Any of these, by commas or repeated: ${stateTokens.join(', ')}.` }),
  ),
  token: maybe(text('The name of a session: the answer is only whether it is there for the caller.')),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Which page.' }),
  pageSize: Type.Integer({ minimum: 1, maximum: 1_000, default: 500, description: 'Sessions a page.' }),
})

export const escalationQuery = Type.Object({
  cluster: maybe(text('For this cluster alone.')),
  activeOnly: Type.Boolean({ default: true, description: 'Only those that can be asked for now.' }),
})

export const sessionEvent = Type.Object({
  session: text('The name of the session.'),
  namespace: text('Where it is.'),
  cluster: text('Of the session.'),
  user: text('Who asked for it.'),
  group: text('Whose rights it grants.'),
  state: maybe(text('Of the session, then.')),
  entry: Type.Object(
    {
      seq: Type.Integer({ description: 'One more than that of the entry before.' }),
      at: text('When.', { format: 'date-time' }),
      transition: text('What happened.'),
      by: maybe(text('Who did it. Absent: the hub.')),
      reason: maybe(text('Why.')),
    },
    { description: 'What happened, as the history of the session has it.' },
  ),
})

const named = (description: string) => maybe(text(description, { maxLength: 253 }))
export const explainQuery = Type.Object({
  cluster: text('The name of the cluster.', { minLength: 1, maxLength: 253 }),
  verb: text('What is to be done, as Kubernetes calls it.', { minLength: 1, maxLength: 63 }),
  user: maybe(text('Who, as the cluster knows them. Absent: the caller.', { maxLength: 256 })),
  groups: maybe(Type.Array(Type.String(), { maxItems: 100, description: 'Of another user: the groups they are in.' })),
  resource: named('To which kind of thing, in the plural. Or give `path`.'),
  group: named('The API group of the resource. Absent: the core.'),
  version: named('Of the API.'),
  subresource: named('A part of it.'),
  namespace: named('Where.'),
  name: named('Which.'),
  path: maybe(text('To a path that is no resource.', { maxLength: 1_024 })),
})

const anything = (description: string) => Type.Unknown({ description })
export const explanation = Type.Object({
  cluster: text('Where.'),
  user: text('Who, as the cluster knows them.'),
  allowed: flag('Whether they may.'),
  by: maybe(text('What decides: `session`, `rbac` or `policy`.')),
  decision: Type.Object(
    {
      verdict: text('What the authorization webhook answers: `allowed`, `denied` or `noOpinion`.'),
      source: text('Where that comes from.'),
      reason: text('For people.'),
      session: maybe(anything('The session that allows it.')),
      policy: maybe(text('The policy that forbids it.')),
    },
    { description: 'As the cluster is told.' },
  ),
  sessions: Type.Array(anything('One of them; `aside` says why it does not count.'), {
    description: 'Of this user on this cluster.',
  }),
  policies: Type.Array(anything('One of them, and why.'), { description: 'That forbid it.' }),
  reviews: Type.Array(anything('What the cluster said of groups.'), { description: 'What was asked of the cluster.' }),
  rbac: maybe(
    Type.Object(
      {
        answer: text('`allowed`, `refused` or `unknown`.'),
        group: maybe(text('The group that may.')),
        why: maybe(text('Why it is not known.')),
      },
      { description: 'What the rules of the cluster say of the groups of the user.' },
    ),
  ),
  escalations: Type.Array(
    Type.Object({
      name: text('Of the escalation.'),
      group: text('Whose rights it grants.'),
      maxValidFor: maybe(text('For how long.')),
      approvals: maybe(Type.Integer({ description: 'How many must approve.' })),
      verified: flag('Whether the cluster said that the group may. Else it could not be asked.'),
    }),
    { description: 'That would allow it.' },
  ),
})
