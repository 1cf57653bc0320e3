import type { Command } from 'commander'
import type { EksCluster } from '../registration/drivers/awsirsa/names.ts'
import type { Preflight } from '../registration/drivers/awsirsa/preflight/index.ts'
import { parseOidcProvider } from '../registration/drivers/awsirsa/prerequisites/index.ts'
import type { ClusterCheckOptions, HubCheckOptions } from './aws-check.ts'
import { eksClusterOf } from './aws-install.ts'
import { clusterPreflight, hubPreflight, passPreflight } from './aws-preflight.ts'
import { failures } from './failures.ts'
import { printOn, tellOn } from './print-on.ts'

/** `lanyard aws check hub`. */
export async function checkHub(options: HubCheckOptions, command: Command): Promise<void> {
  const hub = named('--hub-cluster-arn', options.hubClusterArn)
  tell(await hubPreflight(hub, whereOf(options)), 'hub', hub, command)
}

/** `lanyard aws check cluster`. */
export async function checkCluster(options: ClusterCheckOptions, command: Command): Promise<void> {
  const hub = named('--hub-cluster-arn', options.hubClusterArn)
  const managed = named('--managed-cluster-arn', options.managedClusterArn)
  tell(await clusterPreflight({ hub, managed }, whereOf(options)), 'cluster', managed, command)
}

/** Missing, it is as wrong as any other text. */
const named = (flag: string, arn: string | undefined) => eksClusterOf(flag, arn ?? '')

function whereOf({ oidcProvider, namespace }: HubCheckOptions) {
  if (oidcProvider === undefined) return { namespace }
  const parsed = parseOidcProvider(oidcProvider)
  if ('wrong' in parsed) throw failures.FLAG_MALFORMED({ flag: '--oidc-provider', detail: parsed.wrong })
  return { namespace, ...parsed }
}

/** Whoever goes by the exit code must not take a role that nobody saw for a good one. */
function tell(found: Preflight, whose: 'hub' | 'cluster', { account }: EksCluster, command: Command): void {
  const print = printOn(command)
  const say = tellOn(command)
  passPreflight(found, whose, { warn: (text) => say(`lanyard: warning: ${text}\n`), print })
  if (found.isUnseen) throw failures.AWS_NOT_SEEN({ whose, account })
  if (found.unclear.length === 0) print(`The role ${found.role?.arn} is as it has to be.\n`)
}
