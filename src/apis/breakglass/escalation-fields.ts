import * as Type from 'typebox'
import { Int32 } from '../fields.ts'
import { Duration, ReasonConfig, Words } from './common.ts'
import { PodSecurityOverrides } from './pod-security-fields.ts'

const Allowed = Type.Object(
  {
    clusters: Words('Names of ClusterConfigs; may hold *. `*`: all.', { maxItems: 50 }),
    groups: Words('Who may ask: members of one of these.', { maxItems: 50 }),
  },
  { description: 'Who may ask, and for which clusters.' },
)

const Approvers = Type.Object(
  {
    users: Words('By name.', { maxItems: 100 }),
    groups: Words('By a group they are in.', { maxItems: 30 }),
    hiddenFromUI: Words('Which of them are neither shown nor written to; they may approve all the same.', {
      maxItems: 30,
    }),
  },
  { description: 'Who may approve. At least one user or group.' },
)

const most = (description: string) => Type.Optional(Int32({ minimum: 1, description }))
const SessionLimits = Type.Object(
  {
    unlimited: Type.Optional(Type.Boolean({ default: false, description: 'As many as they like.' })),
    maxActiveSessionsPerUser: most('Sessions of one user at a time.'),
    maxActiveSessionsTotal: most('Sessions of all together at a time.'),
  },
  { description: 'How many sessions there may be, in place of what their identity provider says.' },
)

const EmergencyBypass = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'Whether it may be asked for.' })),
    reviewWithin: Type.Optional(Duration({ description: 'How soon somebody must have reviewed it. Absent: 72h.' })),
  },
  { description: 'Access before anybody approved, to be reviewed afterwards.' },
)

const providers = (description: string) => Words(description, { maxItems: 20 })

export const EscalationFields = Type.Object(
  {
    allowed: Allowed,
    clusterConfigRefs: Words('More clusters, by the same rule. None here and none above: no cluster.', {
      maxItems: 50,
    }),
    escalatedGroup: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: '^[a-zA-Z0-9._:-]+$',
        description: 'What a session grants: the rights that this group has in the cluster.',
      }),
    ),
    approvers: Type.Optional(Approvers),
    minApprovals: Type.Optional(
      Int32({ minimum: 1, maximum: 10, description: 'How many different people must approve. Absent: 1.' }),
    ),
    blockSelfApproval: Type.Optional(
      Type.Boolean({
        description: 'Whether nobody approves what they asked for themselves. Absent: as the cluster has it.',
      }),
    ),
    allowedApproverDomains: Words('Domains of the mail addresses of approvers. Empty: as the cluster has it.', {
      maxItems: 20,
    }),
    allowedIdentityProviders: providers('Whose users may ask and approve. Empty: those of any.'),
    allowedIdentityProvidersForRequests: providers('Whose users may ask; goes with the next.'),
    allowedIdentityProvidersForApprovers: providers('Whose users may approve; goes with the last.'),
    requestReason: Type.Optional(ReasonConfig('Why access is asked for.')),
    approvalReason: Type.Optional(ReasonConfig('Why it is approved.')),
    maxValidFor: Type.Optional(Duration({ default: '1h', description: 'How long a session may last.' })),
    maxExtensions: Type.Optional(
      Int32({ minimum: 0, description: 'How many times a running session may be extended. Absent: 1.' }),
    ),
    idleTimeout: Type.Optional(
      Duration({ description: 'After how long without use a session ends. Absent: it does not.' }),
    ),
    approvalTimeout: Type.Optional(Duration({ default: '1h', description: 'How long a request waits for approval.' })),
    retainFor: Type.Optional(Duration({ description: 'How long a session is kept after its end. Absent: 720h.' })),
    emergencyBypass: Type.Optional(EmergencyBypass),
    denyPolicyRefs: Words('Each a DenyPolicy that its sessions are held to.', { maxItems: 20 }),
    podSecurityOverrides: Type.Optional(PodSecurityOverrides),
    sessionLimitsOverride: Type.Optional(SessionLimits),
    mailProvider: Type.Optional(
      Type.String({
        maxLength: 63,
        pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
        description: 'Who sends the mail. Absent: as the cluster has it.',
      }),
    ),
    disableNotifications: Type.Optional(Type.Boolean({ description: 'Whether nobody gets mail.' })),
    notificationExclusions: Type.Optional(
      Type.Object(
        { users: Words('By name.'), groups: Words('Everybody in them.') },
        { description: 'Who gets no mail.' },
      ),
    ),
  },
  { description: 'Who may have which rights where, and who must agree.' },
)
