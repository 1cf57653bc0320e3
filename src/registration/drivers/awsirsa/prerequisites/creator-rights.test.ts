import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateAccessEntryCommand, EKSClient, UpdateAccessEntryCommand } from '@aws-sdk/client-eks'
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam'
import type { TestScope } from '../../../../../test/support/test-scope.ts'
import { teardown } from '../../../../../test/support/test-scope.ts'
import { startAws } from '../../../../demo/aws/index.ts'
import { creatorRoleAccess } from '../documents.ts'
import { hub, roleName } from '../testing/samples.ts'

const groups = ['open-cluster-management:west']
const refused = { name: 'AccessDeniedException' }

/** AWS with a role of the hub and one of somebody else, and a client with the rights of the creator role. */
async function scene(t: TestScope) {
  const aws = await startAws()
  teardown(t, () => aws.close())
  const account = aws.account(hub.account)
  const cluster = aws.cluster({ account: hub.account, name: hub.name, region: hub.region })
  const config = { endpoint: aws.url, region: hub.region, maxAttempts: 1 }
  const iam = new IAMClient({ ...config, credentials: account.admin })
  const eks = new EKSClient({ ...config, credentials: account.user('creator', creatorRoleAccess(hub)) })
  teardown(t, () => iam.destroy())
  teardown(t, () => eks.destroy())
  const Principal = { Service: 'ec2.amazonaws.com' }
  const trust = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }] }
  const arnOf = async (RoleName: string) => {
    const made = await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trust) }))
    return made.Role?.Arn ?? assert.fail()
  }
  const [own, intruder] = [await arnOf(roleName), await arnOf('intruder')]
  const entry = (principalArn: string, kubernetesGroups: string[]) => ({
    clusterName: hub.name,
    principalArn,
    kubernetesGroups,
  })
  return {
    cluster,
    own,
    intruder,
    map: (role: string, into: string[]) =>
      eks.send(new CreateAccessEntryCommand({ ...entry(role, into), username: 'west', tags: { a: '1' } })),
    change: (role: string, into: string[]) => eks.send(new UpdateAccessEntryCommand(entry(role, into))),
    rename: (username: string) =>
      eks.send(new UpdateAccessEntryCommand({ clusterName: hub.name, principalArn: own, username })),
  }
}

test('the creator maps a role that the hub made into the group of a cluster, and puts the entry right', async (t) => {
  const { cluster, own, map, change, rename } = await scene(t)
  await map(own, groups)
  await change(own, ['open-cluster-management:other'])
  await change(own, groups)
  await rename('other')
  const [entry] = cluster.accessEntries()
  assert.deepEqual([entry?.principalArn, entry?.username, entry?.groups], [own, 'other', groups])
})

test('the creator cannot map a role that is not of the hub', async (t) => {
  const { cluster, intruder, map } = await scene(t)
  await assert.rejects(map(intruder, groups), refused)
  await assert.rejects(map(intruder, []), refused)
  assert.deepEqual(cluster.accessEntries(), [])
})

test('the creator cannot put a role into another group, neither at once nor later nor beside the right one', async (t) => {
  const { cluster, own, map, change } = await scene(t)
  for (const wrong of [['admins'], [...groups, 'admins']]) await assert.rejects(map(own, wrong), refused)
  await map(own, groups)
  for (const wrong of [['admins'], [...groups, 'admins']]) await assert.rejects(change(own, wrong), refused)
  assert.deepEqual(cluster.accessEntries()[0]?.groups, groups)
})
