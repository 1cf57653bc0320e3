import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int64, MapOf } from '../fields.ts'
import { breakglassGroup, conditionStatus } from './common.ts'
import { EscalationFields } from './escalation-fields.ts'

const members = MapOf(Type.Array(Type.String()), { description: 'Members by group.' })

export const BreakglassEscalation = customResource({
  group: breakglassGroup,
  kind: 'BreakglassEscalation',
  plural: 'breakglassescalations',
  singular: 'breakglassescalation',
  shortNames: ['bge'],
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: EscalationFields,
          status: Type.Optional(
            Type.Object(
              {
                observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
                conditions: Conditions('How the escalation stands.'),
                approverGroupMembers: Type.Optional(
                  MapOf(Type.Array(Type.String()), { description: 'Who is in each group of approvers.' }),
                ),
                idpGroupMemberships: Type.Optional(
                  MapOf(members, { description: 'The same by identity provider, before they were put together.' }),
                ),
              },
              { description: 'What is known of the escalation.' },
            ),
          ),
        },
        { description: 'Rights that people may ask for. Its name is unique over all namespaces.' },
      ),
      columns: [
        { name: 'Clusters', type: 'string', jsonPath: '.spec.allowed.clusters' },
        { name: 'Groups', type: 'string', jsonPath: '.spec.allowed.groups' },
        { name: 'Ready', type: 'string', jsonPath: conditionStatus('Ready') },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type BreakglassEscalation = ObjectOf<typeof BreakglassEscalation>
export type EscalationSpec = NonNullable<BreakglassEscalation['spec']>
export type EscalationStatus = NonNullable<BreakglassEscalation['status']>
