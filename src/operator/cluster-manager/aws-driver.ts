import type { ClusterManagerSpec } from '../../apis/operator/cluster-manager.ts'
import { arnMatcher } from '../../registration/drivers/awsirsa/arn-patterns.ts'
import { creatorRoleName, parseEksArn, roleArn } from '../../registration/drivers/awsirsa/names.ts'
import { parseTags } from '../../registration/drivers/awsirsa/tags.ts'
import type { HubAws } from '../../registration/manifests/hub-aws.ts'

type Drivers = NonNullable<NonNullable<ClusterManagerSpec['registrationConfiguration']>['registrationDrivers']>
type Driver = Drivers[number]

export interface AwsWish {
  /** Undefined: no cluster joins by AWS IAM. */
  readonly aws?: HubAws
  /** Each names its field. */
  readonly mistakes: readonly string[]
  /** What is set and has no effect. */
  readonly ignored: readonly string[]
}

export const driversField = 'registrationConfiguration.registrationDrivers'

/** What a ClusterManager says of the join by AWS IAM. @param approves whether the gate of auto-approval is on */
export function awsWish(drivers: Drivers, approves: boolean): AwsWish {
  const index = drivers.findIndex(({ authType }) => authType === 'awsirsa')
  const driver = drivers[index]
  const strays = drivers.flatMap(({ authType, awsirsa }, at) =>
    awsirsa && authType !== 'awsirsa' ? [`${driversField}[${at}].awsirsa (its authType is ${authType})`] : [],
  )
  if (!driver) return { mistakes: [], ignored: strays }
  const wish = wishOf(driver, `${driversField}[${index}].awsirsa`, approves)
  return { ...wish, ignored: [...strays, ...wish.ignored] }
}

function wishOf({ awsirsa = {} }: Driver, field: string, approves: boolean): AwsWish {
  const { hubClusterArn = '', autoApprovedIdentities: patterns = [], tags: given = [] } = awsirsa
  const arnField = `${field}.hubClusterArn`
  if (hubClusterArn === '')
    return { mistakes: [`${arnField} is missing; awsirsa needs the ARN of the hub's EKS cluster`], ignored: [] }
  const hub = parseEksArn(hubClusterArn)
  const tags = parseTags(given)
  const matcher = arnMatcher(patterns)
  const mistakes = [
    ...('wrong' in hub ? [`${arnField}: ${hub.wrong}`] : []),
    ...('wrong' in matcher ? [`${field}.autoApprovedIdentities: ${matcher.wrong}`] : []),
    ...('wrong' in tags ? [`${field}.tags: ${tags.wrong}`] : []),
  ]
  if ('wrong' in hub || 'wrong' in tags || mistakes.length > 0) return { mistakes, ignored: [] }
  const role = creatorRoleName(hub)
  return {
    aws: {
      hubClusterArn,
      ...(approves && patterns.length > 0 && { autoApprovedArnPatterns: patterns }),
      ...(given.length > 0 && { resourceTags: tags.tags }),
      ...(typeof role === 'string' && { creatorRoleArn: roleArn(hub, role) }),
    },
    mistakes,
    ignored: [
      ...(patterns.length > 0 && !approves
        ? [`${field}.autoApprovedIdentities (the gate ManagedClusterAutoApproval is off)`]
        : []),
      ...(typeof role === 'string' ? [] : [`the role that ${arnField} would give the hub's account (${role.wrong})`]),
    ],
  }
}
