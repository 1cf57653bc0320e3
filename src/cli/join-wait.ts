import { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import type { Clock } from '../core/clock.ts'
import { after, sleep } from '../core/clock.ts'
import { findCondition } from '../core/conditions.ts'
import { isFailure } from '../core/failure.ts'
import { agentSecrets, conditions } from '../fleet/names.ts'
import { KubeFailure } from '../kube/failures.ts'
import { secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { failures } from './failures.ts'

export interface JoinWait {
  /** The managed cluster. */
  spoke: Kube
  /** As whoever has the token. */
  hub: Kube
  namespace: string
  cluster: string
  driver: 'csr' | 'awsirsa'
  timeoutMs: number
  clock: Clock
  signal: AbortSignal
  /** Told what is missing, each time that changes. */
  tell(missing: string): void
}

const everyMs = 500

/** Returns when the cluster has joined; throws with what is missing when the time is up. */
export async function untilJoined(wait: JoinWait): Promise<void> {
  const { clock, cluster, timeoutMs, signal } = wait
  const deadline = after(clock.now(), timeoutMs)
  let told: string | undefined
  for (;;) {
    const missing = whatIsMissing(cluster, wait.namespace, await look(wait), wait.driver)
    if (missing === undefined) return
    if (missing !== told) wait.tell(missing)
    told = missing
    if (clock.now() >= deadline) throw failures.JOIN_LATE({ cluster, seconds: timeoutMs / 1_000, missing })
    await sleep(clock, everyMs, signal)
  }
}

/** What can be seen of a join. */
export interface Sight {
  /** The agent keeps what it comes to the hub with. Joined is never taken back, so that could be of an earlier life. */
  hasIdentity: boolean
  /** 'unknown' where the hub did not say. */
  managed: ManagedCluster | 'absent' | 'unknown'
}

/** A certificate, or the kubeconfig that names the role. */
const keptAs = { csr: 'tls.crt', awsirsa: 'kubeconfig' } as const

async function look({ spoke, hub, namespace, cluster, driver, signal }: JoinWait): Promise<Sight> {
  const secret = await spoke.of(secrets, namespace).find(agentSecrets.hubKubeconfig, { signal })
  return {
    hasIdentity: secret?.data?.[keptAs[driver]] !== undefined,
    managed: await managedCluster(hub, cluster, signal),
  }
}

async function managedCluster(hub: Kube, cluster: string, signal: AbortSignal): Promise<Sight['managed']> {
  try {
    return (await hub.of(ManagedCluster.resource).find(cluster, { signal, deadlineMs: 10_000 })) ?? 'absent'
  } catch (error) {
    signal.throwIfAborted()
    if (isFailure(error) || error instanceof KubeFailure) return 'unknown'
    throw error
  }
}

/** With the command that helps; undefined when the cluster has joined. */
export function whatIsMissing(
  cluster: string,
  namespace: string,
  { hasIdentity, managed }: Sight,
  driver: JoinWait['driver'] = 'csr',
): string | undefined {
  if (managed === 'absent')
    return `its agent has not asked the hub yet; look at it with \`kubectl -n ${namespace} get pods\` and \`kubectl -n ${namespace} logs deployment/lanyard-agent\``
  if (managed === 'unknown')
    return 'the hub does not tell how the cluster stands; ask it with `lanyard get clusters` there'
  if (!managed.spec?.hubAcceptsClient)
    return `the hub has not accepted it; run \`lanyard accept ${cluster}\` on the hub`
  const holding = driver === 'csr' ? 'certificate' : 'AWS role'
  if (!hasIdentity) return `its agent has no ${holding} yet; run \`lanyard accept ${cluster}\` on the hub`
  if (findCondition(managed.status?.conditions ?? [], conditions.joined)?.status !== 'True')
    return `its agent has not connected with its ${holding}; run \`lanyard doctor ${cluster}\` on the hub`
  return undefined
}
