import type { AgentAws } from '../registration/manifests/agent.ts'
import { agentAwsOf, namesDiffer } from './aws-install.ts'
import { clusterPreflight, passPreflight } from './aws-preflight.ts'
import type { JoinOptions } from './join.ts'

export interface JoinByAws {
  readonly installed: AgentAws
  readonly warnings: readonly string[]
  /** Returns what could not be told; throws when the role of the cluster is known not to do. */
  preflight(): Promise<string[]>
}

/** A join by AWS IAM. Throws for what could not be meant. @param context what the kubeconfig calls the cluster */
export function joinByAws(options: JoinOptions, context: string | undefined): JoinByAws {
  const { hub, managed, ...installed } = agentAwsOf(options, context)
  const differ = namesDiffer(options.clusterName, managed)
  return {
    installed,
    warnings: differ === undefined ? [] : [differ],
    async preflight() {
      const unclear: string[] = []
      passPreflight(await clusterPreflight({ hub, managed }, { namespace: options.namespace }), 'cluster', {
        warn: (text) => unclear.push(text),
        print: (text) => process.stderr.write(text),
      })
      return unclear
    },
  }
}
