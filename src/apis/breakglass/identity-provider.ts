import * as Type from 'typebox'
import type { ObjectOf } from '../declare.ts'
import { customResource } from '../declare.ts'
import { Conditions, Int32, Int64 } from '../fields.ts'
import { AuthorityPem, breakglassGroup, conditionStatus, HttpsUrl, SecretKeyReference } from './common.ts'

const duration = '^([0-9]+(ns|us|µs|ms|s|m|h))+$'
const word = (description: string) => Type.String({ minLength: 1, maxLength: 253, pattern: '^\\S+$', description })
const insecure = Type.Optional(
  Type.Boolean({ description: 'Refused: who people are must not depend on trust in anybody.' }),
)

const Oidc = Type.Object(
  {
    authority: HttpsUrl({ maxLength: 253, description: 'Its issuer URL.' }),
    clientID: word('Of the client that people log in by.'),
    expectedAudience: Type.Optional(word('That tokens must be for. Absent: the client.')),
    jwksEndpoint: Type.Optional(HttpsUrl({ maxLength: 253, description: 'Of its keys. Absent: as it says itself.' })),
    certificateAuthority: AuthorityPem('Who vouches for it, PEM. Absent: the system.'),
    insecureSkipVerify: insecure,
  },
  { description: 'How people log in.' },
)

const Keycloak = Type.Object(
  {
    baseURL: HttpsUrl({ maxLength: 253, description: 'Of the server.' }),
    realm: Type.String({ minLength: 1, maxLength: 253, description: 'Where its people are.' }),
    clientID: word('Of the service account that reads groups.'),
    clientSecretRef: SecretKeyReference('Its secret; key `client-secret`, else `value`, unless given.'),
    cacheTTL: Type.Optional(Type.String({ pattern: duration, description: 'How long groups are remembered.' })),
    requestTimeout: Type.Optional(Type.String({ pattern: duration, description: 'Of one request.' })),
    certificateAuthority: AuthorityPem('Who vouches for it, PEM. Absent: the system.'),
    insecureSkipVerify: insecure,
  },
  { description: 'Where groups are read, and a service account that clusters may know the hub by.' },
)

const most = (description: string) => Type.Optional(Int32({ minimum: 1, description }))
const SessionLimits = Type.Object(
  {
    maxActiveSessionsPerUser: most('Sessions at a time.'),
    groupOverrides: Type.Optional(
      Type.Array(
        Type.Object(
          {
            group: Type.String({ minLength: 1, description: 'Of the user; may hold *.' }),
            unlimited: Type.Optional(Type.Boolean({ description: 'As many as they like.' })),
            maxActiveSessionsPerUser: most('Sessions at a time.'),
          },
          { description: 'Another limit for the members of a group.' },
        ),
        { description: 'The first that fits counts.' },
      ),
    ),
  },
  { description: 'How many sessions its users may have.' },
)

export const IdentityProvider = customResource({
  group: breakglassGroup,
  kind: 'IdentityProvider',
  plural: 'identityproviders',
  singular: 'identityprovider',
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
                oidc: Oidc,
                issuer: Type.Optional(
                  HttpsUrl({ maxLength: 253, description: 'The `iss` of its tokens. Absent: the authority.' }),
                ),
                groupSyncProvider: Type.Optional(Type.Enum(['Keycloak'], { description: 'Where groups are read.' })),
                keycloak: Type.Optional(Keycloak),
                displayName: Type.Optional(Type.String({ maxLength: 100, description: 'For people.' })),
                disabled: Type.Optional(Type.Boolean({ description: 'Whether nobody may use it.' })),
                primary: Type.Optional(Type.Boolean({ description: 'Without effect, for the sake of old objects.' })),
                sessionLimits: Type.Optional(SessionLimits),
              },
              { description: 'Where identities come from.' },
            ),
          ),
          status: Type.Optional(
            Type.Object(
              {
                observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
                conditions: Conditions('How the identity provider stands.'),
              },
              { description: 'What is known of the identity provider.' },
            ),
          ),
        },
        { description: 'An identity provider: of people, and of the hub itself where clusters trust it.' },
      ),
      columns: [
        { name: 'Issuer', type: 'string', jsonPath: '.spec.issuer' },
        { name: 'GroupSync', type: 'string', jsonPath: '.spec.groupSyncProvider' },
        { name: 'Ready', type: 'string', jsonPath: conditionStatus('Ready') },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
})
export type IdentityProvider = ObjectOf<typeof IdentityProvider>
