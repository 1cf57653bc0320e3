import { systemClock } from '../core/clock.ts'
import type { EksCluster } from '../registration/drivers/awsirsa/names.ts'
import type { Preflight, PreflightAws, PreflightOptions } from '../registration/drivers/awsirsa/preflight/index.ts'
import { checkClusterRole, checkHubRole, preflightAws } from '../registration/drivers/awsirsa/preflight/index.ts'
import { prerequisiteFormats } from '../registration/drivers/awsirsa/prerequisites/index.ts'
import { failures } from './failures.ts'

/** Looks, with the AWS credentials of whoever runs the command, whether the role of a hub is as it has to be. */
export const hubPreflight = (hub: EksCluster, options: PreflightOptions): Promise<Preflight> =>
  asCaller(hub, (aws) => checkHubRole(hub, aws, options))

export const clusterPreflight = (
  { hub, managed }: { hub: EksCluster; managed: EksCluster },
  options: PreflightOptions,
): Promise<Preflight> => asCaller(managed, (aws) => checkClusterRole(hub, managed, aws, options))

async function asCaller<T>(cluster: EksCluster, act: (aws: PreflightAws) => Promise<T>): Promise<T> {
  using aws = preflightAws(cluster, systemClock)
  return await act(aws)
}

/**
 * What could not be told is a warning; what is missing is printed as it has to be, and an error. People who know better
 * leave the look out.
 */
export function passPreflight(
  { missing, unclear, role }: Preflight,
  whose: 'hub' | 'cluster',
  tell: { warn(text: string): void; print(text: string): void },
): void {
  for (const one of unclear) tell.warn(one)
  if (missing.length === 0) return
  if (role) tell.print(prerequisiteFormats.json(role))
  throw failures.AWS_NOT_PREPARED({ whose, missing: missing.join('; ') })
}
