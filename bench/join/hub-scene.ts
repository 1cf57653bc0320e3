import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hubKinds } from '../../src/apis/fleet-kinds.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { planInit } from '../../src/cli/init-plan.ts'
import { ensureAuthority, untilServed } from '../../src/cli/init-steps.ts'
import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import { agentUser, hubNamespace } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { connect } from '../../src/kube/client/index.ts'
import type { Connection } from '../../src/kube/connection.ts'
import { clusterRoleBindings, serviceAccounts } from '../../src/kube/kinds.ts'
import { bootstrapAccount } from '../../src/registration/manifests/bootstrap.ts'
import { crdManifests } from '../../src/registration/manifests/crds.ts'
import { launchEmbedded } from '../../test/support/control-plane/embedded.ts'
import { launchKube } from '../../test/support/control-plane/kube.ts'
import { freePort } from '../../test/support/control-plane/ports.ts'
import type { OwnControlPlane } from '../../test/support/control-plane.ts'
import type { Contestant } from './contestants.ts'
import { agentId } from './contestants.ts'
import type { Running } from './processes.ts'
import { untilCalm } from './processes.ts'

/** A hub that runs, on an API server that nobody has used yet. */
export interface HubScene extends AsyncDisposable {
  readonly plane: OwnControlPlane
  readonly hub: Running
  /** The user that the hub is. */
  readonly hubUser: string
  readonly admin: KubeClient
  /** As a cluster begins: with the bootstrap identity. */
  readonly bootstrap: KubeClient
  readonly bootstrapKubeconfig: string
  connectAs(connection: Connection): KubeClient
}

export const open = (connection: Connection): KubeClient =>
  connect(connection, { clock: systemClock, random: systemRandom, options: { qps: 0 } })

const accountUser = (account: string) => `system:serviceaccount:${hubNamespace}:${account}`

/** Clusters with real agents, which are listened to. */
export const realClusters = ['real1', 'real2', 'real3'] as const

/** Only what is counted is written down: what a hub asks for, and what real agents do. */
const auditPolicy = (hubUser: string) =>
  JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'Metadata', users: [hubUser, ...realClusters.map((cluster) => agentUser(cluster, agentId))] },
      { level: 'None' },
    ],
  })

/** Where a hub of that user runs. */
export type Launch = (hubUser: string) => Promise<OwnControlPlane>

/** A real control plane that writes down what is counted. */
export const onKube: Launch = (hubUser) => launchKube({ auditPolicy: auditPolicy(hubUser) }, process.env)

/** The embedded one, as it is published. */
export const onEmbedded =
  (bundle: string): Launch =>
  (hubUser) =>
    launchEmbedded({ auditPolicy: auditPolicy(hubUser) }, [bundle])

/** The API server of a turn is new: what a contestant before left behind would slow down the next. */
export async function startHubScene(
  contestant: Contestant,
  { autoApproval, launch }: { autoApproval: boolean; launch: Launch },
): Promise<HubScene> {
  await using stack = new AsyncDisposableStack()
  const hubUser = accountUser(contestant.account)
  const plane = stack.use(await launch(hubUser))
  const admin = stack.use(open(plane.connection()))
  const port = await freePort()
  await install(admin, contestant, `https://127.0.0.1:${port}`)
  const tokenOf = async (namespace: string, name: string) => Secret.of(await requestToken(admin, namespace, name))
  const write = async (file: string, token: Secret) => {
    const path = join(plane.dir, file)
    await writeFile(path, plane.kubeconfig({ token }), { mode: 0o600 })
    return path
  }
  const token = await tokenOf(bootstrapAccount.namespace, bootstrapAccount.name)
  const kubeconfig = await write('hub.kubeconfig', await tokenOf(hubNamespace, contestant.account))
  const hub = stack.use(await contestant.startHub({ kubeconfig, port, autoApproval }))
  const bootstrap = stack.use(open(plane.connection({ authorization: token })))
  await untilCalm([hub.pid, ...Object.values(plane.pids)], 20_000)
  const owned = stack.move()
  return {
    plane,
    hub,
    hubUser,
    admin,
    bootstrap,
    bootstrapKubeconfig: await write('bootstrap.kubeconfig', token),
    connectAs: open,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function install(admin: KubeClient, contestant: Contestant, url: string): Promise<void> {
  const { signal } = new AbortController()
  const deps = { kube: admin, clock: systemClock, random: systemRandom, signal, timeoutMs: 30_000 }
  const wish = { namespace: hubNamespace, webhookUrl: url }
  await applyManifests(admin, planInit(wish, '').identities, signal)
  const plan = planInit(wish, await ensureAuthority(hubNamespace, deps))
  const crds = contestant.hasWebhooks ? plan.crds : crdManifests(hubKinds)
  await applyManifests(admin, crds, signal)
  await untilServed(crds, deps)
  if (contestant.hasWebhooks) await applyManifests(admin, plan.webhooks, signal)
  const { account } = contestant
  if (await admin.of(serviceAccounts, hubNamespace).find(account)) return
  // More than OCM's operator would give it, so that a right it lacks cannot be what holds it up.
  await admin.of(serviceAccounts, hubNamespace).create({ metadata: { name: account } })
  await admin.of(clusterRoleBindings).create({
    metadata: { name: account },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: hubNamespace }],
  })
}

async function requestToken(admin: KubeClient, namespace: string, name: string): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 7_200 } }
  const { status } = await admin
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status: { token: string } }>(name, 'token', review)
  return status.token
}
