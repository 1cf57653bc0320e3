import type { Static } from 'typebox'
import * as Type from 'typebox'

const text = (description: string) => Type.String({ minLength: 1, description })

export const issuerSettings = Type.Object({
  issuerUrl: text('The `iss` of its tokens, exactly. https, unless it is on the loopback interface.'),
  jwksUrl: Type.Optional(text('Where its keys are. https, unless it is on the loopback interface.')),
  jwksFile: Type.Optional(text('A file with its keys, in place of `jwksUrl`; read again when a key is missing.')),
  audience: text('What `aud` must contain.'),
  identityClaim: Type.String({
    default: 'email',
    minLength: 1,
    description: 'The claim that names who calls. With `email`, one that says it is not verified is refused.',
  }),
  identityClaimPattern: Type.Optional(text('A pattern that the whole of that claim must match.')),
})
export type IssuerSettings = Static<typeof issuerSettings>

export const roleSettings = Type.Object({
  claim: text('The claim that is looked at; `scope` is split at spaces.'),
  value: text('What it must be, or contain as a list.'),
  issuer: Type.Optional(text('Only in tokens of this issuer. Absent: of all that are configured.')),
  permissions: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: 'What it allows.' }),
})
export type RoleSettings = Static<typeof roleSettings>

/** Who may call an API: the section `auth` of whatever serves one. */
export const accessSettings = Type.Object({
  issuers: Type.Array(issuerSettings, { default: [], description: 'Whose JWTs are taken.' }),
  roles: Type.Array(roleSettings, { default: [], description: 'What a claim of a JWT allows.' }),
  ownership: Type.Object(
    {
      source: Type.Union([Type.Literal('claim'), Type.Literal('subjectAccessReview')], {
        default: 'claim',
        description:
          'How it is known whose a cluster is: a claim of the JWT that equals its owner, or the API server is asked.',
      }),
      claim: Type.String({
        default: 'organization_id',
        minLength: 1,
        description: 'The claim that must equal the owner of the cluster.',
      }),
    },
    { default: {}, description: 'Whose a cluster is.' },
  ),
  serviceAccounts: Type.Object(
    {
      enabled: Type.Boolean({
        default: false,
        description: 'Whether tokens of Kubernetes ServiceAccounts are taken; the API server is asked about each.',
      }),
      audience: Type.String({
        default: 'hyperfleet-pull-secrets',
        minLength: 1,
        description: 'The audience that such a token must be for.',
      }),
    },
    { default: {}, description: 'Kubernetes ServiceAccounts.' },
  ),
})
export type AccessSettings = Static<typeof accessSettings>

export const limitSettings = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Whether calls are limited at all.' }),
    perMinute: Type.Integer({ default: 100, minimum: 1, description: 'Calls a minute and caller.' }),
    burst: Type.Integer({ default: 20, minimum: 1, description: 'Calls at once after a pause.' }),
    rotationsPerHour: Type.Integer({ default: 10, minimum: 1, description: 'Rotations an hour and caller.' }),
  },
  { default: {}, description: 'How often a caller may call.' },
)
export type LimitSettings = Static<typeof limitSettings>

export const defaultAccessSettings: AccessSettings = {
  issuers: [],
  roles: [],
  ownership: { source: 'claim', claim: 'organization_id' },
  serviceAccounts: { enabled: false, audience: 'hyperfleet-pull-secrets' },
}

export const defaultLimits: LimitSettings = { enabled: true, perMinute: 100, burst: 20, rotationsPerHour: 10 }
