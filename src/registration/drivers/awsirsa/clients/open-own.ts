import type { EksCluster } from '../names.ts'
import { calling } from './answers.ts'
import type { AwsClients, AwsOptions } from './open.ts'
import { awsConfig, lazily, openAws } from './open.ts'
import type { OwnAccount } from './own-account.ts'
import { ownAccountOnly } from './own-account.ts'

export interface OwnAwsOptions extends Omit<AwsOptions, 'region' | 'clusterName'> {
  hub: EksCluster
}

/** IAM and EKS for one hub, which answer only to credentials of its own account. All of them use the same ones. */
export function openOwnAws({ hub, ...options }: OwnAwsOptions): AwsClients & Pick<OwnAccount, 'check'> {
  const { region, name: clusterName } = hub
  const call = calling(options.clock, options.deadlineMs)
  const caller = lazily(async () =>
    (await import('./caller-sdk.ts')).callerBySdk(awsConfig({ ...options, region }), call),
  )
  const credentials: NonNullable<AwsOptions['credentials']> = async (about) => (await caller.get()).credentials(about)
  const clients = openAws({ ...options, region, clusterName, credentials })
  const own = ownAccountOnly(clients, {
    hub,
    accessKeyId: async () => (await call('sts:GetCallerIdentity', () => credentials())).accessKeyId,
    account: async () => (await caller.get()).account(),
  })
  return {
    ...own,
    [Symbol.dispose]() {
      clients[Symbol.dispose]()
      caller.close()
    },
  }
}
