import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { agentSecrets } from '../../fleet/names.ts'
import { serviceAccounts } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { agentAccount, agentDeployment } from '../manifests/agent.ts'
import { roleArnAnnotation } from '../manifests/hub-aws.ts'
import type { Finding } from './causes.ts'
import { ifUnknown } from './if-unknown.ts'

/** Whether the agent was told to join by AWS IAM, in either of the words for it. */
export const comesByAws = (deployment: Deployment | undefined): boolean =>
  deployment?.spec?.template.spec?.containers.some(({ args = [] }) =>
    args.some((arg) => /^--registration-auth=aws-?irsa$/.test(arg)),
  ) ?? false

export interface AwsWait {
  kube: Kube
  namespace: string
  /** The Secret is there, and still has the certificate by which the agent came before. */
  isLeftOver: boolean
}

/** For an agent that has not come in by its role yet. It makes no request that would show what it waits for. */
export async function waitsForAws({ kube, namespace, isLeftOver }: AwsWait, signal: AbortSignal): Promise<Finding> {
  const account = await kube.of(serviceAccounts, namespace).find(agentAccount, { signal }).catch(ifUnknown)
  const missing = isLeftOver
    ? `Secret ${namespace}/${agentSecrets.hubKubeconfig} still has a certificate from before the agent was to come by AWS IAM`
    : `there is no Secret ${agentSecrets.hubKubeconfig} in namespace ${namespace}`
  if (account && account.metadata.annotations?.[roleArnAnnotation] === undefined) {
    const evidence = `${missing}, and ServiceAccount ${namespace}/${agentAccount} has no annotation ${roleArnAnnotation}`
    const fix = `unless its pods get their role by EKS Pod Identity, create the role that \`lanyard aws prerequisites cluster\` prints, annotate the account with its ARN and restart the agent`
    return { id: 'aws-agent-waits', evidence, fix }
  }
  const fix = `see that the hub has accepted the cluster; if it has, \`kubectl -n ${namespace} logs deploy/${agentDeployment}\` says what AWS answered, and \`lanyard aws prerequisites cluster\` prints how its role has to be`
  return { id: 'aws-agent-waits', evidence: missing, fix }
}
