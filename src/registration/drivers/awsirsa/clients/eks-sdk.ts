/** EKS by the AWS SDK, which is loaded with this file and with nothing else: import it only when it is used. */
import type { EKSClientConfig } from '@aws-sdk/client-eks'
import {
  CreateAccessEntryCommand,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  EKSClient,
  TagResourceCommand,
  UpdateAccessEntryCommand,
} from '@aws-sdk/client-eks'
import type { Call } from './answers.ts'
import { orNothing } from './answers.ts'
import type { Eks } from './ports.ts'

export function eksBySdk(clusterName: string, config: EKSClientConfig, call: Call): Eks & Disposable {
  const client = new EKSClient(config)
  return {
    async authenticationMode() {
      const command = new DescribeClusterCommand({ name: clusterName })
      const { cluster } = await call('eks:DescribeCluster', (options) => client.send(command, options))
      return cluster?.accessConfig?.authenticationMode
    },
    async findAccessEntry(principalArn) {
      const command = new DescribeAccessEntryCommand({ clusterName, principalArn })
      const found = await orNothing(call('eks:DescribeAccessEntry', (options) => client.send(command, options)))
      const entry = found?.accessEntry
      return (
        entry && {
          arn: entry.accessEntryArn ?? '',
          principalArn,
          username: entry.username ?? '',
          groups: entry.kubernetesGroups ?? [],
          type: entry.type ?? '',
          tags: entry.tags ?? {},
          createdAt: entry.createdAt ?? new Date(0),
        }
      )
    },
    async createAccessEntry({ principalArn, username, groups, tags }) {
      const entry = { clusterName, principalArn, type: 'STANDARD', username, kubernetesGroups: [...groups], tags }
      await call('eks:CreateAccessEntry', (options) => client.send(new CreateAccessEntryCommand(entry), options))
    },
    async updateAccessEntry({ principalArn, username, groups }) {
      const entry = { clusterName, principalArn, username, kubernetesGroups: [...groups] }
      await call('eks:UpdateAccessEntry', (options) => client.send(new UpdateAccessEntryCommand(entry), options))
    },
    async tagAccessEntry(resourceArn, tags) {
      const command = new TagResourceCommand({ resourceArn, tags })
      await call('eks:TagResource', (options) => client.send(command, options))
    },
    async deleteAccessEntry(principalArn) {
      const command = new DeleteAccessEntryCommand({ clusterName, principalArn })
      await orNothing(call('eks:DeleteAccessEntry', (options) => client.send(command, options)))
    },
    [Symbol.dispose]: () => client.destroy(),
  }
}
