import type { Static } from 'typebox'
import * as Type from 'typebox'
import { MapOf } from '../fields.ts'
import { SecretReference, Words } from './common.ts'

const whole = (minimum: number, maximum: number, standard: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, default: standard, description }))
const caSecretRef = Type.Optional(SecretReference('Who vouches for it; key `ca.crt`. Absent: the system.'))
const insecureSkipVerify = Type.Optional(
  Type.Boolean({ default: false, description: 'Take whatever certificate it shows. Not for production.' }),
)

const Kafka = Type.Object(
  {
    brokers: Type.Array(Type.String(), { minItems: 1, description: 'host:port of each.' }),
    topic: Type.String({ minLength: 1, maxLength: 249, description: 'Where events are put.' }),
    tls: Type.Optional(
      Type.Object(
        {
          enabled: Type.Boolean({ default: true, description: 'Whether TLS is spoken.' }),
          caSecretRef,
          clientCertSecretRef: Type.Optional(
            SecretReference('What the hub shows; keys `tls.crt` and `tls.key`. Absent: nothing.'),
          ),
          insecureSkipVerify,
        },
        { description: 'How the brokers are trusted.' },
      ),
    ),
    sasl: Type.Optional(
      Type.Object(
        {
          mechanism: Type.Enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], { description: 'How.' }),
          credentialsSecretRef: SecretReference('Keys `username` and `password`.'),
        },
        { description: 'How the hub logs in. Absent: it does not.' },
      ),
    ),
    batchSize: whole(1, 10_000, 100, 'Events at a time at most.'),
    batchTimeoutSeconds: whole(0, 60, 1, 'How long to wait for that many.'),
    requiredAcks: whole(-1, 1, -1, 'Who must have an event: -1 every replica, 0 nobody, 1 the leader.'),
    compression: Type.Optional(
      Type.Enum(['none', 'gzip', 'snappy', 'lz4', 'zstd'], { default: 'snappy', description: 'Of batches.' }),
    ),
    async: Type.Optional(Type.Boolean({ default: false, description: 'Whether nobody waits for an answer.' })),
  },
  { description: 'Of type kafka. Taken for the sake of existing objects: Lanyard does not send there yet.' },
)

const url = { pattern: '^https?://.+' }
const Webhook = Type.Object(
  {
    url: Type.String({ minLength: 1, ...url, description: 'Where events are posted.' }),
    batchUrl: Type.Optional(Type.String({ ...url, description: 'Where several at a time are. Absent: the same.' })),
    batchSize: whole(1, 1000, 1, 'Events at a time at most.'),
    timeoutSeconds: whole(1, 30, 5, 'Of one post.'),
    headers: Type.Optional(MapOf(Type.String(), { description: 'Sent along.' })),
    authSecretRef: Type.Optional(
      SecretReference('How the hub logs in: key `token`, or `username` and `password`. Absent: it does not.'),
    ),
    tls: Type.Optional(Type.Object({ caSecretRef, insecureSkipVerify }, { description: 'How the server is trusted.' })),
  },
  { description: 'Of type webhook.' },
)

const Log = Type.Object(
  {
    level: Type.Optional(
      Type.Enum(['debug', 'info', 'warn', 'error'], {
        default: 'info',
        description: 'Has no effect: see minSeverity.',
      }),
    ),
    format: Type.Optional(
      Type.Enum(['json', 'console'], { default: 'json', description: 'Has no effect: always JSON lines.' }),
    ),
  },
  { description: 'Of type log.' },
)

const Kubernetes = Type.Object(
  { eventTypes: Words('Which become Events of Kubernetes. Absent: all that get here.') },
  { description: 'Of type kubernetes.' },
)

export const AuditSink = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      description: 'Its own among the sinks.',
    }),
    type: Type.Enum(['log', 'webhook', 'kafka', 'kubernetes'], { description: 'Which block below holds.' }),
    log: Type.Optional(Log),
    webhook: Type.Optional(Webhook),
    kafka: Type.Optional(Kafka),
    kubernetes: Type.Optional(Kubernetes),
    eventTypes: Words('Which events get here; may hold *. Absent: all.'),
    minSeverity: Type.Optional(
      Type.Enum(['info', 'warning', 'critical'], { description: 'How grave they must be. Absent: however little.' }),
    ),
  },
  { description: 'One place that events go to.' },
)
export type AuditSink = Static<typeof AuditSink>
