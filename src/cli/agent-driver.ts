import type { Clock } from '../core/clock.ts'
import type { Env } from '../kube/kubeconfig/index.ts'
import type { AgentDriver } from '../registration/drivers/driver.ts'
import type { AgentOptions } from './agent.ts'
import { failures } from './failures.ts'
import { driverOf } from './registration-drivers.ts'

type Flags = Pick<
  AgentOptions,
  | 'registrationAuth'
  | 'hubClusterArn'
  | 'eksHubClusterArn'
  | 'managedClusterArn'
  | 'managedClusterRoleSuffix'
  | 'awsExec'
  | 'awsExecCommand'
  | 'bootstrapKubeconfig'
  | 'bootstrapKubeconfigs'
>

/** What the driver awsirsa was told. */
export interface AgentAwsFlags {
  hubClusterArn: string
  managedClusterArn: string
  managedClusterRoleSuffix?: string
  awsExec: 'lanyard' | 'aws'
  awsExecCommand?: string
}

const driversFlag = '--registration-auth'
const driver = 'awsirsa'

/** Undefined where the agent joins by CSR. Throws for what could not be meant. */
export function agentAwsFlagsOf(flags: Flags): AgentAwsFlags | undefined {
  const { managedClusterArn, managedClusterRoleSuffix, awsExec = 'lanyard', awsExecCommand } = flags
  const hubClusterArn = flags.hubClusterArn ?? flags.eksHubClusterArn
  if (driverOf(flags.registrationAuth, driversFlag) !== driver) return refuseIdle(flags)
  if (!hubClusterArn) throw failures.AGENT_NEEDS_ARN({ what: 'the EKS cluster of the hub', flag: '--hub-cluster-arn' })
  if (!managedClusterArn) throw failures.AGENT_NEEDS_ARN({ what: 'its own EKS cluster', flag: '--managed-cluster-arn' })
  if (flags.eksHubClusterArn !== undefined && flags.eksHubClusterArn !== hubClusterArn)
    throw failures.FLAG_MALFORMED({
      flag: '--eks-hub-cluster-arn',
      detail: 'is the same as --hub-cluster-arn, and the two differ; leave one out',
    })
  const hubs = (flags.bootstrapKubeconfigs ?? []).length + (flags.bootstrapKubeconfig ? 1 : 0)
  if (hubs > 1) throw failures.AGENT_AWS_ONE_HUB()
  return {
    hubClusterArn,
    managedClusterArn,
    awsExec,
    ...(managedClusterRoleSuffix !== undefined && { managedClusterRoleSuffix }),
    ...(awsExecCommand !== undefined && { awsExecCommand }),
  }
}

function refuseIdle(flags: Flags): undefined {
  const idle = {
    '--hub-cluster-arn': flags.hubClusterArn,
    '--eks-hub-cluster-arn': flags.eksHubClusterArn,
    '--managed-cluster-arn': flags.managedClusterArn,
    '--managed-cluster-role-suffix': flags.managedClusterRoleSuffix,
    '--aws-exec': flags.awsExec,
    '--aws-exec-command': flags.awsExecCommand,
  }
  for (const [flag, value] of Object.entries(idle))
    if (value !== undefined) throw failures.FLAG_NEEDS_DRIVER({ flag, driver, driversFlag })
  return undefined
}

/** What the agent joins by; undefined: its default. Nothing of AWS is loaded unless it is asked for. */
export async function agentDriverOf(flags: Flags, deps: { env: Env; clock: Clock }): Promise<AgentDriver | undefined> {
  const aws = agentAwsFlagsOf(flags)
  return aws && (await import('./agent-aws.ts')).agentAws(aws, deps)
}
