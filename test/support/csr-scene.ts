import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { decisionOn } from '../../src/fleet/csr/approval.ts'
import type { CsrOrder } from '../../src/fleet/csr/request.ts'
import { agentOrder, csrObject } from '../../src/fleet/csr/request.ts'
import { agentUser, clusterGroup, registerGroup } from '../../src/fleet/names.ts'
import { certificateSigningRequests, clusterRoleBindings, clusterRoles } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { generateKey } from '../../src/pki/index.ts'
import { isAllowed } from './access-scene.ts'
import { aClusterRole, aClusterRoleBinding, aGroup } from './builders.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { kubeClient } from './kube-client.ts'
import { suiteScope } from './suite-scope.ts'
import type { TestScope } from './test-scope.ts'

type Csr = CertificateSigningRequest

/** What of a proper request is otherwise. */
export interface Oddities extends Partial<CsrOrder> {
  usages?: string[]
}

export interface CsrScene {
  admin: Kube
  csrs: ReturnType<typeof csrsOf>
  /** Somebody who may create clusters and CSRs. */
  user(name: string, groups?: readonly string[]): Promise<Kube>
  /** An agent with its certificate, which may renew it if `letRenew` said so. */
  agent(cluster: string, agent: string): Promise<Kube>
  /** Gives the agents of a cluster what an accepted cluster has. */
  letRenew(cluster: string): Promise<void>
  createCluster(name: string, spec?: ManagedCluster['spec'], as?: Kube): Promise<Stored<ManagedCluster>>
  /** Asks for the certificate of an agent, with a new key each time. */
  ask(as: Kube, cluster: string, agent: string, oddities?: Oddities): Promise<Stored<Csr>>
  decision(csr: Stored<Csr>): Promise<ReturnType<typeof decisionOn> | 'gone'>
  /** Waits for the hub's approval. */
  approved(csr: Stored<Csr>): Promise<Stored<Csr>>
}

const csrsOf = (kube: Kube) => kube.of(certificateSigningRequests)

/** Agents and users of a hub, as the hub sees them: by their requests. */
export async function csrScene(t: TestScope, plane: ControlPlane): Promise<CsrScene> {
  const admin = kubeClient(t, plane.connection())
  const csrs = csrsOf(admin)
  await bind(admin, 'test:ask', 'system:authenticated', [
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests'],
      verbs: ['create', 'get', 'list', 'watch'],
    },
    {
      apiGroups: ['cluster.open-cluster-management.io'],
      resources: ['managedclusters'],
      verbs: ['create', 'get', 'list', 'watch'],
    },
  ])
  const user = async (name: string, groups: readonly string[] = []) => {
    const certificate = await plane.issueClientCertificate({ commonName: name, organizations: groups })
    const kube = kubeClient(t, plane.connection({ certificate }))
    await eventually(`${name} may ask`, () => isAllowed(csrsOf(kube).list({ pageSize: 1 })))
    return kube
  }
  const decision = async ({ metadata: { name } }: Stored<Csr>) => {
    const csr = await csrs.find(name)
    return csr ? decisionOn(csr) : 'gone'
  }
  return {
    admin,
    csrs,
    user,
    agent: (cluster, agent) => user(agentUser(cluster, agent), [clusterGroup(cluster)]),
    letRenew: (cluster) =>
      bind(admin, `test:renew:${cluster}`, clusterGroup(cluster), [
        { apiGroups: [registerGroup], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
      ]),
    createCluster: (name, spec = {}, as = admin) =>
      as.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: false, ...spec } }),
    async ask(as, cluster, agent, { usages, ...oddities } = {}) {
      const csr = await csrObject({ ...agentOrder(cluster, agent), ...oddities }, generateKey().keyPem)
      return await csrsOf(as).create({ ...csr, spec: { ...csr.spec, ...(usages && { usages }) } })
    },
    decision,
    approved: (csr) =>
      eventually('the CSR is approved', async () => {
        const now = await csrs.get(csr.metadata.name)
        return decisionOn(now) === 'approved' && now
      }),
  }
}

async function bind(
  admin: Kube,
  name: string,
  group: string,
  rules: Parameters<typeof aClusterRole>[1][],
): Promise<void> {
  await admin.of(clusterRoles).create(aClusterRole(name, ...rules))
  await admin.of(clusterRoleBindings).create(aClusterRoleBinding(name, aGroup(group)))
}

/** The reason of the hub's approval. */
export const approvalReason = ({ status }: Csr): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Approved')?.reason

/** What the first test of a file starts and all of them share. To be called outside of tests. */
export function startedOnce<T>(start: (t: TestScope) => Promise<T>): () => Promise<T> {
  const suite = suiteScope()
  let started: Promise<T> | undefined
  return () => {
    started ??= start(suite)
    return started
  }
}
