import type { Static } from 'typebox'
import * as Type from 'typebox'
import { reloads } from '../core/config.ts'

const seconds = (byDefault: number, description: string) =>
  Type.Number({ default: byDefault, exclusiveMinimum: 0, ...reloads, description })
const count = (byDefault: number, description: string) =>
  Type.Integer({ default: byDefault, minimum: 1, ...reloads, description })
const optionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, ...reloads, description }))

const reviewTtl = Type.Object(
  {
    allowed: seconds(10, 'Seconds that its yes counts.'),
    refused: seconds(3, 'Seconds that its no counts.'),
  },
  { default: {}, description: 'How long an answer of a cluster is remembered.' },
)

const limits = Type.Object(
  {
    perMinute: count(600, 'Calls of any kind a minute.'),
    burst: count(100, 'Calls at once after a pause.'),
    requestsPerMinute: count(10, 'Sessions asked for a minute.'),
    reviewsPerSecond: count(
      200,
      'Questions of one cluster to the webhook a second; after a pause half as many at once.',
    ),
  },
  { default: {}, description: 'What one person, and one cluster, may send.' },
)

const notifyTarget = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'For the log.' }),
    kind: Type.Union([Type.Literal('webhook'), Type.Literal('chat')], {
      description: 'webhook: the notice as JSON. chat: {"text": …}, as Slack, Mattermost and Teams take it.',
    }),
    url: Type.String({ minLength: 1, description: 'Where it is posted.' }),
    tokenFile: Type.Optional(Type.String({ minLength: 1, description: 'A file with a bearer token.' })),
  },
  { description: 'One place.' },
)

/** The section `access` of lanyard.yaml. All of it is read again when it changes. */
export const accessSchema = Type.Object(
  {
    url: optionalText(
      'Where people and API servers find the hub, such as https://lanyard.example.com. Absent: as it is bound.',
    ),
    frontendUrl: optionalText('Of a page for people; reasons and notices link to it.'),
    userIdentifierClaim: Type.Union([Type.Literal('email'), Type.Literal('preferred_username'), Type.Literal('sub')], {
      default: 'email',
      ...reloads,
      description: 'By which claim a cluster knows people, where its ClusterConfig does not say.',
    }),
    oidcPrefixes: Type.Array(Type.String({ minLength: 1, description: 'One prefix.' }), {
      default: ['oidc:'],
      ...reloads,
      description:
        'Taken off groups of tokens before they are compared, and tried before groups on a cluster. Of several identity providers each has its own by annotation instead.',
    }),
    onPolicyError: Type.Union([Type.Literal('deny'), Type.Literal('noOpinion')], {
      default: 'deny',
      ...reloads,
      description: 'What becomes of people who hold a session when policies cannot be read.',
    }),
    hardenedProviderHints: Type.Boolean({
      default: true,
      ...reloads,
      description: 'Whether a refusal names no identity providers.',
    }),
    tenantPattern: optionalText('A pattern with a group named tenant, matched against the whole clusterID.'),
    authorizedTtl: seconds(10, 'Seconds that API servers remember a yes, as the printed configuration tells them.'),
    spokeDeadline: seconds(0.8, 'Seconds that a cluster may take to answer.'),
    totalDeadline: seconds(1.5, 'Seconds that a whole answer to an API server may take.'),
    reviewTtl,
    limits,
    trustedProxies: Type.Array(
      Type.String({
        pattern:
          '^([0-9]{1,3}(\\.[0-9]{1,3}){3}(/([0-9]|[12][0-9]|3[0-2]))?|[0-9a-fA-F:]*:[0-9a-fA-F:.]*(/([0-9]{1,2}|1[01][0-9]|12[0-8]))?)$',
        description: 'One network, such as 10.0.0.0/8, or one address.',
      }),
      {
        default: [],
        ...reloads,
        description:
          'Load balancers and proxies before the hub: their X-Forwarded-For is believed, and their connections are not limited as those of one address are.',
      },
    ),
    notify: Type.Array(notifyTarget, { default: [], ...reloads, description: 'Where every notice goes besides mail.' }),
    auditFile: optionalText('Where the log of the audit is written. Absent: standard output.'),
  },
  { default: {}, description: 'Break glass: access of people to clusters, under approval.' },
)

export type AccessConfig = Static<typeof accessSchema>
