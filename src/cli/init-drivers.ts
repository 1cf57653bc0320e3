import { isEks } from '../fleet/eks.ts'
import type { EksCluster } from '../registration/drivers/awsirsa/names.ts'
import { failures } from './failures.ts'
import type { InitOptions } from './init.ts'
import type { InitDeps } from './init-steps.ts'
import type { RegistrationDriver } from './registration-drivers.ts'
import { driversOf } from './registration-drivers.ts'

const driversFlag = '--registration-drivers'

/** The ways to join that flags ask for. Throws for those that this version does not have, and flags of others. */
export function initDriversOf(options: InitOptions): RegistrationDriver[] {
  const drivers = driversOf(options.registrationDrivers ?? options.registrationAuth ?? ['csr'], driversFlag)
  if (drivers.includes('awsirsa')) return drivers
  if (options.hubClusterArn !== undefined)
    throw failures.INIT_CSR_ON_EKS({ why: '--hub-cluster-arn says that this hub is an EKS cluster' })
  const { autoApprovedArnPatterns, awsResourceTags, awsCreatorRole } = options
  const idle = {
    '--auto-approved-arn-patterns': autoApprovedArnPatterns,
    '--aws-resource-tags': awsResourceTags,
    '--aws-creator-role': awsCreatorRole,
  }
  for (const [flag, value] of Object.entries(idle))
    if (value !== undefined) throw failures.FLAG_NEEDS_DRIVER({ flag, driver: 'awsirsa', driversFlag })
  return drivers
}

/** Throws where the cluster cannot do what a driver needs of it. Its version tells: a trial would come after changes. */
export async function mustServe(drivers: readonly RegistrationDriver[], { kube, signal }: InitDeps): Promise<string> {
  const { gitVersion } = await kube.request<{ gitVersion: string }>({ path: '/version', signal })
  if (drivers.includes('csr') && isEks(gitVersion))
    throw failures.INIT_CSR_ON_EKS({ why: `the API server is one of EKS (${gitVersion})` })
  return gitVersion
}

/** Returns what people should be warned of; throws when the role of the hub is known not to do. */
export async function hubRoleWarnings(hub: EksCluster, namespace: string): Promise<string[]> {
  const { hubPreflight, passPreflight } = await import('./aws-preflight.ts')
  const warnings: string[] = []
  // Standard output is for the result.
  passPreflight(await hubPreflight(hub, { namespace }), 'hub', {
    warn: (text) => warnings.push(text),
    print: (text) => process.stderr.write(text),
  })
  return warnings
}
