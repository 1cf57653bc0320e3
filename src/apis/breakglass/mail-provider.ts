import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int64, Time } from '../fields.ts'
import { AuthorityPem, breakglassGroup, conditionStatus, SecretKeyReference } from './common.ts'

const Smtp = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, description: 'Its name or address.' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Where it listens.' }),
    username: Type.Optional(Type.String({ description: 'To log in by; goes with passwordRef.' })),
    passwordRef: Type.Optional(SecretKeyReference('The password; its key must be given.')),
    certificateAuthority: AuthorityPem('Who vouches for it, PEM. Absent: the system.'),
    insecureSkipVerify: Type.Optional(
      Type.Boolean({ description: 'Take whatever certificate it shows. Not for production.' }),
    ),
    disableTLS: Type.Optional(Type.Boolean({ description: 'Send in the clear. Not for production.' })),
  },
  { description: 'The server that takes the mail.' },
)

const Sender = Type.Object(
  {
    address: Type.String({
      minLength: 3,
      maxLength: 254,
      pattern: '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$',
      description: 'Its mail address.',
    }),
    name: Type.Optional(Type.String({ maxLength: 100, description: 'For people.' })),
  },
  { description: 'Whom the mail comes from.' },
)

const Retry = Type.Object(
  {
    count: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, default: 3, description: 'How often a mail is tried again.' }),
    ),
    initialBackoffMs: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 60_000,
        default: 100,
        description: 'Milliseconds before the first time; twice as long before each further one.',
      }),
    ),
    queueSize: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 10_000, default: 1000, description: 'How many mails may wait.' }),
    ),
  },
  { default: {}, description: 'What happens when the server does not take a mail.' },
)

export const MailProvider = customResource({
  group: breakglassGroup,
  kind: 'MailProvider',
  plural: 'mailproviders',
  singular: 'mailprovider',
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
                smtp: Smtp,
                sender: Sender,
                retry: Type.Optional(Retry),
                displayName: Type.Optional(Type.String({ description: 'For people.' })),
                default: Type.Optional(
                  Type.Boolean({ description: 'Whether it sends where none is named. At most one may.' }),
                ),
                disabled: Type.Optional(Type.Boolean({ description: 'Whether it sends nothing.' })),
              },
              { description: 'How mail is sent.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              {
                observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
                conditions: Conditions('How the mail provider stands.'),
                lastHealthCheck: Type.Optional(Time({ description: 'When the server was last tried.' })),
                lastSendAttempt: Type.Optional(
                  Time({ description: 'When a mail was last handed over, or not taken.' }),
                ),
                lastSendError: Type.Optional(Type.String({ description: 'Why it was not taken; empty: it was.' })),
              },
              { description: 'What is known of the mail provider.' },
            ),
          ),
        },
        { description: 'A mail server that tells people of sessions.' },
      ),
      columns: [
        { name: 'Host', type: 'string', jsonPath: '.spec.smtp.host' },
        { name: 'Port', type: 'integer', jsonPath: '.spec.smtp.port' },
        { name: 'Default', type: 'boolean', jsonPath: '.spec.default' },
        { name: 'Ready', type: 'string', jsonPath: conditionStatus('Ready') },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type MailProvider = ObjectOf<typeof MailProvider>
export type MailProviderSpec = NonNullable<MailProvider['spec']>
