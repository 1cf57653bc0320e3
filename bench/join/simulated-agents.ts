import { setTimeout as sleep } from 'node:timers/promises'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { setCondition } from '../../src/core/conditions.ts'
import type { Secret } from '../../src/core/secret.ts'
import { agentOrder, csrObject } from '../../src/fleet/csr/request.ts'
import { leaseName } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { isConflict, isForbidden, isNotFound } from '../../src/kube/failures.ts'
import { certificateSigningRequests, leases } from '../../src/kube/kinds.ts'
import { microTime } from '../../src/kube/lease-record.ts'
import { generateKey } from '../../src/pki/index.ts'
import { available } from '../../src/registration/agent/member/available.ts'
import { joined } from '../../src/registration/agent/member/joined.ts'
import { inParallel } from '../shared/timing.ts'
import type { HubScene } from './hub-scene.ts'

/** What an agent is on the wire, without a process of its own. */
export interface SimulatedAgent {
  cluster: string
  keyPem: Secret
  csr: CertificateSigningRequest & { metadata: { name: string } }
}

/** Real keys and real requests, made beforehand. */
export const newAgents = (prefix: string, count: number): Promise<SimulatedAgent[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const cluster = `${prefix}${number}`
      const { keyPem } = generateKey()
      const csr = await csrObject(agentOrder(cluster, 'simulated'), keyPem)
      return { cluster, keyPem, csr: csr as SimulatedAgent['csr'] }
    }),
  )

const atOnce = 50

/** For all agents, so many at a time. */
export const each = (agents: readonly SimulatedAgent[], act: (agent: SimulatedAgent) => Promise<unknown>) =>
  inParallel(agents.length, atOnce, (number) => act(agents[number]!))

/** As it begins: its cluster, then its request. */
export async function ask({ bootstrap }: Pick<HubScene, 'bootstrap'>, { cluster, csr }: SimulatedAgent): Promise<void> {
  await bootstrap
    .of(ManagedCluster.resource)
    .create({ metadata: { name: cluster }, spec: { hubAcceptsClient: false, leaseDurationSeconds: 60 } })
  await bootstrap.of(certificateSigningRequests).create(csr)
}

/** As an administrator would. */
export async function approve({ admin }: Pick<HubScene, 'admin'>, { csr }: SimulatedAgent): Promise<void> {
  const csrs = admin.of(certificateSigningRequests)
  const found = await csrs.get(csr.metadata.name)
  const condition = { type: 'Approved', status: 'True', reason: 'Bench', message: 'by the benchmark' }
  await csrs.update({ ...found, status: { ...found.status, conditions: [condition] } }, { subresource: 'approval' })
}

export const accept = ({ admin }: Pick<HubScene, 'admin'>, { cluster }: SimulatedAgent): Promise<unknown> =>
  admin.of(ManagedCluster.resource).patch(cluster, { type: 'merge', body: { spec: { hubAcceptsClient: true } } })

const pauseMs = 100

/** The signed certificate of every agent, by cluster. */
export async function certificates(
  { admin }: Pick<HubScene, 'admin'>,
  agents: readonly SimulatedAgent[],
): Promise<Map<string, string>> {
  for (;;) {
    const { items } = await admin.of(certificateSigningRequests).list()
    const signed = new Map(items.map(({ metadata, status }) => [metadata.name, status?.certificate]))
    const found = agents.flatMap(({ cluster, csr }) => {
      const pem = signed.get(csr.metadata.name)
      return pem ? [[cluster, Buffer.from(pem, 'base64').toString()] as const] : []
    })
    if (found.length === agents.length) return new Map(found)
    await sleep(pauseMs)
  }
}

/** Comes with its certificate on a connection of its own, says that it joined and is available, renews its lease. */
export async function connectAndReport(scene: HubScene, agent: SimulatedAgent, certPem: string): Promise<void> {
  const { plane, connectAs } = scene
  await using kube = connectAs(plane.connection({ certificate: { certPem, keyPem: agent.keyPem } }))
  await patiently(() => reportStatus(kube, agent.cluster))
  await patiently(() => renew(kube, agent.cluster))
}

export async function reportStatus(kube: KubeClient, cluster: string): Promise<void> {
  const clusters = kube.of(ManagedCluster.resource)
  const { metadata, status } = await clusters.get(cluster)
  const now = new Date()
  const conditions = setCondition(
    setCondition(status?.conditions as Condition[] | undefined, joined, now),
    available,
    now,
  )
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: { conditions, version: { kubernetes: 'v1.36.3' }, capacity: { cpu: '8' }, allocatable: { cpu: '8' } },
  }
  await clusters.patch(cluster, { type: 'merge', body }, { subresource: 'status' })
}

export async function renew(kube: KubeClient, cluster: string): Promise<void> {
  const lease = await kube.of(leases, cluster).get(leaseName)
  const renewed = { ...lease, spec: { ...lease.spec, renewTime: microTime(new Date()) } }
  await kube.of(leases, cluster).update(renewed)
}

/** Rights and leases come a moment after acceptance, and others write the same status. */
export async function patiently(act: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!isForbidden(error) && !isNotFound(error) && !isConflict(error)) throw error
      await sleep(pauseMs)
    }
  }
}
