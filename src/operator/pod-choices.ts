import type { Klusterlet } from '../apis/operator/klusterlet.ts'
import type { PodChoices } from '../registration/manifests/pod.ts'

type Spec = NonNullable<Klusterlet['spec']>
type Wishes = Pick<Spec, 'nodePlacement' | 'resourceRequirement' | 'priorityClassName' | 'hubApiServerHostAlias'>

/** What a Klusterlet or a ClusterManager says of the pods. */
export function podChoices(spec: Wishes): PodChoices {
  const { nodePlacement, priorityClassName, hubApiServerHostAlias: alias } = spec
  const resources = resourcesOf(spec.resourceRequirement)
  return {
    ...(nodePlacement?.nodeSelector && { nodeSelector: nodePlacement.nodeSelector }),
    ...(nodePlacement?.tolerations && { tolerations: nodePlacement.tolerations }),
    ...(priorityClassName && { priorityClassName }),
    ...(alias && { hostAliases: [{ ip: alias.ip, hostnames: [alias.hostname] }] }),
    ...(resources && { resources }),
  }
}

/** Undefined: as the manifests have it. */
function resourcesOf(wish: Wishes['resourceRequirement']): PodChoices['resources'] {
  if (wish?.type === 'BestEffort') return {}
  if (wish?.type !== 'ResourceRequirement') return undefined
  const { requests, limits } = wish.resourceRequirements ?? {}
  const texts = (amounts: Record<string, number | string>) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))
  return { ...(requests && { requests: texts(requests) }), ...(limits && { limits: texts(limits) }) }
}
