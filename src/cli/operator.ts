import { Command, Option } from 'commander'
import { agentNamespace, hubNamespace, operatorNamespace } from '../fleet/names.ts'
import type { Side } from '../operator/manifests/operator.ts'
import { addressOf, listOf } from './flag-values.ts'
import { durationOption, withProcessFlags } from './process-flags.ts'
import type { Stop } from './stop-signal.ts'

export interface OperatorOptions {
  kubeconfig?: string
  context?: string
  namespace: string
  for: 'managed-cluster' | 'hub' | 'both'
  image?: string
  agentNamespaces: string[]
  hubNamespace: string
  listen?: { host: string; port: number }
  leaderElection: boolean
  leaderElectLeaseDuration: number
  leaderElectRenewDeadline: number
  leaderElectRetryPeriod: number
  hubLookPeriod: number
  hubRemovalTimeout: number
  kubeApiQps: number
  kubeApiBurst: number
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

const examples = `
Examples:
  lanyard deploy operator | kubectl apply -f -      the operator as a Deployment, with the rights it needs
  lanyard operator --kubeconfig west.yaml           the same as a process, for Klusterlets of a managed cluster
  lanyard operator --for hub --kubeconfig hub.yaml  for the ClusterManager of a hub
What it does with which field: docs/operator.md`

/** Shared with `deploy operator`, so that what is printed is what runs. */
export const withOperatorFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--for <side>', 'what it takes care of: Klusterlets, ClusterManagers, or both')
        .choices(['managed-cluster', 'hub', 'both'])
        .default('managed-cluster'),
    )
    .addOption(
      new Option('--agent-namespaces <names>', 'where agents may be; it has no rights elsewhere')
        .argParser((text: string) => listOf(text))
        .default([agentNamespace], agentNamespace),
    )
    .option('--hub-namespace <name>', 'where a hub is', hubNamespace)

export const sidesOf = (side: OperatorOptions['for']): Side[] => (side === 'both' ? ['managed-cluster', 'hub'] : [side])

export function operatorCommand(stop: Stop): Command {
  return withOperatorFlags(withProcessFlags(new Command('operator')))
    .description('Run the operator: Klusterlets into running agents, a ClusterManager into a running hub.')
    .option('--kubeconfig <file>', 'of the cluster (default: KUBECONFIG, ~/.kube/config, the account of the pod)')
    .option('--namespace <name>', 'of its lease', operatorNamespace)
    .option('--image <image>', 'of agents and hubs that name none (default: lanyard with the version of this program)')
    .option('--listen <address>', 'where https /healthz and /metrics are served (default: nowhere)', addressOf)
    .addOption(durationOption('--hub-look-period', 'between two looks at the hub as the agent', '30s'))
    .addOption(durationOption('--hub-removal-timeout', 'how long a cluster that leaves tries to tell its hub', '5m'))
    .addHelpText('after', examples)
    .action(async (options: OperatorOptions) => (await import('./operator-run.ts')).runOperator(options, stop))
}
