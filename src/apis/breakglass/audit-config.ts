import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int64, Time } from '../fields.ts'
import { AuditSink } from './audit-sink-fields.ts'
import { breakglassGroup, conditionStatus, NamespaceFilter, Words } from './common.ts'

const Queue = Type.Object(
  {
    size: Type.Optional(
      Type.Integer({ minimum: 1000, maximum: 10_000_000, default: 100_000, description: 'How many may wait.' }),
    ),
    workers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 5,
        description: 'Has no effect: each sink gets events in order.',
      }),
    ),
    dropOnFull: Type.Optional(
      Type.Boolean({ default: true, description: 'Has no effect: what is too much is let go, and counted.' }),
    ),
  },
  { description: 'Where events wait to be sent.' },
)

const Filtering = Type.Object(
  {
    includeEventTypes: Words('Only these types; may hold *. Absent: all.'),
    excludeEventTypes: Words('Not these types; may hold *.'),
    includeUsers: Words('Only what these did; may hold *. Absent: anybody.'),
    excludeUsers: Words('Not what these did; may hold *.'),
    includeNamespaces: Type.Optional(NamespaceFilter('Only what happened there. Absent: anywhere.')),
    excludeNamespaces: Type.Optional(NamespaceFilter('Not what happened there.')),
    includeResources: Words('Only what was done to these; may hold *. Absent: anything.'),
    excludeResources: Words('Not what was done to these; may hold *.'),
  },
  { description: 'Which events are kept. What is both included and excluded is not.' },
)

const Sampling = Type.Object(
  {
    rate: Type.Optional(
      Type.String({ default: '1.0', description: 'Which part of the frequent events is kept, from 0.0 to 1.0.' }),
    ),
    highVolumeEventTypes: Words('Which are the frequent ones.'),
    alwaysCaptureEventTypes: Words('Which are always kept.'),
  },
  { description: 'What becomes of frequent events.' },
)

const SinkStatus = Type.Object(
  {
    name: Type.String({ description: 'Of the sink.' }),
    ready: Type.Boolean({ description: 'Whether it takes events.' }),
    eventsWritten: Type.Optional(Int64({ description: 'How many it took.' })),
    lastSuccessTime: Type.Optional(Time({ description: 'When it last took one.' })),
    lastError: Type.Optional(Type.String({ description: 'Why it last did not.' })),
  },
  { description: 'How one sink stands.' },
)

export const AuditConfig = customResource({
  group: breakglassGroup,
  kind: 'AuditConfig',
  plural: 'auditconfigs',
  singular: 'auditconfig',
  shortNames: ['ac'],
  scope: 'Cluster',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Optional(
            Type.Object(
              {
                enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether its sinks get anything.' })),
                sinks: Type.Array(AuditSink, { minItems: 1, description: 'Where events go.' }),
                queue: Type.Optional(Queue),
                filtering: Type.Optional(Filtering),
                sampling: Type.Optional(Sampling),
              },
              { description: 'Where events go, and which.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              {
                observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
                conditions: Conditions('How the sinks stand.'),
                activeSinks: Words('The sinks that get events.'),
                eventsProcessed: Type.Optional(Int64({ description: 'How many events were sent.' })),
                eventsDropped: Type.Optional(Int64({ description: 'How many were let go.' })),
                lastEventTime: Type.Optional(Time({ description: 'When the last was sent.' })),
                sinkStatuses: Type.Optional(Type.Array(SinkStatus, { description: 'The sinks one by one.' })),
              },
              { description: 'What is known of the sinks.' },
            ),
          ),
        },
        { description: 'Where the record of who asked for, agreed to and used access goes. Several add up.' },
      ),
      columns: [
        { name: 'Enabled', type: 'boolean', jsonPath: '.spec.enabled' },
        { name: 'Sinks', type: 'string', jsonPath: '.status.activeSinks' },
        { name: 'Processed', type: 'integer', jsonPath: '.status.eventsProcessed' },
        { name: 'Dropped', type: 'integer', jsonPath: '.status.eventsDropped' },
        { name: 'Ready', type: 'string', jsonPath: conditionStatus('Ready') },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type AuditConfig = ObjectOf<typeof AuditConfig>
export type AuditConfigSpec = NonNullable<AuditConfig['spec']>
