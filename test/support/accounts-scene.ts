/** A hub and an agent in this process that have the rights of their installed accounts and no others, and what was audited of them. */
import { join } from 'node:path'
import type { ClusterRole, PolicyRule, Role } from 'kubernetes-types/rbac/v1.d.ts'
import { stringify } from 'yaml'
import type { AddonSettings } from '../../src/addons/agent/deps.ts'
import { defaultAddonSettings } from '../../src/addons/agent/deps.ts'
import { addonAgent } from '../../src/addons/agent/index.ts'
import { addonsHub } from '../../src/addons/hub/index.ts'
import { convertReview } from '../../src/apis/conversion.ts'
import { spokeKinds } from '../../src/apis/fleet-kinds.ts'
import { hubCertificate, hubNames } from '../../src/cli/hub-certificate.ts'
import { underElection } from '../../src/cli/process-parts.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { runTogether } from '../../src/core/lifecycle.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import type { Manifest } from '../../src/fleet/manifests/manifest.ts'
import { agentNamespace, hubNamespace } from '../../src/fleet/names.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { customResourceDefinitions, serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { defaultAgentSettings } from '../../src/registration/agent/deps.ts'
import type { RegistrationAgent } from '../../src/registration/agent/index.ts'
import { registrationAgent } from '../../src/registration/agent/index.ts'
import type { HubSettings } from '../../src/registration/hub/deps.ts'
import { defaultHubSettings } from '../../src/registration/hub/deps.ts'
import { registrationHub } from '../../src/registration/hub/index.ts'
import {
  agentAccount,
  agentLease,
  agentNamespaceManifest,
  agentRbacManifests,
  bootstrapSecretManifest,
} from '../../src/registration/manifests/agent.ts'
import { addonNamespaceManifests } from '../../src/registration/manifests/agent-addons.ts'
import { bootstrapAccount } from '../../src/registration/manifests/bootstrap.ts'
import { hubAccount } from '../../src/registration/manifests/hub-rbac.ts'
import { serve } from '../../src/server/index.ts'
import type { AuditEvent, OwnControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { FakeClock } from './fake-clock.ts'
import { runInTest } from './fleet-scene.ts'
import { prepareHub } from './hub-process.ts'
import { kubeClient } from './kube-client.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'

interface Account {
  namespace: string
  name: string
}

export interface AccountsScene {
  plane: OwnControlPlane
  admin: Kube
  clock: FakeClock
  /** Waits as `eventually`, and lets so much time pass before each look. Default 200 ms. */
  until(what: string, isSo: () => Promise<unknown>, step?: number | string): Promise<void>
  /** Returns how to stop it, when it leads and its webhooks are served. */
  startHub(settings?: Partial<HubSettings>): Promise<() => Promise<void>>
  startAgent(addons?: Partial<AddonSettings>): Promise<{ agent: RegistrationAgent; stop(): Promise<void> }>
  /** What this account did so far. */
  auditOf(account: Account): Promise<AuditEvent[]>
}

export const hubsAccount: Account = { namespace: hubNamespace, name: hubAccount }
export const agentsAccount: Account = { namespace: agentNamespace, name: agentAccount }

/** Not before an answer begins: a watch that goes on counts. */
export const auditPolicy = stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
})

const election = {
  leaderElection: true,
  leaderElectLeaseDuration: 15_000,
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 500,
}

export async function accountsScene(t: TestScope): Promise<AccountsScene> {
  const plane = await startControlPlane(t, { auditPolicy })
  const admin = kubeClient(t, plane.connection())
  const { webhookUrl } = await prepareHub(t, plane)
  const own = { fieldManager: 'test', force: true }
  for (const kind of spokeKinds) await admin.of(customResourceDefinitions).apply(kind.crd() as never, own)
  const bootstrap = plane.kubeconfig({ token: await tokenOf(admin, bootstrapAccount) })
  await apply(admin, [
    agentNamespaceManifest(agentNamespace),
    ...addonNamespaceManifests({ namespace: agentNamespace }),
    ...agentRbacManifests({ namespace: agentNamespace, image: '' }),
    bootstrapSecretManifest(agentNamespace, bootstrap),
  ])
  const clock = new FakeClock(new Date())
  const real = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noMetrics }
  const deps = { ...real, clock, checkpoint: passBy }
  const clientOf = async (account: Account) =>
    kubeClient(t, plane.connection({ authorization: await tokenOf(admin, account) }))

  return {
    plane,
    admin,
    clock,
    async until(what, isSo, step = 200) {
      await eventually(what, async () => {
        await clock.advance(step)
        return await isSo()
      })
    },
    async startHub(settings = {}) {
      const kube = await clientOf(hubsAccount)
      const events = eventRecorder(kube, { ...deps, component: 'lanyard-hub' })
      const hub = registrationHub({ ...deps, kube, events, settings: { ...defaultHubSettings, ...settings } })
      const addons = addonsHub({ ...deps, kube, events, clusters: hub.clusters, settings: { labels: {} } })
      const { hostname: host, port } = new URL(webhookUrl)
      const https = serve({
        ...real,
        listen: { host, port: Number(port) },
        certificate: hubCertificate(kube, {
          ...real,
          namespace: hubNamespace,
          names: hubNames(hubNamespace, host, webhookUrl),
        }),
        webhooks: hub.webhooks,
        convert: convertReview,
      })
      const isLeading = Promise.withResolvers<void>()
      const leader = underElection(
        kube,
        { namespace: hubNamespace, name: 'lanyard-hub', flags: election },
        real,
        async (signal) => {
          isLeading.resolve()
          await runTogether(signal, [hub.run, addons.run])
        },
      )
      const stop = runInTest(t, [https.run, leader])
      await Promise.all([https.listening, isLeading.promise])
      return async () => {
        await events.flush(1_000)
        await stop()
      }
    },
    async startAgent(addons = {}) {
      const kube = await clientOf(agentsAccount)
      const dir = tempDir(t)
      const parts = { ...deps, management: kube, spoke: kube }
      const forAddons = { ...defaultAddonSettings, namespace: agentNamespace, ...addons }
      const agent = registrationAgent(
        {
          ...parts,
          connect: (connection) => kubeClient(t, connection),
          settings: {
            ...defaultAgentSettings,
            hubKubeconfigDir: join(dir, 'hub'),
            bootstrapKubeconfigs: [join(dir, 'not-mounted')],
            clientCertExpirationSeconds: 3_600,
            member: { ...defaultAgentSettings.member, features: { clusterClaim: true, clusterProperty: true } },
          },
        },
        { alongside: addonAgent({ ...parts, settings: forAddons }).on },
      )
      const lease = { namespace: agentNamespace, name: agentLease, flags: election }
      return { agent, stop: runInTest(t, [underElection(kube, lease, real, agent.run)]) }
    },
    async auditOf({ namespace, name }) {
      const events = await plane.auditEvents()
      return events.filter(({ user }) => user.username === `system:serviceaccount:${namespace}:${name}`)
    },
  }
}

async function tokenOf(admin: Kube, { namespace, name }: Account): Promise<Secret> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } }
  const { status } = await admin
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status: { token: string } }>(name, 'token', review)
  return Secret.of(status.token)
}

async function apply(kube: Kube, manifests: readonly Manifest[]): Promise<void> {
  for (const { resource, object } of manifests)
    await kube.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
}

/** `get secrets`, `patch managedclusters/status.cluster.open-cluster-management.io`, and the name where there is one. */
const right = (verb: string, resource: string, group = '', name = ''): string =>
  `${verb} ${resource}${group && `.${group}`}${name && ` ${name}`}`

export const rightsIn = (rules: readonly PolicyRule[] = []): string[] =>
  rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [''], nonResourceURLs = [] }) => [
    ...nonResourceURLs.flatMap((path) => verbs.map((verb) => `${verb} ${path}`)),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => right(verb, resource, group, name))),
      ),
    ),
  ])

export const rightsOf = (manifests: readonly Manifest[]): string[] =>
  [...new Set(manifests.flatMap(({ object }) => rightsIn((object as Role | ClusterRole).rules)))].sort()

/** All rights, with a name and without, that a request may have made use of. */
export function rightsUsed({ verb, requestURI, objectRef }: AuditEvent): string[] {
  if (!objectRef?.resource) return [`${verb} ${requestURI.split('?')[0]}`]
  const { resource, subresource, apiGroup, name } = objectRef
  const whole = [resource, subresource].filter(Boolean).join('/')
  return [right(verb, whole, apiGroup), right(verb, whole, apiGroup, name)]
}

export const refusedOf = (events: readonly AuditEvent[]): string[] =>
  events.filter(({ responseStatus }) => responseStatus?.code === 403).flatMap((event) => rightsUsed(event).slice(-1))
