import type { KlusterletSpec } from '../../apis/operator/klusterlet.ts'
import type { EksCluster } from '../../registration/drivers/awsirsa/names.ts'
import { managedRoleArn, parseEksArn, whyApart } from '../../registration/drivers/awsirsa/names.ts'
import type { AgentAws } from '../../registration/manifests/agent.ts'

/** The two EKS clusters that a join by AWS IAM is between. */
export interface EksPair {
  readonly hub: EksCluster
  readonly managed: EksCluster
}

const field = 'registrationConfiguration.registrationDriver.awsIrsa'

/** Undefined: the agent joins another way. `wrong` names the field. */
export function eksPairOf({ registrationConfiguration }: KlusterletSpec): EksPair | { wrong: string } | undefined {
  const { authType, awsIrsa } = registrationConfiguration?.registrationDriver ?? {}
  if (authType !== 'awsirsa') return undefined
  const { hubClusterArn = '', managedClusterArn = '' } = awsIrsa ?? {}
  const given = { hubClusterArn, managedClusterArn }
  const missing = Object.entries(given).flatMap(([name, arn]) => (arn === '' ? [`${field}.${name}`] : []))
  if (missing.length > 0) return { wrong: `awsirsa needs ${missing.join(' and ')}` }
  const [hub, managed] = [parseEksArn(hubClusterArn), parseEksArn(managedClusterArn)]
  if ('wrong' in hub) return { wrong: `${field}.hubClusterArn: ${hub.wrong}` }
  if ('wrong' in managed) return { wrong: `${field}.managedClusterArn: ${managed.wrong}` }
  const apart = whyApart(hub, managed)
  return apart === undefined ? { hub, managed } : { wrong: `${field}: ${apart}` }
}

/** What the agent is told, and the role of its account. */
export const agentAwsOf = ({ hub, managed }: EksPair): AgentAws => ({
  hubClusterArn: hub.arn,
  managedClusterArn: managed.arn,
  roleArn: managedRoleArn(hub, managed),
})
