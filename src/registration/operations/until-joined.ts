import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { sleep } from '../../core/clock.ts'
import { findCondition, isTrue } from '../../core/conditions.ts'
import type { Step } from '../../core/step.ts'
import { conditions } from '../../fleet/names.ts'
import type { OperationDeps } from './accept.ts'
import { failures } from './failures.ts'

/** Ends when the cluster has joined and is available; tells what it waits for meanwhile, and when it gives up. */
export async function* untilJoined(name: string, timeoutMs: number, deps: OperationDeps): AsyncGenerator<Step> {
  const { kube, clock, signal } = deps
  const giveUpAt = clock.now().getTime() + timeoutMs
  let told: string | undefined
  for (;;) {
    const cluster = await kube.of(ManagedCluster.resource).find(name, { signal })
    if (!cluster) throw failures.CLUSTER_UNKNOWN({ cluster: name })
    const missing = whatIsMissing(cluster)
    if (missing === undefined) return yield { did: `${name} has joined and is available` }
    if (missing !== told) yield { doing: `${name}: ${missing}` }
    told = missing
    if (clock.now().getTime() > giveUpAt)
      throw failures.WAITED_IN_VAIN({
        cluster: name,
        what: 'available',
        seconds: Math.round(timeoutMs / 1_000),
        missing,
      })
    await sleep(clock, 250, signal)
  }
}

/** The next thing that has to happen before a cluster is one of the fleet, with the command that helps where it does not. */
export function whatIsMissing({ metadata, spec, status }: ManagedCluster): string | undefined {
  const found = status?.conditions
  const name = metadata?.name
  if (metadata?.deletionTimestamp) return 'it is being deleted'
  if (!spec?.hubAcceptsClient) return `the hub has not accepted it; run \`lanyard accept ${name}\``
  const accepted = findCondition(found, conditions.accepted)
  if (accepted?.status !== 'True')
    return accepted?.status === 'False' && accepted.reason === 'Error'
      ? `the hub could not give it its rights (${accepted.message})`
      : 'the hub gives it its rights; if that lasts, look whether `lanyard hub` runs'
  if (!isTrue(found, conditions.joined))
    return `its agent has to connect with its certificate; if that lasts, run \`lanyard doctor ${name}\``
  const available = findCondition(found, conditions.available)
  if (available?.status === 'True') return undefined
  return available
    ? `it is not available (${available.message})`
    : 'its agent has not said yet whether its API server answers'
}
