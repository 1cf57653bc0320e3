import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { sleep } from '../../core/clock.ts'
import { findCondition, isTrue } from '../../core/conditions.ts'
import type { Step } from '../../core/step.ts'
import { conditions } from '../../fleet/names.ts'
import { wayOf } from '../drivers/marks.ts'
import { reasons } from '../reasons.ts'
import type { OperationDeps } from './accept.ts'
import { failures } from './failures.ts'

/** Ends when the cluster has joined and is available; tells what it waits for meanwhile, and when it gives up. */
export const untilJoined = (name: string, timeoutMs: number, deps: OperationDeps): AsyncGenerator<Step> =>
  until(
    name,
    { what: 'available', missing: whatIsMissing, did: `${name} has joined and is available` },
    timeoutMs,
    deps,
  )

/** Ends when the hub has given the cluster its rights, in AWS too. */
export const untilGranted = (name: string, timeoutMs: number, deps: OperationDeps): AsyncGenerator<Step> =>
  until(
    name,
    { what: 'given its rights', missing: whatIsNotGranted, did: `the hub has given ${name} its rights` },
    timeoutMs,
    deps,
  )

interface Awaited {
  what: string
  did: string
  missing(cluster: ManagedCluster): string | undefined
}

async function* until(
  name: string,
  awaited: Awaited,
  timeoutMs: number,
  { kube, clock, signal }: OperationDeps,
): AsyncGenerator<Step> {
  const giveUpAt = clock.now().getTime() + timeoutMs
  let told: string | undefined
  for (;;) {
    const cluster = await kube.of(ManagedCluster.resource).find(name, { signal })
    if (!cluster) throw failures.CLUSTER_UNKNOWN({ cluster: name })
    const missing = awaited.missing(cluster)
    if (missing === undefined) return yield { did: awaited.did }
    if (missing !== told) yield { doing: `${name}: ${missing}` }
    told = missing
    if (clock.now().getTime() > giveUpAt)
      throw failures.WAITED_IN_VAIN({
        cluster: name,
        what: awaited.what,
        seconds: Math.round(timeoutMs / 1_000),
        missing,
      })
    await sleep(clock, 250, signal)
  }
}

function whatIsNotGranted({ metadata, spec, status }: ManagedCluster): string | undefined {
  if (metadata?.deletionTimestamp) return 'it is being deleted'
  if (!spec?.hubAcceptsClient) return `the hub has not accepted it; run \`lanyard accept ${metadata?.name}\``
  const accepted = findCondition(status?.conditions, conditions.accepted)
  if (accepted?.status === 'True') return undefined
  return accepted?.reason === reasons.Error
    ? `the hub could not give it its rights (${accepted.message})`
    : 'the hub gives it its rights; if that lasts, look whether `lanyard hub` runs'
}

/** The next thing that has to happen before a cluster is one of the fleet, with the command that helps where it does not. */
export function whatIsMissing(cluster: ManagedCluster): string | undefined {
  const found = cluster.status?.conditions
  const name = cluster.metadata?.name
  const notGranted = whatIsNotGranted(cluster)
  if (notGranted !== undefined) return notGranted
  const holding = wayOf(cluster) === 'awsirsa' ? 'AWS role' : 'certificate'
  if (!isTrue(found, conditions.joined))
    return `its agent has to connect with its ${holding}; if that lasts, run \`lanyard doctor ${name}\``
  const available = findCondition(found, conditions.available)
  if (available?.status === 'True') return undefined
  return available
    ? `it is not available (${available.message})`
    : 'its agent has not said yet whether its API server answers'
}
