import type { Static } from 'typebox'
import * as Type from 'typebox'
import { listSet } from '../fields.ts'
import { AuthorityPem, HttpsUrl, SecretKeyReference } from './common.ts'

const TokenExchange = Type.Object(
  {
    enabled: Type.Optional(
      Type.Boolean({ description: 'Whether the token of the hub is exchanged for one of the cluster.' }),
    ),
    subjectTokenSecretRef: Type.Optional(SecretKeyReference('The token that is exchanged; key `token` unless given.')),
    subjectTokenType: Type.Optional(Type.String({ description: 'Its type. Absent: an access token.' })),
    requestedTokenType: Type.Optional(Type.String({ description: 'What is asked for. Absent: an access token.' })),
    resource: Type.Optional(Type.String({ description: 'Where the new token is for.' })),
    actorTokenSecretRef: Type.Optional(SecretKeyReference('Of whoever acts; key `token` unless given.')),
    actorTokenType: Type.Optional(Type.String({ description: 'Its type. Absent: an access token.' })),
  },
  { description: 'Token exchange (RFC 8693).' },
)

/** What both ways to say it have in common. */
const shared = {
  server: HttpsUrl({ description: 'https URL of the API server of the cluster.' }),
  clientSecretRef: Type.Optional(
    SecretKeyReference('The secret of the client; key `client-secret`, else `value`, unless given.'),
  ),
  caSecretRef: Type.Optional(
    SecretKeyReference(
      'Who vouches for the API server; key `ca.crt` unless given. Absent: system roots, then first use.',
    ),
  ),
  insecureSkipTLSVerify: Type.Optional(
    Type.Boolean({ description: 'Take whatever certificate the API server shows. Not for production.' }),
  ),
  allowTOFU: Type.Optional(
    Type.Boolean({
      description:
        'Whether a CA nobody vouches for is trusted when first seen. Absent: as the installation has it, which is yes by default.',
    }),
  ),
  audience: Type.Optional(Type.String({ description: 'Of the token. Absent: the server.' })),
  scopes: Type.Optional(Type.Array(Type.String(), { ...listSet, description: 'Asked for besides `openid`.' })),
  tokenExchange: Type.Optional(TokenExchange),
  refreshTokenSecretRef: Type.Optional(
    SecretKeyReference('A refresh token that was obtained by hand; key `token` unless given.'),
  ),
  rotatedRefreshTokenKey: Type.Optional(
    Type.String({
      maxLength: 253,
      description: 'Where in that Secret its successor is kept when the issuer gives one. Absent: it is not kept.',
    }),
  ),
  fallbackPolicy: Type.Optional(
    Type.Enum(['None', 'Auto', 'Warn'], {
      description:
        'What happens when the refresh token is refused: nothing else is tried, another grant is, or it is and that is told. Absent: Auto.',
    }),
  ),
}

export const OidcAuth = Type.Object(
  {
    issuerURL: HttpsUrl({ description: 'Of the identity provider, as the API server of the cluster knows it.' }),
    clientID: Type.String({ minLength: 1, description: 'Of the client that the hub is there.' }),
    certificateAuthority: AuthorityPem('Who vouches for the identity provider, PEM. Absent: the system.'),
    ...shared,
  },
  { description: 'The hub gets tokens of an identity provider that the cluster trusts.' },
)
export type OidcAuth = Static<typeof OidcAuth>

export const OidcFromIdentityProvider = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Of the IdentityProvider.' }),
    clientID: Type.Optional(Type.String({ description: 'In place of its own.' })),
    ...shared,
  },
  { description: 'The same, with what an IdentityProvider says already.' },
)
export type OidcFromIdentityProvider = Static<typeof OidcFromIdentityProvider>
