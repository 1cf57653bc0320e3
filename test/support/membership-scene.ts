import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { finalizers, rbacNames } from '../../src/fleet/names.ts'
import type { RequestSample } from '../../src/kube/client/index.ts'
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { csrHubDriver } from '../../src/registration/drivers/csr/hub.ts'
import type { HubDriver } from '../../src/registration/drivers/driver.ts'
import type { HubSettings } from '../../src/registration/hub/deps.ts'
import { membershipRuns } from '../../src/registration/hub/membership/index.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { ManagedClusterAddOn, ManifestWork } from './fleet-kinds.ts'
import type { HubScene } from './fleet-scene.ts'
import { hubScene } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

export interface MembershipScene extends HubScene {
  /** What the hub's own client asked for, watches not counted. */
  requests: RequestSample[]
  setAccepted(name: string, hubAcceptsClient: boolean): Promise<void>
  /** A cluster that is accepted from the start; returns once the hub says so. */
  accepted(name: string): Promise<Stored<ManagedCluster>>
}

export interface MembershipOptions {
  settings?: Partial<HubSettings>
  /** Default: csr, without what it does by itself. */
  drivers?: readonly HubDriver[]
  checkpoint?: Checkpoint
  clock?: Clock
}

export async function membershipScene(
  t: TestScope,
  plane: ControlPlane,
  { settings, drivers, checkpoint = passBy, clock }: MembershipOptions = {},
): Promise<MembershipScene> {
  const requests: RequestSample[] = []
  const hub = kubeClient(t, plane.connection(), { onRequest: (sample) => sample.watch || requests.push(sample) })
  const scene = await hubScene(t, plane, {
    hub,
    ...(settings && { settings }),
    ...(clock && { clock }),
    parts: (deps) => membershipRuns({ ...deps, checkpoint }, drivers ?? [csrHubDriver(deps)]),
  })
  const clusters = scene.admin.of(ManagedCluster.resource)
  return {
    ...scene,
    requests,
    async setAccepted(name, hubAcceptsClient) {
      await clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient } } })
    },
    async accepted(name) {
      await clusters.create({ metadata: { name }, spec: { hubAcceptsClient: true } })
      return await condition(scene, name, 'HubAcceptedManagedCluster', 'True', 'HubClusterAdminAccepted')
    },
  }
}

/** Waits until a cluster has this condition, and returns the cluster. */
export const condition = (
  { cluster }: Pick<HubScene, 'cluster'>,
  name: string,
  type: string,
  ...[status, reason]: [status: string, reason: string]
): Promise<Stored<ManagedCluster>> =>
  eventually(`${type} of ${name} is ${status}/${reason}`, () => cluster(name), {
    until: ({ status: seen }) =>
      seen?.conditions?.some((one) => one.type === type && one.status === status && one.reason === reason) ?? false,
  })

/** Everything the hub makes for a cluster, as it is now. */
export async function rightsOf(kube: Kube, cluster: string) {
  const [namespace, role, binding, registration, work] = await Promise.all([
    kube.of(namespaces).find(cluster),
    kube.of(clusterRoles).find(rbacNames.cluster(cluster)),
    kube.of(clusterRoleBindings).find(rbacNames.cluster(cluster)),
    kube.of(roleBindings, cluster).find(rbacNames.registrationBinding(cluster)),
    kube.of(roleBindings, cluster).find(rbacNames.workBinding(cluster)),
  ])
  return { namespace, role, binding, registration, work }
}

/** Their names, sorted: what is there and what is not. */
export async function presentRights(kube: Kube, cluster: string): Promise<string[]> {
  return Object.entries(await rightsOf(kube, cluster))
    .flatMap(([name, object]) => (object ? [name] : []))
    .sort()
}

export const allRights = ['binding', 'namespace', 'registration', 'role', 'work']

export const addons = (kube: Kube, cluster: string) => kube.of(ManagedClusterAddOn.versions.v1beta1, cluster)
export const works = (kube: Kube, cluster: string) => kube.of(ManifestWork.resource, cluster)

/** A work as an agent holds it, until `release`d. */
export async function heldWork(kube: Kube, cluster: string, name: string, priority?: string): Promise<void> {
  await works(kube, cluster).create({
    metadata: {
      name,
      finalizers: [finalizers.manifestWorkCleanup],
      ...(priority !== undefined && { annotations: { 'open-cluster-management.io/cleanup-priority': priority } }),
    },
    spec: {},
  })
}

export const letGo = { type: 'merge', body: { metadata: { finalizers: null } } } as const
