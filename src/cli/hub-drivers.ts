import { isEks } from '../fleet/eks.ts'
import { failures } from './failures.ts'
import { gatesWith, hubGates } from './feature-gates.ts'
import type { HubOptions } from './hub.ts'
import { driversOf } from './registration-drivers.ts'

type Flags = Pick<
  HubOptions,
  'enabledRegistrationDrivers' | 'featureGates' | 'hubClusterArn' | 'autoApprovedArnPatterns' | 'awsResourceTags'
>

/** What the driver awsirsa was told. */
export interface HubAwsFlags {
  hubClusterArn: string
  autoApprovedArnPatterns: readonly string[]
  awsResourceTags: readonly string[]
}

export interface HubDrivers {
  csr: boolean
  aws?: HubAwsFlags
}

const driversFlag = '--enabled-registration-drivers'
const arnFlag = '--hub-cluster-arn'
const patternsFlag = '--auto-approved-arn-patterns'

/** The ways to join that flags ask for. Throws for what could not be meant. */
export function hubDriversOf(flags: Flags): HubDrivers {
  const drivers = driversOf(flags.enabledRegistrationDrivers, driversFlag)
  const { hubClusterArn, autoApprovedArnPatterns = [], awsResourceTags = [] } = flags
  const csr = drivers.includes('csr')
  if (!drivers.includes('awsirsa')) {
    if (hubClusterArn) throw failures.CSR_WITH_HUB_ARN({ arn: hubClusterArn })
    const idle = { [patternsFlag]: autoApprovedArnPatterns, '--aws-resource-tags': awsResourceTags }
    for (const [flag, { length }] of Object.entries(idle))
      if (length > 0) throw failures.FLAG_NEEDS_DRIVER({ flag, driver: 'awsirsa', driversFlag })
    return { csr }
  }
  if (!hubClusterArn) throw failures.DRIVER_NEEDS_FLAG({ driver: 'awsirsa', flag: arnFlag })
  if (autoApprovedArnPatterns.length > 0 && !gatesWith(hubGates, flags.featureGates).ManagedClusterAutoApproval)
    throw failures.APPROVAL_WITHOUT_GATE({ flag: patternsFlag })
  return { csr, aws: { hubClusterArn, autoApprovedArnPatterns, awsResourceTags } }
}

/** Throws where the hub's own API server cannot do what a driver needs of it. */
export function checkServer({ csr }: HubDrivers, gitVersion: string): void {
  if (csr && isEks(gitVersion)) throw failures.CSR_ON_EKS({ version: gitVersion })
}
