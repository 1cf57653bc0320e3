/**
 * Issuers for tests.
 *
 * `startIssuer(t)` is the demo identity provider with a CA of its own: a correct one. Let a cluster trust it, and tell
 * a ClusterConfig of it:
 *
 *   const issuer = await startIssuer(t, { claims: { groups: ['hub'] } })
 *   const plane = await startControlPlane(t, { oidc: issuer.trust() })
 *   const secret = await scene.secret({ 'client-secret': issuer.clientSecret })
 *   await scene.config({ oidcAuth: { ...issuer.auth(plane.url), clientSecretRef: scene.ref(secret) } })
 *
 * A token is good on that cluster if its audience is what `trust(audience)` says (default: `kubernetes`, which `auth`
 * asks for). Its user is `oidc:<sub>`, its groups `oidc:<group>`; `issuer.user` is the name of the client there.
 * `issuer.requests` has the decoded forms of all token requests; `issuer.settings` changes it while it runs;
 * `issuer.offlineToken({ client: issuer.clientId, audience })` is a refresh token, `issuer.revoke(token)` spoils it.
 *
 * `startScriptedIssuer(t)` does what a correct one never does: its discovery document and its answers are yours.
 *
 *   const issuer = await startScriptedIssuer(t)
 *   issuer.document = { ...issuer.document, token_endpoint: 'https://elsewhere.example.com/token' }
 *   issuer.answer = () => ({ status: 401, body: { error: 'invalid_client' } })      // or 'hang', or 'cut'
 *   issuer.discovery = 'hang'
 */
import type { Server } from 'node:https'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { Secret } from '../../src/core/secret.ts'
import type { DemoIdentityProvider } from '../../src/demo/identity-provider/index.ts'
import { makeSigningKey, startIdentityProvider } from '../../src/demo/identity-provider/index.ts'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import type { OidcOptions } from './control-plane.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export const clientId = 'lanyard-hub'
/** A client without a secret, for refresh tokens alone. */
export const publicClientId = 'lanyard-public'
export const defaultAudience = 'kubernetes'

export interface IssuerOptions {
  /** Of tokens by client credentials. */
  claims?: Readonly<Record<string, unknown>>
  /** Default 300. */
  tokenSeconds?: number
  clock?: Clock
  /** Further clients, by their ids, with their claims; the secret of each is `secretOf(id)`. */
  clients?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** What any ClusterConfig of the issuer says. */
interface Named {
  readonly issuer: string
  readonly caPem: string
  readonly clientId: string
  readonly clientSecret: string
  /** `oidcAuth` but for its Secrets. */
  auth(
    server: string,
    audience?: string,
  ): {
    issuerURL: string
    clientID: string
    certificateAuthority: string
    server: string
    audience: string
  }
  /** For `startControlPlane(t, { oidc })`. */
  trust(audience?: string): OidcOptions
}

export interface TestIssuer extends DemoIdentityProvider, Named {
  /** As clusters that trust it call the client. */
  readonly user: string
  /** Of one grant, newest last. */
  requestsOf(grant: string): readonly Readonly<Record<string, string>>[]
}

/** One for all issuers of this process: to make one takes a while, and none of them is told apart by it. */
let signingKey: Promise<Secret> | undefined

export async function startIssuer(t: TestScope, options: IssuerOptions = {}): Promise<TestIssuer> {
  const { claims, tokenSeconds, clock = systemClock, clients = {} } = options
  const authority = await testAuthority('test-issuer-ca')
  signingKey ??= makeSigningKey()
  const provider = await startIdentityProvider({
    certificate: await issueForServer(authority, { ipAddresses: ['127.0.0.1'] }),
    signingKey: await signingKey,
    clients: [
      { id: clientId, secret: Secret.of(secretOf(clientId)), ...(claims && { claims }) },
      { id: publicClientId },
      ...Object.entries(clients).map(([id, own]) => ({ id, secret: Secret.of(secretOf(id)), claims: own })),
    ],
    ...(tokenSeconds !== undefined && { tokenSeconds }),
    clock,
  })
  teardown(t, async () => await provider[Symbol.asyncDispose]())
  return {
    ...provider,
    ...named(provider.issuer, authority.certPem),
    user: `oidc:${String(claims?.['sub'] ?? clientId)}`,
    requestsOf: (grant) => provider.requests.filter((form) => form['grant_type'] === grant),
  }
}

export const secretOf = (client: string): string => `${client}-secret`

const named = (issuer: string, caPem: string): Named => ({
  issuer,
  caPem,
  clientId,
  clientSecret: secretOf(clientId),
  auth: (server, audience = defaultAudience) => ({
    issuerURL: issuer,
    clientID: clientId,
    certificateAuthority: caPem,
    server,
    audience,
  }),
  trust: (audience = defaultAudience) => ({
    issuerUrl: issuer,
    clientId: audience,
    caPem,
    usernameClaim: 'sub',
    usernamePrefix: 'oidc:',
    groupsClaim: 'groups',
    groupsPrefix: 'oidc:',
  }),
})

/** `hang`: never answered. `cut`: the connection breaks. */
export type Scripted = { status?: number; body?: unknown; headers?: Readonly<Record<string, string>> } | 'hang' | 'cut'
export type TokenScript = (form: Readonly<Record<string, string>>) => Scripted

export interface ScriptedIssuer extends Named {
  /** Answered to discovery. At first: a sound one. */
  document: Record<string, unknown>
  /** In place of the document. */
  discovery: Scripted | undefined
  /** To the token endpoint. At first: a token for 300 seconds. */
  answer: TokenScript
  /** From here on its certificate is by another CA. */
  replaceCertificate(): Promise<void>
  /** Forms of the token requests, newest last. */
  readonly requests: readonly Readonly<Record<string, string>>[]
  /** Paths of all requests, newest last. */
  readonly paths: readonly string[]
}

export interface ScriptedOptions {
  /** Of its certificate, in place of 127.0.0.1. */
  dnsNames?: readonly string[]
}

export async function startScriptedIssuer(t: TestScope, options: ScriptedOptions = {}): Promise<ScriptedIssuer> {
  const sans = options.dnsNames ? { dnsNames: [...options.dnsNames] } : { ipAddresses: ['127.0.0.1'] }
  const certificate = async () => {
    const authority = await testAuthority('test-issuer-ca')
    const { certPem, keyPem } = await issueForServer(authority, sans)
    return { caPem: authority.certPem, options: { cert: certPem, key: keyPem.reveal() } }
  }
  const first = await certificate()
  const requests: Readonly<Record<string, string>>[] = []
  const paths: string[] = []
  let tokens = 0
  const server = createServer(first.options, async (request, response) => {
    const path = request.url ?? ''
    paths.push(path)
    const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    const answered = answerTo(path, text)
    if (answered === 'hang') return
    if (answered === 'cut') return void request.socket.destroy()
    const { status = 200, body, headers = {} } = answered
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? null))
  })
  function answerTo(path: string, text: string): Scripted {
    if (path.endsWith('/.well-known/openid-configuration')) return made.discovery ?? { body: made.document }
    if (!path.endsWith('/token')) return { status: 404 }
    const form = Object.fromEntries(new URLSearchParams(text))
    requests.push(form)
    return made.answer(form)
  }
  const issuer = await listening(t, server)
  const made: ScriptedIssuer = {
    ...named(issuer, first.caPem),
    document: { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` },
    discovery: undefined,
    answer: () => ({ body: { access_token: `token-${++tokens}`, token_type: 'Bearer', expires_in: 300 } }),
    replaceCertificate: async () => server.setSecureContext((await certificate()).options),
    requests,
    paths,
  }
  return made
}

async function listening(t: TestScope, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
