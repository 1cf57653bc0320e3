/** The pull secret service behind its REST API, called within this process by identities of a real issuer. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { JWK } from 'jose'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { AccessSettings, KubeSource, LimitSettings } from '../../src/fleet/identity/index.ts'
import { access, defaultAccessSettings, defaultLimits } from '../../src/fleet/identity/index.ts'
import type { RestApi } from '../../src/fleet/rest.ts'
import { accessRules, apiBase, ownerRule, pullSecretApi } from '../../src/pull-secrets/api/index.ts'
import type { RestAppOptions } from '../../src/server/rest/index.ts'
import { limitsOf, restApp } from '../../src/server/rest/index.ts'
import type { PullSecretScene, PullSecretSceneOptions } from './pull-secret-scene.ts'
import { clusterC, pullSecretScene } from './pull-secret-scene.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/**
 * `operator` may everything, `adapter` works on all clusters, `reader` sees metadata only. `owner` and `stranger` have the
 * same permissions and differ in whose clusters are theirs.
 */
export type IdentityName = 'viewer' | 'operator' | 'adapter' | 'reader' | 'owner' | 'stranger'

/** What `ownerOf` of a cluster has to be for `owner`. */
export const ownOrganization = 'org-of-owner'

export interface Call {
  /** Anything but text goes as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Default `operator`; null: without a token. */
  as?: IdentityName | null
}

export interface CallAnswer {
  status: number
  headers: Record<string, string | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered, for assertions to look into
  body: any
  text: string
}

export interface ApiSceneOptions extends PullSecretSceneOptions {
  /** Default: none, as the clock stands still. */
  limits?: Partial<LimitSettings>
  access?: Partial<AccessSettings>
  kube?: KubeSource
  app?: Partial<RestAppOptions>
}

export interface Issuer {
  issuerUrl: string
  audience: string
  jwksFile: string
  /** With these claims besides `iss`, `aud`, `iat` and `exp` (an hour on); each may be given instead. */
  token(claims: Record<string, unknown>, more?: { key?: 'known' | 'unknown' }): Promise<string>
  /** Signs with a new key from now on, which its file has as well. */
  rotate(): Promise<void>
}

export interface ApiScene extends PullSecretScene {
  app: FastifyInstance
  api: RestApi
  /** What the app was made with, to make another or to listen. */
  appOptions: RestAppOptions
  issuer: Issuer
  /** Paths are below `/api/hyperfleet/v1`, unless they start with `//`: then from the root. */
  call(method: string, path: string, options?: Call): Promise<CallAnswer>
  token(as: IdentityName): Promise<string>
}

const claimsOf: Readonly<Record<IdentityName, Record<string, unknown>>> = {
  operator: { email: 'operator@example.com', groups: ['sre'] },
  adapter: { email: 'adapter@example.com', groups: ['adapters'] },
  viewer: { email: 'viewer@example.com', groups: ['viewers', 'senders'], organization_id: ownOrganization },
  reader: { email: 'reader@example.com', groups: ['readers'] },
  owner: { email: 'owner@example.com', groups: ['customers'], organization_id: ownOrganization },
  stranger: { email: 'stranger@example.com', groups: ['customers'], organization_id: 'org-of-stranger' },
}

const rotations = ['rotations:read', 'rotations:create', 'rotations:confirm']
const roles = [
  { claim: 'groups', value: 'sre', permissions: ['operator'] },
  {
    claim: 'groups',
    value: 'adapters',
    permissions: [
      'pull-secrets:read',
      'pull-secrets:create',
      'pull-secrets:delete',
      'metadata:read',
      'clusters:all',
      ...rotations,
    ],
  },
  { claim: 'groups', value: 'readers', permissions: ['metadata:read', 'clusters:all'] },
  { claim: 'groups', value: 'viewers', permissions: ['metadata:read'] },
  { claim: 'groups', value: 'senders', permissions: ['events:receive'] },
  { claim: 'groups', value: 'customers', permissions: ['pull-secrets:read', ...rotations] },
]

/** The body of a POST for `clusterC`. */
export const generateBody = { cloud_provider: clusterC.cloudProvider, region: clusterC.region }

export async function apiScene(t: TestScope, options: ApiSceneOptions = {}): Promise<ApiScene> {
  const scene = await pullSecretScene(t, options)
  const issuer = await startIssuer(t, scene)
  const settings: AccessSettings = {
    ...defaultAccessSettings,
    issuers: [
      {
        issuerUrl: issuer.issuerUrl,
        jwksFile: issuer.jwksFile,
        audience: issuer.audience,
        identityClaim: 'email',
      },
    ],
    roles,
    ...options.access,
  }
  const { clock, log, metrics } = scene
  const gate = access({
    settings,
    rules: accessRules,
    ownerRule,
    clock,
    log,
    ...(options.kube && { kube: options.kube }),
  })
  const { service, database, registries } = scene
  const api = pullSecretApi({ service, database, registries, settings: scene.settings, access: gate, version: 'test' })
  const appOptions: RestAppOptions = {
    api,
    access: gate,
    clock,
    log,
    metrics,
    metricsArea: 'pull',
    ...limitsOf({ ...defaultLimits, enabled: options.limits !== undefined, ...options.limits }, clock),
    ...options.app,
  }
  const app = await restApp(appOptions)
  teardown(t, () => app.close())
  const tokens = new Map<IdentityName, string>()
  const token = async (as: IdentityName): Promise<string> => {
    const known = tokens.get(as)
    if (known) return known
    const made = await issuer.token({ ...claimsOf[as], exp: Math.floor(clock.now().getTime() / 1_000) + 400 * 86_400 })
    tokens.set(as, made)
    return made
  }
  return {
    ...scene,
    app,
    api,
    appOptions,
    issuer,
    token,
    async call(method, path, { body, headers = {}, as = 'operator' } = {}) {
      const answer = await app.inject({
        method: method as 'GET',
        url: path.startsWith('//') ? path.slice(1) : `${apiBase}${path}`,
        headers: {
          ...(as !== null && { authorization: `Bearer ${await token(as)}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string | undefined>,
        body: isJson(answer.headers['content-type']) ? JSON.parse(answer.payload) : undefined,
        text: answer.payload,
      }
    },
  }
}

const isJson = (type: unknown): boolean => /^application\/(problem\+)?json/.test(String(type))

async function startIssuer(t: TestScope, { clock }: PullSecretScene): Promise<Issuer> {
  const jwksFile = join(tempDir(t), 'jwks.json')
  const issuerUrl = 'https://issuer.example.com'
  const audience = 'pull-secrets'
  const published: JWK[] = []
  const unknown = await generateKeyPair('ES256')
  let key: { kid: string; privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] }
  const rotate = async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const kid = `key-${published.length + 1}`
    published.push({ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' })
    writeFileSync(jwksFile, JSON.stringify({ keys: published }))
    key = { kid, privateKey }
  }
  await rotate()
  return {
    issuerUrl,
    audience,
    jwksFile,
    rotate,
    async token(claims, { key: which = 'known' } = {}) {
      const now = Math.floor(clock.now().getTime() / 1_000)
      const payload = { iss: issuerUrl, aud: audience, iat: now, exp: now + 3_600, ...claims }
      return await new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', kid: key.kid })
        .sign(which === 'known' ? key.privateKey : unknown.privateKey)
    },
  }
}
