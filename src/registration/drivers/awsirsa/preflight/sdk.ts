/** By the AWS SDK, which is loaded with this file: import it only when it is used. */
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import type { Clock } from '../../../../core/clock.ts'
import { attempts, calling, orNothing, requestMs } from '../clients/answers.ts'
import type { AwsOptions } from '../clients/open.ts'
import { openAws } from '../clients/open.ts'
import type { EksCluster } from '../names.ts'
import type { PreflightAws } from './look.ts'

/** With what credentials the SDK finds, of whoever runs the command. */
export function preflightAws(
  { region, name }: EksCluster,
  clock: Pick<Clock, 'countdown'>,
  given: Pick<AwsOptions, 'endpoint' | 'credentials'> = {},
): PreflightAws & Disposable {
  const clients = openAws({ region, clusterName: name, clock, ...given })
  const call = calling(clock)
  const requestHandler = { requestTimeout: requestMs, connectionTimeout: requestMs, throwOnRequestTimeout: true }
  const config = { maxAttempts: attempts, requestHandler, ...given }
  return {
    iam: clients.iam,
    async callerAccount() {
      const client = new STSClient({ region, ...config })
      try {
        const command = new GetCallerIdentityCommand({})
        return (await call('sts:GetCallerIdentity', (options) => client.send(command, options))).Account ?? ''
      } finally {
        client.destroy()
      }
    },
    async issuerOf(cluster) {
      const client = new EKSClient({ region: cluster.region, ...config })
      try {
        const command = new DescribeClusterCommand({ name: cluster.name })
        const found = await orNothing(call('eks:DescribeCluster', (options) => client.send(command, options)))
        return found?.cluster?.identity?.oidc?.issuer
      } finally {
        client.destroy()
      }
    },
    [Symbol.dispose]: () => clients[Symbol.dispose](),
  }
}
