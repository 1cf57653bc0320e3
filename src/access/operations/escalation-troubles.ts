import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { blocksSelfApproval, clusterFields } from '../admission/escalation-refs.ts'
import { allowsSelfApproval, isSystemGroup } from '../admission/escalation-rights.ts'
import { isForCluster } from '../sessions/matching.ts'

/**
 * What can be wrong with what stands: of escalations from before admission asked who may give what away nobody knows
 * whether their writers might. The id is stable: docs, tests and programs go by it.
 */
export const escalationCauses = {
  'escalation-system-group': 'An escalation gives away a group of Kubernetes itself.',
  'escalation-self-approval': 'Who asks by an escalation may be who approves it.',
} as const

export interface EscalationTrouble {
  readonly id: keyof typeof escalationCauses
  /** What shows it. Never a secret. */
  readonly evidence: string
  /** The next thing to do, with the command where there is one. */
  readonly fix: string
}

/** Of all escalations of a hub, or of those that lead to one cluster. */
export async function readEscalationTroubles(
  kube: Kube,
  { cluster, signal }: { cluster?: string | undefined; signal: AbortSignal },
): Promise<EscalationTrouble[]> {
  const [{ items }, configs] = await Promise.all([
    kube.of(BreakglassEscalation.resource).list({ signal }),
    kube.of(ClusterConfig.resource).list({ signal }),
  ])
  const blocks = (name: string) => blocksSelfApproval(configs.items.filter(({ metadata }) => metadata.name === name))
  return items
    .filter((escalation) => cluster === undefined || isForCluster(escalation, cluster))
    .flatMap((escalation) => troublesOf(escalation, blocks))
}

function troublesOf(
  { metadata, spec }: Stored<BreakglassEscalation>,
  blocks: (cluster: string) => boolean,
): EscalationTrouble[] {
  const name = `${metadata.namespace}/${metadata.name}`
  const clusters = clusterFields(spec).map(([, one]) => one)
  const leads = `${name} leads to ${spec.escalatedGroup} on ${clusters.join(', ')}`
  const edit = `kubectl -n ${metadata.namespace} edit breakglassescalation ${metadata.name}`
  const troubles: EscalationTrouble[] = []
  if (isSystemGroup(spec))
    troubles.push({
      id: 'escalation-system-group',
      evidence: leads,
      fix: `bind a group of your own to the rights that are meant, and name that: ${edit}`,
    })
  if (allowsSelfApproval(spec, blocks))
    troubles.push({
      id: 'escalation-self-approval',
      evidence: `${leads}, and spec.blockSelfApproval is not true`,
      fix: `set blockSelfApproval or minApprovals: 2, with a group of approvers: ${edit}`,
    })
  return troubles
}
