import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { operatorKinds, spokeKinds } from '../../src/apis/fleet-kinds.ts'
import { ClusterManager } from '../../src/apis/operator/cluster-manager.ts'
import type { KlusterletSpec } from '../../src/apis/operator/klusterlet.ts'
import { Klusterlet } from '../../src/apis/operator/klusterlet.ts'
import { agentGates, hubGates } from '../../src/cli/feature-gates.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition, rfc3339 } from '../../src/core/conditions.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import { hubNamespace, operatorNamespace } from '../../src/fleet/names.ts'
import type { KubeClient, RequestSample } from '../../src/kube/client/index.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { customResourceDefinitions, deployments, pods, serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Env } from '../../src/kube/kubeconfig/index.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { OperatorSettings } from '../../src/operator/deps.ts'
import { defaultOperatorSettings } from '../../src/operator/deps.ts'
import { fleetOperator } from '../../src/operator/index.ts'
import type { OperatorInstallation, Side } from '../../src/operator/manifests/operator.ts'
import { operatorRbacManifests } from '../../src/operator/manifests/operator.ts'
import { operatorAccount } from '../../src/operator/names.ts'
import { uniqueName } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually, livesBy } from './eventually.ts'
import { runInTest } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

export interface OperatorScene {
  admin: KubeClient
  installation: OperatorInstallation
  /** Every write of the operator so far, on its cluster and on hubs: `DELETE secrets`. */
  writes: string[]
  start(): void
  stop(): Promise<void>
  /** The next of the namespaces that the operator may work in. */
  nextNamespace(): string
  klusterlet(spec: KlusterletSpec): Promise<Stored<Klusterlet>>
  edit(name: string, spec: object): Promise<void>
  find(name: string): Promise<Stored<Klusterlet> | undefined>
  /** Waits until a condition of a Klusterlet, or of a ClusterManager, is so. */
  reaches(name: string, type: string, status: Condition['status'], reason?: string): Promise<Condition>
  /** The Deployment of the agent in a namespace, once it is there and the operator has said so. */
  agentIn(namespace: string): Promise<Stored<Deployment> | undefined>
}

export interface OperatorSceneOptions {
  sides?: readonly Side[]
  namespaces?: number
  clock?: Clock
  /** Of the process of the operator. */
  env?: Env
  settings?: Partial<OperatorSettings>
}

/** The operator in this process, with the rights of its installed account and no others. */
export async function operatorScene(
  t: TestScope,
  plane: ControlPlane,
  options: OperatorSceneOptions = {},
): Promise<OperatorScene> {
  const { sides = ['managed-cluster'], namespaces = 1, clock = systemClock, env = {}, settings = {} } = options
  const admin = kubeClient(t, plane.connection())
  const agentNamespaces = Array.from({ length: namespaces }, () => `open-cluster-management-${uniqueName('agent')}`)
  const installation = { image: 'lanyard:test', sides, agentNamespaces, hubNamespace }
  await installKinds(admin)
  for (const { resource, object } of operatorRbacManifests(installation))
    await admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
  livesBy(t, clock)
  const authorization = await tokenOf(admin)
  const writes: string[] = []
  const onRequest = ({ method, target, code }: RequestSample) => {
    if (method !== 'GET' && code < 400 && code > 0) writes.push(`${method} ${target}`)
  }
  const kube = kubeClient(t, plane.connection({ authorization }), { onRequest })
  const common = { clock, random: systemRandom, log: silentLog, metrics: noMetrics }
  let stop = async () => {}
  const start = () => {
    const operator = fleetOperator(
      {
        ...common,
        kube,
        env,
        events: eventRecorder(kube, { ...common, component: 'lanyard-operator' }),
        connect: (connection) => kubeClient(t, connection, { onRequest, deadlineMs: 2_000 }),
        settings: {
          ...defaultOperatorSettings,
          image: 'lanyard:test',
          agentNamespaces,
          gates: { agent: agentGates, hub: hubGates },
          ...settings,
        },
      },
      sides,
    )
    stop = runInTest(t, [operator.run])
  }
  start()
  const klusterlets = admin.of(Klusterlet.resource)
  const unused = [...agentNamespaces]
  return {
    admin,
    installation,
    writes,
    start,
    stop: () => stop(),
    nextNamespace() {
      const next = unused.shift()
      if (next === undefined) throw new Error('the scene has no further namespace')
      return next
    },
    klusterlet: (spec) => klusterlets.create({ metadata: { name: uniqueName('klusterlet') }, spec }),
    async edit(name, spec) {
      await klusterlets.patch(name, { type: 'merge', body: { spec } })
    },
    find: (name) => klusterlets.find(name),
    async reaches(name, type, status, reason) {
      const look = async () => {
        const found = (await klusterlets.find(name)) ?? (await admin.of(ClusterManager.resource).find(name))
        return findCondition(found?.status?.conditions as Condition[] | undefined, type)
      }
      const until = (found: Condition | undefined) =>
        found?.status === status && (reason === undefined || found.reason === reason)
      return (await eventually(`${type} of ${name} is ${status} ${reason ?? ''}`, look, { until })) as Condition
    },
    agentIn: (namespace) => admin.of(deployments, namespace).find('lanyard-agent'),
  }
}

async function installKinds(admin: Kube): Promise<void> {
  const kinds = [...operatorKinds, ...spokeKinds]
  const crds = admin.of(customResourceDefinitions)
  for (const kind of kinds) await crds.apply(kind.crd() as never, { fieldManager: 'test', force: true })
  for (const { declaration } of kinds)
    await eventually(`${declaration.kind} is served`, async () =>
      (await crds.get(`${declaration.plural}.${declaration.group}`)).status?.conditions?.some(
        ({ type, status }) => type === 'Established' && status === 'True',
      ),
    )
}

async function tokenOf(admin: Kube): Promise<Secret> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } }
  const { status } = await admin
    .of(serviceAccounts, operatorNamespace)
    .createSubresource<object, { status: { token: string } }>(operatorAccount, 'token', review)
  return Secret.of(status.token)
}

export const argumentsOf = (deployment: Deployment | undefined): string[] =>
  deployment?.spec?.template.spec?.containers[0]?.args ?? []

/**
 * As kubelets would. A real control plane counts the pods of a Deployment itself, the embedded one has nobody who makes
 * any: there the Deployment is told.
 */
export async function runPods(kube: Kube, deployment: Deployment, available: 0 | 1): Promise<void> {
  const { namespace, name = '', generation } = deployment.metadata ?? {}
  const merge = { type: 'merge' as const }
  const asStatus = { subresource: 'status' }
  if (process.env['CONTROL_PLANE'] !== 'kube') {
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: available, availableReplicas: available }
    const body = { status: { observedGeneration: generation, ...counts } }
    await kube.of(deployments, namespace).patch(name, { ...merge, body }, asStatus)
    return
  }
  const labels = Object.entries(deployment.spec?.selector.matchLabels ?? {})
  const labelSelector = labels.map(([label, value]) => `${label}=${value}`).join()
  const pod = await eventually('it has a pod', async () =>
    (await kube.of(pods, namespace).list({ labelSelector })).items.find(({ metadata }) => !metadata.deletionTimestamp),
  )
  const lastTransitionTime = rfc3339(systemClock.now())
  const conditions = [{ type: 'Ready', status: available ? 'True' : 'False', lastTransitionTime }]
  const body = { status: { phase: 'Running', conditions } }
  await kube.of(pods, namespace).patch(pod.metadata.name, { ...merge, body }, asStatus)
}
