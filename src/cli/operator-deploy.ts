import { Command, Option } from 'commander'
import { operatorNamespace } from '../fleet/names.ts'
import type { OperatorOptions } from './operator.ts'
import { sidesOf, withOperatorFlags } from './operator.ts'

interface DeployOperatorOptions extends Pick<OperatorOptions, 'for' | 'agentNamespaces' | 'hubNamespace'> {
  image?: string
  workloadImage?: string
  namespace: string
  output: 'yaml' | 'json'
}

const examples = `
Examples:
  lanyard deploy operator | kubectl apply -f -               on a managed cluster, then apply a Klusterlet
  lanyard deploy operator --for hub | kubectl apply -f -     on a hub, then apply a ClusterManager
  lanyard deploy operator | kubectl delete -f -              after the Klusterlet is gone: nothing is left`

export const deployOperatorCommand = (): Command =>
  withOperatorFlags(new Command('operator'))
    .description('Print the operator as manifests, with the kinds it works by and the rights it needs.')
    .option(
      '--image <image>',
      'the container image (default: lanyard with the version of this program; nobody publishes one yet)',
    )
    .option('--workload-image <image>', 'of agents and hubs that name none (default: the same)')
    .option('--namespace <name>', 'where it is installed', operatorNamespace)
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', examples)
    .action(printOperator)

async function printOperator(options: DeployOperatorOptions): Promise<void> {
  const [{ ownImage, print }, { operatorManifests }] = await Promise.all([
    import('./deploy-print.ts'),
    import('../operator/manifests/operator.ts'),
  ])
  const { namespace, agentNamespaces, hubNamespace, workloadImage } = options
  const manifests = operatorManifests({
    image: options.image ?? ownImage,
    namespace,
    agentNamespaces,
    hubNamespace,
    sides: sidesOf(options.for),
    ...(workloadImage && { workloadImage }),
  })
  print(manifests, options.output)
}
