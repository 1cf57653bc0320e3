/** The join by AWS IAM, as an agent's process has it. Loads the driver: import it only where the driver is asked for. */
import { readFile } from 'node:fs/promises'
import type { Clock } from '../core/clock.ts'
import type { Env } from '../kube/kubeconfig/index.ts'
import { awsAgentDriver } from '../registration/drivers/awsirsa/agent-driver.ts'
import type { ExecForm } from '../registration/drivers/awsirsa/agent-kubeconfig.ts'
import type { EksCluster } from '../registration/drivers/awsirsa/names.ts'
import { hubRoleArn, parseEksArn, quoted, roleSuffix, whyApart } from '../registration/drivers/awsirsa/names.ts'
import { configuredSts } from '../registration/drivers/awsirsa/token/presign.ts'
import { tokenSource } from '../registration/drivers/awsirsa/token/token-source.ts'
import type { AgentDriver } from '../registration/drivers/driver.ts'
import type { AgentAwsFlags } from './agent-driver.ts'
import { failures } from './failures.ts'

export interface AgentAwsDeps {
  env: Env
  clock: Clock
}

/** Throws for flags that could not be meant. AWS is not asked before the agent goes to its hub. */
export function agentAws(flags: AgentAwsFlags, { env, clock }: AgentAwsDeps): AgentDriver {
  const [hub, managed] = [eksOf(flags, 'hubClusterArn'), eksOf(flags, 'managedClusterArn')]
  const apart = whyApart(hub, managed)
  if (apart !== undefined) throw failures.FLAG_MALFORMED({ flag: flagOf.managedClusterArn, detail: apart })
  checkSuffix(flags.managedClusterRoleSuffix, roleSuffix(hub, managed))
  const endpoint = configuredSts(env)
  return awsAgentDriver({
    eks: { hub, managed },
    exec: execOf(flags, endpoint),
    tokens: tokenSource(
      { region: hub.region, clusterName: hub.name, roleArn: hubRoleArn(hub, managed) },
      { env, clock, readFile: (path) => readFile(path, 'utf8') },
    ),
  })
}

const flagOf = { hubClusterArn: '--hub-cluster-arn', managedClusterArn: '--managed-cluster-arn' } as const

function eksOf(flags: AgentAwsFlags, name: keyof typeof flagOf): EksCluster {
  const parsed = parseEksArn(flags[name])
  if ('wrong' in parsed) throw failures.FLAG_MALFORMED({ flag: flagOf[name], detail: parsed.wrong })
  return parsed
}

/** It follows from the ARNs, so one that is given can only be right, or show that an ARN is not. */
function checkSuffix(given: string | undefined, computed: string): void {
  if (given === undefined || given === computed) return
  const detail = `${quoted(given)} is not the suffix of these two clusters, which is ${computed}; check both ARNs, or leave the flag out`
  throw failures.FLAG_MALFORMED({ flag: '--managed-cluster-role-suffix', detail })
}

/** Who uses the kubeconfig needs the same way to STS as the agent. */
function execOf({ awsExec, awsExecCommand: command = awsExec }: AgentAwsFlags, endpoint: URL | undefined): ExecForm {
  if (awsExec === 'aws') return { form: 'aws', command }
  return { form: 'lanyard', command, ...(endpoint && { stsEndpoint: endpoint.origin }) }
}
