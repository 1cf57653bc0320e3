import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Int32, Time } from '../fields.ts'
import { breakglassGroup, Duration, ReasonConfig, Words } from './common.ts'
import { SessionStatusFields } from './session-status-fields.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

const RequestedBy = Type.Object(
  { email: text('Claim `email`.'), username: text('Claim `preferred_username`.'), subject: text('Claim `sub`.') },
  { description: 'Who asked, as their token had it.' },
)

export const BreakglassSession = customResource({
  group: breakglassGroup,
  kind: 'BreakglassSession',
  plural: 'breakglasssessions',
  singular: 'breakglasssession',
  shortNames: ['bgs'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              cluster: Type.String({ description: 'Where.' }),
              user: Type.String({ description: 'Who, as the cluster knows them.' }),
              grantedGroup: Type.String({ description: 'Whose rights they get.' }),
              clusterConfigRef: text('The ClusterConfig of the cluster. Absent: the one of its name.'),
              escalation: text('The BreakglassEscalation that it was asked for under.'),
              requestedBy: Type.Optional(RequestedBy),
              requestReason: text('Why, in their words.'),
              emergency: Type.Optional(
                Type.Boolean({ description: 'Whether it was asked for without waiting for approval.' }),
              ),
              scheduledStartTime: Type.Optional(
                Time({ description: 'When it is to begin. Absent: as soon as it is approved.' }),
              ),
              maxValidFor: Type.Optional(Duration({ default: '1h', description: 'How long it may last.' })),
              idleTimeout: Type.Optional(
                Duration({ description: 'After how long without use it ends. Absent: it does not.' }),
              ),
              retainFor: Type.Optional(
                Duration({ default: '720h', description: 'How long it is kept after its end.' }),
              ),
              minApprovals: Type.Optional(
                Int32({
                  minimum: 1,
                  description: 'How many must approve, as it was when it was asked for. Absent: 1.',
                }),
              ),
              identityProviderName: text('The IdentityProvider that vouched for them.'),
              identityProviderIssuer: text('The `iss` of their token.'),
              allowIDPMismatch: Type.Optional(
                Type.Boolean({
                  description:
                    'Whether it also holds for the same name from another issuer. Never for what was asked for at the hub.',
                }),
              ),
              denyPolicyRefs: Words('Each a DenyPolicy that it is held to.'),
              requestReasonConfig: Type.Optional(ReasonConfig('Whether they were asked why.')),
              approvalReasonConfig: Type.Optional(ReasonConfig('Whether approvers are asked why.')),
            },
            { description: 'What was asked for. It does not change.' },
          ),
          status: Type.Optional(SessionStatusFields),
        },
        { description: 'Rights of a group that somebody asked for, in one cluster and for a while.' },
      ),
      selectableFields: ['.spec.cluster', '.spec.user', '.spec.grantedGroup', '.status.state'],
      columns: [
        { name: 'State', type: 'string', jsonPath: '.status.state' },
        { name: 'User', type: 'string', jsonPath: '.spec.user' },
        { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster' },
        { name: 'Granted Group', type: 'string', jsonPath: '.spec.grantedGroup' },
        { name: 'Expires At', type: 'string', jsonPath: '.status.expiresAt' },
        { name: 'Scheduled Start', type: 'string', jsonPath: '.spec.scheduledStartTime' },
        { name: 'Retained Until', type: 'string', jsonPath: '.status.retainedUntil' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type BreakglassSession = ObjectOf<typeof BreakglassSession>
export type SessionSpec = NonNullable<BreakglassSession['spec']>
export type SessionStatus = NonNullable<BreakglassSession['status']>
