/** A realm as people would make one for the clusters of a fleet. */
export const realmName = 'kubernetes'
/** Whom its tokens are for: the client id that API servers are told. */
export const realmAudience = 'kubernetes'

export const jane = { username: 'jane', password: 'of-jane' }

export const clients = {
  /** Knows the hub by a service account. */
  hub: { client_id: 'lanyard-hub', client_secret: 'of-lanyard-hub' },
  /** Knows it by a token that jane gave it, and by a service account where that one fails. */
  delegate: { client_id: 'lanyard-delegate', client_secret: 'of-lanyard-delegate' },
  /** Exchanges tokens that jane has for another client. */
  exchanger: { client_id: 'lanyard-exchanger', client_secret: 'of-lanyard-exchanger' },
  portal: { client_id: 'portal', client_secret: 'of-portal' },
} as const

/** 30 seconds before its end a token is fetched anew, so these serve for two. */
const tokenSeconds = 32

const forAudience = (audience: string) => ({
  name: `audience ${audience}`,
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: { 'included.custom.audience': audience, 'access.token.claim': 'true' },
})

const withGroups = {
  name: 'groups',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-group-membership-mapper',
  config: { 'claim.name': 'groups', 'full.path': 'false', 'access.token.claim': 'true' },
}

const client = (
  { client_id, client_secret }: { client_id: string; client_secret: string },
  audience: string,
  more: { attributes?: Record<string, string>; [field: string]: unknown },
) => ({
  clientId: client_id,
  secret: client_secret,
  publicClient: false,
  standardFlowEnabled: false,
  protocolMappers: [forAudience(audience), withGroups],
  ...more,
  attributes: { 'access.token.lifespan': String(tokenSeconds), ...more.attributes },
})

const serviceAccount = ({ client_id }: { client_id: string }) => ({
  username: `service-account-${client_id}`,
  serviceAccountClientId: client_id,
  enabled: true,
  groups: ['/fleet'],
})

/** As the administrator's API takes it, and a file for an import. */
export const realm = {
  realm: realmName,
  enabled: true,
  groups: [{ name: 'fleet' }],
  clients: [
    client(clients.hub, realmAudience, { serviceAccountsEnabled: true }),
    client(clients.delegate, realmAudience, { serviceAccountsEnabled: true, directAccessGrantsEnabled: true }),
    client(clients.exchanger, realmAudience, { attributes: { 'standard.token.exchange.enabled': 'true' } }),
    client(clients.portal, clients.exchanger.client_id, {
      directAccessGrantsEnabled: true,
      attributes: { 'access.token.lifespan': '3600' },
    }),
  ],
  users: [
    {
      username: jane.username,
      firstName: 'Jane',
      lastName: 'Doe',
      email: 'jane@example.com',
      emailVerified: true,
      enabled: true,
      credentials: [{ type: 'password', value: jane.password, temporary: false }],
      groups: ['/fleet'],
      realmRoles: ['offline_access'],
    },
    serviceAccount(clients.hub),
    serviceAccount(clients.delegate),
  ],
} as const
