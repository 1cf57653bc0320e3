import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int32, Int64 } from '../fields.ts'
import { breakglassGroup, conditionStatus, Words } from './common.ts'
import { DenyRule, ImpersonationRule } from './deny-rule-fields.ts'
import { PodSecurityRules } from './pod-security-fields.ts'

const AppliesTo = Type.Object(
  {
    clusters: Words('Names of clusters; `*`: all.', { maxItems: 50 }),
    tenants: Words('Whom the cluster belongs to; `*`: anybody.', { maxItems: 50 }),
    sessions: Words('Names of sessions; `*`: all.', { maxItems: 50 }),
  },
  { description: 'Where it holds: every list that is there must fit. Absent: everywhere.' },
)

export const DenyPolicy = customResource({
  group: breakglassGroup,
  kind: 'DenyPolicy',
  plural: 'denypolicies',
  singular: 'denypolicy',
  shortNames: ['dpolicy'],
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              appliesTo: Type.Optional(AppliesTo),
              rules: Type.Optional(
                Type.Array(DenyRule, { maxItems: 200, description: 'A request that one fits is refused.' }),
              ),
              impersonationRules: Type.Optional(
                Type.Array(ImpersonationRule, { maxItems: 100, description: 'The same for acting as somebody else.' }),
              ),
              podSecurityRules: Type.Optional(PodSecurityRules),
              precedence: Type.Optional(
                Int32({
                  minimum: 0,
                  description: 'Of several that refuse, the one with the lowest is named. Absent: 100.',
                }),
              ),
            },
            { description: 'What is refused.' },
          ),
          status: Type.Optional(
            Type.Object(
              {
                observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
                conditions: Conditions('How the policy stands.'),
              },
              { description: 'What is known of the policy.' },
            ),
          ),
        },
        { description: 'What nobody may do by a session, whatever the group that it grants may do.' },
      ),
      columns: [
        { name: 'Precedence', type: 'integer', jsonPath: '.spec.precedence' },
        { name: 'Ready', type: 'string', jsonPath: conditionStatus('Ready') },
      ],
    },
  ],
})
export type DenyPolicy = ObjectOf<typeof DenyPolicy>
export type DenyPolicySpec = NonNullable<DenyPolicy['spec']>
