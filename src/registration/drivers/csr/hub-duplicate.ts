import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { isRenewal } from '../../../fleet/csr/requester.ts'
import { annotations, conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { reasons } from '../../reasons.ts'
import type { Judged } from './hub-judge.ts'

/** The condition DuplicateAgent as it should be; undefined to leave it as it is, which includes absent. */
export function duplicateReport(
  { metadata: { name }, status }: Stored<ManagedCluster>,
  judged: readonly Judged[],
): ConditionReport | undefined {
  const type = conditions.duplicateAgent
  const [second, ...more] = judged.filter(({ standing }) => standing === 'second')
  if (second)
    return { type, status: 'True', reason: reasons.SecondAgentAsks, message: describe(name, second, more.length) }
  const disputed = judged.find(({ rivals }) => rivals)
  if (disputed) return { type, status: 'True', reason: reasons.SecondAgentAsks, message: describeRivals(disputed) }
  // Whoever waits may turn out to be the second agent that was reported before, as after a restart of the hub.
  if (judged.some(({ standing }) => standing === 'waits') || !findCondition(status?.conditions, type)) return undefined
  const message = 'No other agent asks for a certificate of this cluster; there is nothing to do.'
  return { type, status: 'False', reason: reasons.NoOtherAgent, message }
}

/** The message of a condition may be no longer than 32 KiB, and whoever may ask may ask ten thousand times. */
const mostNamed = 20

function describeRivals({ request, rivals = [] }: Judged): string {
  const all = [request, ...rivals].map(({ csr, requester }) => `CSR ${csr.metadata.name} (requested by ${requester})`)
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : ''
  return `${all.length} requests with different keys ask in the name of agent ${request.agent}: ${all.toSorted().slice(0, mostNamed).join(', ')}${more}. Find out which is the agent's own, and delete the other.`
}

function describe(cluster: string, { request, incumbent }: Judged, more: number): string {
  const { agent, requester, csr } = request
  const first = incumbent?.agent === undefined ? 'its agent' : `agent ${incumbent.agent}`
  const isCopy = incumbent?.agent === undefined || incumbent.agent === agent
  return [
    `Agent ${agent} asks for a certificate of this cluster in CSR ${csr.metadata.name}, requested by ${requester},`,
    isCopy ? `while ${first} goes on renewing the lease.` : `but ${first} has joined and its place is not free.`,
    more > 0 ? `So do ${more} more.` : '',
    isRenewal(request)
      ? `It was replaced: stop it and delete the CSR; to let it back in, run: kubectl annotate managedcluster ${cluster} ${annotations.replaceAgent}=${agent}`
      : `To let it take the place, run: lanyard accept ${cluster} --replace-agent; else stop that agent and delete the CSR.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}
