import type { AwsCluster, AwsStandIn, Identity, Refused } from '../contract.ts'
import type { AwsAuthData, KnownUser } from './aws-auth.ts'
import { userInAwsAuth } from './aws-auth.ts'

/** The status of an answered TokenReview. */
export type ReviewStatus =
  | { authenticated: true; user: KnownUser & { uid: string; extra: Record<string, string[]> } }
  | { authenticated: false; error: string }

export interface Judge {
  aws: Pick<AwsStandIn, 'identityOf'>
  cluster: AwsCluster
  /** Of the ConfigMap kube-system/aws-auth at this moment; undefined when there is none. */
  awsAuth(): Promise<AwsAuthData | undefined>
}

/** Who bears a token, as the API server of the cluster is to know: by what the mode of the cluster goes by. */
export async function judge(token: string, { aws, cluster, awsAuth }: Judge): Promise<ReviewStatus> {
  const identity = aws.identityOf(token, cluster.name)
  if ('refused' in identity) return refused(identity.refused)
  const user = await userOf(token, identity, { cluster, awsAuth })
  return 'refused' in user ? refused(user.refused) : { authenticated: true, user: { ...user, ...factsOf(identity) } }
}

async function userOf(
  token: string,
  identity: Identity,
  { cluster, awsAuth }: Pick<Judge, 'cluster' | 'awsAuth'>,
): Promise<KnownUser | Refused> {
  const { authenticationMode: mode } = cluster
  const byEntry = mode === 'CONFIG_MAP' ? undefined : cluster.userOf(token)
  if (byEntry && (mode === 'API' || !('refused' in byEntry))) return byEntry
  const byConfigMap = userInAwsAuth((await awsAuth()) ?? {}, identity)
  return byConfigMap ?? { refused: `neither an access entry nor aws-auth knows ${identity.principalArn}` }
}

const factsOf = ({ arn, principalArn, account, userId }: Identity) => ({
  uid: `aws-iam-authenticator:${account}:${userId}`,
  extra: {
    arn: [arn],
    canonicalArn: [principalArn],
    principalId: [userId.split(':')[0] ?? ''],
    sessionName: [userId.split(':')[1] ?? ''],
  },
})

const refused = (error: string): ReviewStatus => ({ authenticated: false, error })
