import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JWK } from 'jose'
import { importJWK, SignJWT } from 'jose'
import type { AccessToken, ClientCredentials, Configuration, JWTStructured, KoaContextWithOIDC } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { audienceOf, resourceOf } from './audience.ts'
import type { ExchangeContext, Exchanged } from './exchange.ts'
import { exchangeGrant, issuedType, tokenExchange } from './exchange.ts'
import type { DemoClient, IdentityProviderSettings } from './index.ts'
import { loginPage, loginPath } from './login-page.ts'
import { memoryAdapter } from './memory-adapter.ts'
import type { OfflineTokenInput } from './offline.ts'
import { grantOffline, revokeOffline } from './offline.ts'
import type { DemoPerson } from './people.ts'
import { claimsOfPerson, deviceState, logIn, subjectOfPerson } from './people.ts'
import { signingJwk } from './signing-key.ts'

export interface ProviderDeps {
  issuer: string
  clients: readonly DemoClient[]
  people: readonly DemoPerson[]
  settings: IdentityProviderSettings
  signingKey: Secret
  clock: Clock
  log: Log
}

export interface TokenInput {
  subject: string
  audience?: string
  claims?: Readonly<Record<string, unknown>>
}

interface RunningProvider {
  serve(request: IncomingMessage, response: ServerResponse): void
  readonly requests: Readonly<Record<string, string>>[]
  offlineToken(input: OfflineTokenInput): Promise<Secret>
  revoke(refreshToken: Secret): Promise<void>
  accessToken(input: TokenInput): Promise<Secret>
  logIn(userCode: string, username: string): Promise<void>
}

type Claims = Readonly<Record<string, unknown>>
const mostRequests = 10_000
const mostSubjects = 1_000
/** Of refresh tokens. */
const monthSeconds = 30 * 86_400
const deviceSeconds = 600
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export async function createProvider(deps: ProviderDeps): Promise<RunningProvider> {
  const { issuer, settings, clock, log } = deps
  const jwk = signingJwk(deps.signingKey)
  const clients = new Map(deps.clients.map((client) => [client.id, client]))
  const subjectOf = (client: string) => String(clients.get(client)?.claims?.['sub'] ?? client)
  /** Of those whose refresh tokens were handed out. */
  const subjects = new BoundedMap<string, Claims>(mostSubjects)
  const people = new Map(deps.people.map((person) => [subjectOfPerson(person), claimsOfPerson(person)]))
  const exchanges = new WeakMap<object, Exchanged>()
  const requests: Readonly<Record<string, string>>[] = []
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1000)

  const claimsOf = (token: AccessToken | ClientCredentials): Claims => {
    if (token.kind === 'ClientCredentials') return clients.get(token.clientId ?? '')?.claims ?? {}
    const exchanged = exchanges.get(token)
    const { accountId } = token as AccessToken
    return exchanged ? exchanged.claims : (people.get(accountId) ?? subjects.get(accountId) ?? {})
  }

  /** By our clock: the library knows that of the machine only. */
  function complete(_: KoaContextWithOIDC, token: AccessToken | ClientCredentials, { payload }: JWTStructured): void {
    const iat = nowSeconds()
    Object.assign(payload, claimsOf(token), { iat, exp: iat + settings.tokenSeconds })
  }

  const provider = new Provider(issuer, configurationOf(deps, jwk, complete))

  const offlineToken = (input: OfflineTokenInput): Promise<Secret> => {
    const { client, subject = subjectOf(client), claims = clients.get(client)?.claims ?? {} } = input
    const { sub: _, ...others } = claims
    subjects.set(subject, others)
    return grantOffline(provider, { ...input, subject })
  }

  async function issue(ctx: ExchangeContext, exchanged: Exchanged, audience: string): Promise<object> {
    const { client, params } = ctx.oidc
    const token = new provider.AccessToken({
      ...{ client, accountId: exchanged.subject, gty: exchangeGrant, grantId: '' },
      scope: params.scope,
      resourceServer: new provider.ResourceServer(resourceOf(audience), resourceServer(audience, settings)),
    })
    exchanges.set(token, exchanged)
    return {
      access_token: await token.save(),
      issued_token_type: issuedType(params),
      token_type: token.tokenType,
      expires_in: settings.tokenSeconds,
      ...(params.scope !== undefined && { scope: params.scope }),
    }
  }
  tokenExchange(provider, { issuer, keys: { keys: [publicHalf(jwk)] }, clock, issue })

  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx as unknown as KoaContextWithOIDC
    if (oidc?.route !== 'token' || oidc.body === undefined) return
    const form = oidc.body as Record<string, string>
    requests.push({ ...form })
    if (requests.length > mostRequests) requests.shift()
    if (!settings.giveRefreshTokens || ctx.status !== 200 || form['grant_type'] !== 'client_credentials') return
    const { client_id: client = '', audience, scope } = form
    const refreshToken = await offlineToken({ client, ...(audience && { audience }), ...(scope && { scope }) })
    ctx.body = { ...(ctx.body as object), refresh_token: refreshToken.reveal() }
  })
  // In place of printing them.
  provider.onerror = (error) => log.error({ err: error }, 'identity provider failed')
  provider.on('server_error', (_, error) => log.error({ err: error }, 'identity provider failed'))
  const serve = provider.callback()
  const login = loginPage({
    people: deps.people,
    state: (userCode) => deviceState(provider, userCode),
    logIn: (userCode, person) => logIn(provider, { userCode, person, at: clock.now() }),
  })
  const isLogin = ({ url = '/' }: IncomingMessage) => url.split('?', 1)[0] === loginPath

  return {
    serve: (request, response) =>
      void (isLogin(request) ? login(request, response).catch(provider.onerror) : serve(request, response)),
    requests,
    offlineToken,
    revoke: (token) => revokeOffline(provider, token),
    async logIn(userCode, username) {
      const person = deps.people.find((one) => one.username === username)
      if (!person) throw new RangeError(`there is nobody called ${username}`)
      const found = await logIn(provider, { userCode, person, at: clock.now() })
      if (found !== 'waiting') throw new RangeError(`the code ${userCode} is ${found}`)
    },
    async accessToken({ subject, audience = issuer, claims = {} }) {
      const iat = nowSeconds()
      const signed = new SignJWT({ ...claims, iss: issuer, sub: subject, aud: audience, iat })
      const key = await importJWK(jwk, 'RS256')
      signed.setProtectedHeader({ alg: 'RS256', kid: String(jwk.kid) }).setExpirationTime(iat + settings.tokenSeconds)
      return Secret.of(await signed.sign(key))
    },
  }
}

const resourceServer = (audience: string, { tokenSeconds }: IdentityProviderSettings, scope = '') => ({
  audience,
  scope,
  accessTokenFormat: 'jwt' as const,
  accessTokenTTL: tokenSeconds,
  jwt: { sign: { alg: 'RS256' as const } },
})

const publicHalf = ({ kty, n, e, kid, alg, use }: JWK): JWK => ({ kty, n, e, kid, alg, use }) as JWK

type Complete = NonNullable<NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt']>

/** Everything that the library would print a warning about is given here. */
function configurationOf({ clients, settings }: ProviderDeps, jwk: JWK, complete: Complete): Configuration {
  const seconds = () => settings.tokenSeconds
  return {
    adapter: memoryAdapter(),
    jwks: { keys: [jwk] },
    clients: clients.map(({ id, secret, forPeople = false }) => ({
      client_id: id,
      ...(secret && { client_secret: secret.reveal() }),
      token_endpoint_auth_method: secret ? 'client_secret_post' : 'none',
      grant_types: [
        ...(secret ? ['client_credentials', exchangeGrant] : []),
        ...(forPeople ? [deviceGrant] : []),
        'refresh_token',
      ],
      response_types: [],
      redirect_uris: [],
    })),
    clientAuthMethods: ['client_secret_post', 'none'],
    // Whatever else is asked for is granted: it is a demo.
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: (_, client) => client.grantTypeAllowed(deviceGrant),
    rotateRefreshToken: () => settings.rotateRefreshTokens,
    routes: { code_verification: loginPath },
    clientBasedCORS: () => false,
    renderError(ctx, out) {
      ctx.body = out
    },
    ttl: {
      AccessToken: seconds,
      ClientCredentials: seconds,
      IdToken: seconds,
      DeviceCode: () => deviceSeconds,
      RefreshToken: () => monthSeconds,
      Grant: () => monthSeconds,
    },
    formats: { customizers: { jwt: complete } },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (ctx, client) => resourceOf(audienceAsked(ctx) ?? client.clientId),
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) =>
          resourceServer(audienceOf(resource), settings, String(ctx.oidc.params?.['scope'] ?? '')),
      },
    },
  } as Configuration
}

function audienceAsked(ctx: KoaContextWithOIDC): string | undefined {
  const asked = (ctx.oidc.body as Record<string, unknown> | undefined)?.['audience']
  return typeof asked === 'string' && asked !== '' ? asked : undefined
}
