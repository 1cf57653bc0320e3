/** Lanyard and OCM on the two sides of one fleet, on each kind of control plane. */
import assert from 'node:assert/strict'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Condition, ConditionStatus } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { conditions, leaseName, rbacNames } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { clusterRoleBindings, clusterRoles, leases, roleBindings } from '../../src/kube/kinds.ts'
import { reasons } from '../../src/registration/reasons.ts'
import { launchEmbedded } from './control-plane/embedded.ts'
import { launchKube, whyNoKube } from './control-plane/kube.ts'
import type { OwnControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { kubeClient } from './kube-client.ts'
import type { Running } from './lanyard.ts'
import { needsOcm } from './ocm-peer.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

interface HubPlane {
  readonly name: string
  launch(): Promise<OwnControlPlane>
  /** Options for each test on it. */
  readonly needs: { readonly skip: string | false }
}

/** What a hub may run on. */
export const hubPlanes: readonly HubPlane[] = [
  { name: 'the embedded control plane', launch: () => launchEmbedded({}), needs: needsOcm },
  {
    name: 'a real control plane',
    launch: () => launchKube({}, process.env),
    needs: {
      get skip() {
        return needsOcm.skip || (!process.env['CI'] && whyNoKube(process.env)) || false
      },
    },
  },
]

export interface Fleet {
  hub: OwnControlPlane
  /** The cluster that joins: always an embedded one, because it is there in a second. */
  spoke: OwnControlPlane
  /** As the admins of the two. */
  onHub: KubeClient
  onSpoke: KubeClient
}

export async function twoPlanes(t: TestScope, { launch }: HubPlane): Promise<Fleet> {
  const [hub, spoke] = await Promise.all([launch(), launchEmbedded({})])
  teardown(t, () => hub.stop())
  teardown(t, () => spoke.stop())
  return { hub, spoke, onHub: kubeClient(t, hub.connection()), onSpoke: kubeClient(t, spoke.connection()) }
}

/** Programs of others take seconds for what ours do at once, and more on a busy machine. */
export const patience = { withinMs: 60_000, everyMs: 100 }

/** One cluster, as the hub has it. */
export interface OnTheHub {
  get(): Promise<ManagedCluster | undefined>
  becomes(type: string, status: ConditionStatus, reason: string): Promise<Condition>
  /** The agent renewed its lease that many times from now on. */
  beats(times: number): Promise<void>
  /** All that shows that the hub took its acceptance back, but what the agent does then. */
  isDenied(): Promise<void>
}

export function onTheHub(kube: KubeClient, cluster: string): OnTheHub {
  const get = () => kube.of(ManagedCluster.resource).find(cluster)
  const becomes = (type: string, status: ConditionStatus, reason: string) =>
    eventually(
      `${cluster} is ${type}=${status}`,
      async () => {
        const found = findCondition((await get())?.status?.conditions as Condition[] | undefined, type)
        assert.deepEqual([found?.status, found?.reason], [status, reason])
        return found as Condition
      },
      patience,
    )
  const renewTime = async () => (await kube.of(leases, cluster).find(leaseName))?.spec?.renewTime
  return {
    get,
    becomes,
    async beats(times) {
      for (let seen = 0, last = await renewTime(); seen < times; seen += 1)
        last = await eventually('the lease is renewed', renewTime, { ...patience, until: (now) => now !== last })
    },
    async isDenied() {
      await becomes(conditions.accepted, 'False', reasons.HubClusterAdminDenied)
      const name = rbacNames.cluster(cluster)
      const looksAtItself = async () => {
        const { rules = [] } = await kube.of(clusterRoles).get(name)
        assert.equal(rules.length, 1)
        assert.deepEqual(rules[0]?.resources, ['managedclusters'])
        assert.deepEqual(rules[0]?.resourceNames, [cluster])
        assert.deepEqual(rules[0]?.verbs.toSorted(), ['get', 'list', 'watch'])
        for (const binding of [rbacNames.registrationBinding(cluster), rbacNames.workBinding(cluster)])
          assert.equal(await kube.of(roleBindings, cluster).find(binding), undefined)
        return true
      }
      await eventually('it may do nothing but look at itself', looksAtItself, patience)
      await kube.of(clusterRoleBindings).get(name)
    },
  }
}

/** Five of them and the cluster counts as lost. */
export const beatEachSecond = (kube: KubeClient, cluster: string): Promise<unknown> =>
  kube.of(ManagedCluster.resource).patch(cluster, { type: 'merge', body: { spec: { leaseDurationSeconds: 1 } } })

/** What a process of ours printed so far. */
export function outputOf({ child }: Running): { output(): string } {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: string) => {
      text += chunk
    })
  return { output: () => text }
}
