import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { AccessHub } from '../../src/access/hub/index.ts'
import { accessHub } from '../../src/access/hub/index.ts'
import type { AccessSettings } from '../../src/access/settings.ts'
import { defaultAccessSettings } from '../../src/access/settings.ts'
import { BreakglassEscalation } from '../../src/apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../src/apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { DenyPolicy } from '../../src/apis/breakglass/deny-policy.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { EgressRules } from '../../src/core/egress.ts'
import { everywhere } from '../../src/core/egress.ts'
import type { Log } from '../../src/core/log.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Metrics } from '../../src/core/metrics.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { Spokes } from '../../src/fleet/spoke/index.ts'
import { createSpokes, defaultSpokeSettings, spokeView } from '../../src/fleet/spoke/index.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { clusterRoleBindings, clusterRoles, namespaces, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { ReachSettings } from '../../src/reach/hub/deps.ts'
import { defaultReachSettings } from '../../src/reach/hub/deps.ts'
import { reachHub } from '../../src/reach/hub/index.ts'
import { restServer } from '../../src/server/rest/index.ts'
import { uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually, livesBy } from './eventually.ts'
import { installFleetKinds, runInTest } from './fleet-scene.ts'
import type { TestIssuer } from './issuer.ts'
import { startIssuer } from './issuer.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

export interface BreakglassSceneOptions {
  clock?: Clock
  log?: Log
  metrics?: Metrics
  settings?: Partial<AccessSettings>
  /** What the hub may do is what this client may. Default: everything. */
  hub?: Kube
  checkpoint?: Checkpoint
  /** Where what users name may be. Default: everywhere. */
  egress?: () => EgressRules
  /** One that is there already. Default: a new one. */
  namespace?: string
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the tests are about
  readonly body: any
  readonly headers: Headers
}

/** Somebody with a token. */
export interface TestPerson {
  readonly email: string
  token(claims?: Readonly<Record<string, unknown>>): Promise<string>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** Asks for a session; its answer. */
  request(cluster: string, group: string, more?: object): Promise<Answer>
  /** `approve`, `reject`, `withdraw`, `drop`, `cancel`, `extend`, `review`. */
  act(session: string, action: string, body?: unknown): Promise<Answer>
}

/** Of a SubjectAccessReview: `spec` without the user. */
export interface AskedFor {
  verb?: string
  group?: string
  resource?: string
  subresource?: string
  namespace?: string
  name?: string
  path?: string
  groups?: readonly string[]
  extra?: Record<string, string[]>
}

export interface BreakglassScene {
  readonly plane: ControlPlane
  readonly admin: KubeClient
  readonly namespace: string
  readonly issuer: TestIssuer
  /** The name of the IdentityProvider of `issuer`. */
  readonly provider: string
  /** Changed in place, it counts at once: as a change of lanyard.yaml does. */
  readonly settings: { -readonly [K in keyof AccessSettings]: AccessSettings[K] }
  readonly hub: AccessHub
  readonly spokes: Spokes
  /** Of the server, without a slash at the end. */
  readonly url: string
  person(
    email: string,
    options?: { groups?: readonly string[]; claims?: Readonly<Record<string, unknown>>; issuer?: TestIssuer },
  ): TestPerson
  /** Another identity provider; its issuer and its name. */
  another(spec?: Partial<NonNullable<IdentityProvider['spec']>>): Promise<{ issuer: TestIssuer; provider: string }>
  /** A ClusterConfig that leads into a control plane (default: the hub's own) and is Ready; its name. */
  cluster(
    spec?: Partial<ClusterConfig['spec']>,
    options?: { kubeconfig?: string; name?: string; ready?: boolean },
  ): Promise<string>
  /** An escalation that is Ready; its name. */
  escalation(spec: BreakglassEscalation['spec'], name?: string): Promise<string>
  policy(spec: NonNullable<DenyPolicy['spec']>, name?: string): Promise<string>
  /** Lets a group do this on a control plane (default: the hub's own). Its name. */
  groupMay(rules: PolicyRule[], options?: { group?: string; kube?: Kube }): Promise<string>
  session(name: string): Promise<Stored<BreakglassSession>>
  /** Waits until the session is in this state. */
  reaches(name: string, state: string): Promise<Stored<BreakglassSession>>
  /** A token for the webhook of this cluster, made as the CLI makes it. */
  webhookToken(cluster: string): Promise<string>
  /** Posts a SubjectAccessReview, as an API server would; the answer of the webhook. */
  ask(cluster: string, user: string, asked?: AskedFor, options?: { token?: string; path?: string }): Promise<Answer>
  /** The common case: a cluster, a group that may read Secrets in it, an escalation to that group for `dev` approved by `lead@example.com`. */
  story(more?: {
    escalation?: Partial<BreakglassEscalation['spec']>
    cluster?: Partial<ClusterConfig['spec']>
  }): Promise<{
    cluster: string
    group: string
    escalation: string
    dev: TestPerson
    lead: TestPerson
  }>
  stop(): Promise<void>
  start(): Promise<void>
  /** Another replica beside it, which does not lead. Its url. */
  beside(): Promise<{ url: string; stop(): Promise<void> }>
}

/**
 * Each cluster has its turn to be looked at somewhere in the interval, by its name. Where time is moved in one go, a look
 * whose turn falls into it is cut off, and the cluster counts as lost. What is new, changed or asked for is looked at at once.
 */
const reachSettings: ReachSettings = { ...defaultReachSettings, checkIntervalMs: 30 * 86_400_000 }

/** A hub that lets people break glass, served over http. Needs a control plane of its own, as every hub does. */
export async function breakglassScene(
  t: TestScope,
  plane: ControlPlane,
  options: BreakglassSceneOptions = {},
): Promise<BreakglassScene> {
  const { clock = systemClock, log = silentLog, metrics = noMetrics, checkpoint = passBy } = options
  livesBy(t, clock)
  const admin = kubeClient(t, plane.connection())
  await installFleetKinds(admin)
  const kube = options.hub ?? admin
  const namespace = options.namespace ?? uniqueName('breakglass')
  if (options.namespace === undefined) await admin.of(namespaces).create({ metadata: { name: namespace } })
  // Time may stand still: whoever tests limits sets some.
  const limits = { perMinute: 1_000_000, burst: 1_000_000, requestsPerMinute: 1_000_000, reviewsPerSecond: 1_000_000 }
  const settings = { ...defaultAccessSettings, limits, ...options.settings }
  const common = { clock, random: systemRandom, log, metrics }
  const { egress = () => everywhere } = options

  const replica = async (leads: boolean) => {
    const view = spokeView(kube, common)
    const spokes = createSpokes({
      ...common,
      kube,
      view,
      settings: () => ({ ...defaultSpokeSettings, egress: egress() }),
      checkpoint,
    })
    const events = eventRecorder(kube, { ...common, component: 'lanyard-hub' })
    const parts = { ...common, kube, spokes, events, checkpoint, egress }
    const reach = reachHub({ ...parts, view, settings: () => reachSettings })
    const hub = accessHub({
      ...parts,
      spokeView: view,
      namespace,
      settings: () => settings,
      replica: uniqueName('replica'),
    })
    const server = restServer({
      ...common,
      api: hub.api,
      access: hub.access,
      metricsArea: 'access',
      listen: { host: '127.0.0.1', port: 0 },
    })
    const leading = leads ? [reach.run, hub.leading] : []
    const stop = runInTest(t, [view.run, spokes.run, hub.everywhere, server.run, ...leading])
    const { url } = await server.listening
    await eventually('it knows its identity providers and sessions', async () => (await fetch(`${url}/api/config`)).ok)
    return { hub, spokes, url, stop }
  }

  const addProvider = async (issuer: TestIssuer, spec: Partial<NonNullable<IdentityProvider['spec']>> = {}) => {
    const name = uniqueName('provider')
    const oidc = { authority: issuer.issuer, clientID: 'lanyard-people', certificateAuthority: issuer.caPem }
    await admin.of(IdentityProvider.resource).create({ metadata: { name }, spec: { oidc, ...spec } })
    return name
  }
  const issuer = await startIssuer(t, { clock, tokenSeconds: 86_400 })
  const provider = await addProvider(issuer)
  let current = await replica(true)

  const call = async (url: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(url, init)
    const text = await answer.text()
    const isJson = (answer.headers.get('content-type') ?? '').includes('json')
    return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
  }

  const person: BreakglassScene['person'] = (email, { groups = [], claims = {}, issuer: from = issuer } = {}) => {
    const token = async (more: Readonly<Record<string, unknown>> = {}) => {
      const own = { email, email_verified: true, preferred_username: email.split('@')[0], groups, ...claims, ...more }
      return (await from.accessToken({ subject: `id-of-${email}`, audience: 'lanyard-people', claims: own })).reveal()
    }
    const headers = async () => ({ authorization: `Bearer ${await token()}` })
    const self: TestPerson = {
      email,
      token,
      get: async (path) => call(`${current.url}${path}`, { headers: await headers() }),
      post: async (path, body) =>
        call(`${current.url}${path}`, {
          method: 'POST',
          headers: { ...(await headers()), ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      request: (cluster, group, more = {}) => self.post('/api/breakglassSessions', { cluster, group, ...more }),
      act: (session, action, body) => self.post(`/api/breakglassSessions/${session}/${action}`, body),
    }
    return self
  }

  const cluster: BreakglassScene['cluster'] = async (
    spec = {},
    { kubeconfig, name = uniqueName('cluster'), ready = true } = {},
  ) => {
    const secret = uniqueName('kubeconfig')
    const value = Buffer.from(kubeconfig ?? plane.kubeconfig()).toString('base64')
    await admin.of(secrets, namespace).create({ metadata: { name: secret }, data: { value } })
    const kubeconfigSecretRef = { name: secret, namespace }
    await admin
      .of(ClusterConfig.resource, namespace)
      .create({ metadata: { name }, spec: { kubeconfigSecretRef, ...spec } })
    const isReady = async () =>
      (await admin.of(ClusterConfig.resource, namespace).get(name)).status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      )
    if (ready) await eventually(`${name} is Ready`, isReady)
    return name
  }

  const escalation: BreakglassScene['escalation'] = async (spec, name = uniqueName('escalation')) => {
    await admin.of(BreakglassEscalation.resource, namespace).create({ metadata: { name }, spec })
    await eventually(`${name} is Ready`, async () =>
      (await admin.of(BreakglassEscalation.resource, namespace).get(name)).status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      ),
    )
    return name
  }

  const groupMay: BreakglassScene['groupMay'] = async (
    rules,
    { group = uniqueName('group'), kube: on = admin } = {},
  ) => {
    const name = uniqueName('may')
    await on.of(clusterRoles).create({ metadata: { name }, rules })
    await on.of(clusterRoleBindings).create({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
    })
    return group
  }

  const session = (name: string) => admin.of(BreakglassSession.resource, namespace).get(name)
  const tokens = new Map<string, Promise<string>>()
  const webhookToken = (name: string) => {
    const made = tokens.get(name) ?? makeToken(name)
    tokens.set(name, made)
    return made
  }
  async function makeToken(name: string): Promise<string> {
    const { makeWebhookToken } = await import('../../src/access/webhook-tokens/index.ts')
    const token = (await makeWebhookToken(name, { kube: admin, namespace, clock }, { rotate: true })).reveal()
    const url = `${current.url}/api/breakglass/webhook/authorize/${encodeURIComponent(name)}`
    const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '' }
    await eventually('the hub knows the token', async () => (await fetch(url, init)).status !== 401)
    return token
  }

  return {
    plane,
    admin,
    namespace,
    issuer,
    provider,
    settings,
    get hub() {
      return current.hub
    },
    get spokes() {
      return current.spokes
    },
    get url() {
      return current.url
    },
    person,
    async another(spec) {
      const other = await startIssuer(t, { clock, tokenSeconds: 86_400 })
      return { issuer: other, provider: await addProvider(other, spec) }
    },
    cluster,
    escalation,
    async policy(spec, name = uniqueName('policy')) {
      await admin.of(DenyPolicy.resource).create({ metadata: { name }, spec })
      return name
    },
    groupMay,
    session,
    reaches: (name, state) =>
      eventually(`${name} is ${state}`, () => session(name), { until: (found) => found.status?.state === state }),
    webhookToken,
    async ask(name, user, asked = {}, { token, path = '/api/breakglass/webhook/authorize' } = {}) {
      const { verb = 'get', resource = 'secrets', groups = ['system:authenticated'], extra } = asked
      const attributes =
        asked.path === undefined
          ? {
              resourceAttributes: {
                verb,
                group: asked.group ?? '',
                version: 'v1',
                resource,
                ...(asked.subresource !== undefined && { subresource: asked.subresource }),
                ...(asked.namespace !== undefined && { namespace: asked.namespace }),
                ...(asked.name !== undefined && { name: asked.name }),
              },
            }
          : { nonResourceAttributes: { verb, path: asked.path } }
      const spec = { user, groups, ...(extra && { extra }), ...attributes }
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec }
      return call(`${current.url}${path}/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token ?? (await webhookToken(name))}` },
        body: JSON.stringify(review),
      })
    },
    async story(more = {}) {
      const name = await cluster(more.cluster)
      const group = await groupMay([{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }])
      const made = await escalation({
        escalatedGroup: group,
        allowed: { clusters: [name], groups: ['devs'] },
        approvers: { users: ['lead@example.com'] },
        ...more.escalation,
      })
      const [dev, lead] = [person('dev@example.com', { groups: ['devs'] }), person('lead@example.com')]
      return { cluster: name, group, escalation: made, dev, lead }
    },
    stop: () => current.stop(),
    async start() {
      current = await replica(true)
    },
    async beside() {
      const { url, stop } = await replica(false)
      return { url, stop }
    },
  }
}
