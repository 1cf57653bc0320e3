import type { TSchema } from 'typebox'
import * as Type from 'typebox'
import { credentialStates } from '../store/tables.ts'
import { clusterIdPattern } from './paths.ts'

const text = (description: string, more: object = {}) => Type.String({ description, ...more })
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))
const given = (description: string) => Type.String({ format: 'date-time', description })
const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  )
const kind = (value: string) => Type.Literal(value, { description: `Always \`${value}\`.` })

export const clusterId = text('The id of the cluster.', { pattern: clusterIdPattern })
export const clusterParams = Type.Object({ cluster_id: clusterId })
const uuid = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
export const rotationParams = Type.Object({
  cluster_id: clusterId,
  rotation_id: text('The id of the rotation.', { pattern: uuid }),
})
export const registryParams = Type.Object({
  registry: text('The id of the registry.', { pattern: '^[A-Za-z0-9._-]{1,50}$' }),
})

export const credential = Type.Object({
  kind: kind('Credential'),
  id: text('The id of the credential.'),
  cluster_id: Type.Optional(text('Whose it is. Absent: of the pool.')),
  registry_id: text('The registry.'),
  username: text('What a client logs in with.'),
  generation: Type.Integer({ description: 'Counts the credentials of a cluster at a registry.' }),
  state: oneOf(credentialStates, 'Whether it is served.'),
  rotation_id: Type.Optional(text('The rotation that made it.')),
  created_time: given('When it was begun.'),
  issued_time: time('When the registry made it.'),
  expires_time: time('When the registry ends it. Absent: never.'),
})

const pullSecretFields = {
  kind: kind('PullSecret'),
  id: text('The id of the cluster.'),
  href: text('Where this is.'),
  cluster_id: text('The id of the cluster.'),
  generation: Type.Integer({ description: 'Counts the changes of what is served.' }),
  created_time: given('When the first credential was made.'),
  last_rotated_time: time('When the credentials were last replaced.'),
}

export const pullSecret = Type.Object({
  ...pullSecretFields,
  pull_secret: Type.Object(
    {
      auths: Type.Record(Type.String(), Type.Object({ auth: text('base64 of `username:token`.') }), {
        description: 'By host.',
      }),
    },
    { description: 'What Docker, Podman and the kubelet read.' },
  ),
  credentials: Type.Optional(Type.Array(credential, { description: 'What it is made of.' })),
})

export const resumed = Type.Object({
  ...pullSecretFields,
  credentials: Type.Array(credential, { description: 'What is served again, without tokens.' }),
})

const progress = Type.Array(
  Type.Object({
    registry_id: text('The registry.'),
    state: oneOf(['done', 'pending'], 'Whether it has happened there.'),
  }),
  { description: 'Registry by registry; what is pending goes on in the background.' },
)

export const deletion = Type.Object({
  kind: kind('PullSecretDeletion'),
  cluster_id: text('The id of the cluster.'),
  registries: progress,
})

export const suspension = Type.Object({
  kind: kind('PullSecretSuspension'),
  cluster_id: text('The id of the cluster.'),
  state: oneOf(['suspended', 'suspending'], '`suspending` until every registry is done.'),
  registries: progress,
})

export const rotation = Type.Object({
  kind: kind('PullSecretRotation'),
  id: text('The id of the rotation.'),
  href: text('Where this is.'),
  cluster_id: text('The id of the cluster.'),
  status: oneOf(['pending', 'in_progress', 'completed', 'failed', 'cancelled'], 'How far it is.'),
  progress: Type.Object({
    phase: Type.Optional(
      oneOf(
        ['creating', 'dual', 'revoking'],
        'While in progress: new credentials are made, both work, the old ones are removed.',
      ),
    ),
  }),
  reason: oneOf(['scheduled', 'compromise', 'manual'], 'Why.'),
  force_immediate: Type.Boolean({ description: 'Without a time in which both work.' }),
  requested_by: text('Who asked for it.'),
  grace_deadline_time: time('When the old credentials are removed without a confirmation.'),
  confirmed_time: time('When the new ones were confirmed.'),
  completed_time: time('When the old ones were gone.'),
  cancelled_time: time('When it was cancelled.'),
  last_error: Type.Optional(text('What went wrong last, if anything.')),
  created_time: given('When it was asked for.'),
  updated_time: given('When it changed last.'),
})

export const registry = Type.Object({
  kind: kind('Registry'),
  id: text('The id of the registry.'),
  name: text('For people.'),
  type: oneOf(['Quay', 'Redhat', 'Harbor', 'Nexus', 'Generic'], 'Which protocol it speaks.'),
  host: text('Its key under `auths`.'),
  credential_source: Type.Optional(text('The registry whose credential it shows.')),
  required: Type.Boolean({ description: 'Whether there is no document without it.' }),
})

export const pool = Type.Object({
  kind: kind('Pool'),
  id: text('The id of the registry.'),
  registry_id: text('The id of the registry.'),
  size: Type.Integer({ description: 'Credentials that wait for a cluster.' }),
  high: Type.Integer({ description: 'How many there should be.' }),
  low: Type.Integer({ description: 'Below this, somebody is told.' }),
  is_low: Type.Boolean({ description: 'Whether it is.' }),
})

export const cluster = Type.Object({
  kind: kind('PullSecretCluster'),
  id: text('The id of the cluster.'),
  href: text('Where its pull secret is.'),
  cluster_id: text('The id of the cluster.'),
  cloud_provider: text('Where it runs.'),
  region: text('Where it runs.'),
  external_resource_id: Type.Optional(text('What its provider calls it.')),
  owner: Type.Optional(text('Whose it is.')),
  state: oneOf(['active', 'suspending', 'suspended', 'resuming', 'deleting'], 'Whether its pull secret is served.'),
  generation: Type.Integer({ description: 'Counts the changes of what is served.' }),
  last_rotated_time: time('When its credentials were last replaced.'),
  created_time: given('Since when it is known.'),
  updated_time: given('When it changed last.'),
})

export const generateBody = Type.Object({
  cloud_provider: text('`gcp`, `aws`, `azure` or one of the configuration.', { maxLength: 255 }),
  region: text('The region, as its provider spells it.', { maxLength: 255 }),
  external_resource_id: Type.Optional(text('What the provider calls the cluster.', { maxLength: 255 })),
  owner: Type.Optional(text('Whose the cluster is: who may rotate.', { minLength: 1, maxLength: 255 })),
  registries: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Ids of registries; aliases follow their source. Absent: all.',
    }),
  ),
})

export const rotateBody = Type.Object({
  reason: oneOf(['manual', 'compromise', 'scheduled'], '`compromise` skips the time in which both work.'),
  force_immediate: Type.Optional(
    Type.Boolean({ description: 'Removes the old credentials as soon as there are new ones.' }),
  ),
  revoke_first: Type.Optional(
    Type.Boolean({
      description: 'Removes the old ones even when no new ones can be made; with force_immediate or `compromise` only.',
    }),
  ),
})

export const reasonBody = Type.Object({ reason: text('For the audit log.', { minLength: 1, maxLength: 1_024 }) })

export const listQuery = (orders: readonly string[], searched: readonly string[]) =>
  Type.Object({
    page: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 100_000,
      description: 'Which page. To walk through many, follow `Link: rel="next"`.',
    }),
    size: Type.Integer({ default: 20, minimum: 1, maximum: 100, description: 'Items a page.' }),
    ...(orders.length > 0 && {
      order: Type.String({
        default: 'created_time desc',
        description: `${orders.join(' or ')}, with \`asc\` or \`desc\`.`,
      }),
    }),
    ...(searched.length > 0 && {
      search: Type.Optional(
        text(
          `Conditions on ${searched.join(', ')}, joined by \`and\`: \`=\`, \`!=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, \`in (…)\`, \`like 'prefix%'\`.`,
          { maxLength: 1_024 },
        ),
      ),
      after: Type.Optional(text('From a `next` link: where the page before ended.', { maxLength: 512 })),
    }),
    fields: Type.Optional(text('Fields of the items, by commas. `kind` and `id` always come.', { maxLength: 512 })),
  })

export const listOf = (name: string, item: TSchema) =>
  Type.Object({
    kind: kind(name),
    page: Type.Integer({ description: 'Which page.' }),
    size: Type.Integer({ description: 'Items of this page.' }),
    total: Type.Integer({ description: 'How many there are; see `total_relation`.' }),
    total_relation: Type.Optional(
      oneOf(
        ['exact', 'estimate', 'at_least'],
        'More than 10,000 are not counted: `estimate` by the statistics of the database, `at_least` with a search.',
      ),
    ),
    items: Type.Array(item),
  })

export const includeMetadata = Type.Object({
  include_metadata: Type.Boolean({ default: false, description: 'Whether `credentials` come along.' }),
})
