import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateAccessEntryCommand, DescribeAccessEntryCommand, DescribeClusterCommand } from '@aws-sdk/client-eks'
import { CreateRoleCommand, GetRoleCommand, IAMClient } from '@aws-sdk/client-iam'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { awsScene, hubAccount, trustAccount, trustRole } from './testing/scene.ts'

const create = (name: string, trust: object = trustAccount(hubAccount)) =>
  new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument: JSON.stringify(trust) })

test('the next calls of an action fail with a code, and then work again', async (t) => {
  const { aws, clients, hub } = await awsScene(t)
  aws.faults.add({ action: 'CreateRole', times: 2, do: { code: 'ConcurrentModification', status: 409 } })
  const { iam, sts } = clients()
  for (const _ of [1, 2]) await assert.rejects(iam.send(create('r')), { name: 'ConcurrentModificationException' })
  await sts.send(new GetCallerIdentityCommand({}))
  assert.deepEqual(hub.roles(), [])
  await iam.send(create('r'))
})

test('an answer is lost after its effect', async (t) => {
  const { aws, clients, hub } = await awsScene(t)
  aws.faults.add({ action: 'CreateRole', do: 'lose-answer' })
  await assert.rejects(clients().iam.send(create('r')))
  assert.ok(hub.role('r'))
  assert.deepEqual(
    aws.calls.map(({ action, status }) => [action, status]),
    [['CreateRole', 0]],
  )
})

test('a connection is cut before anything happens', async (t) => {
  const { aws, clients, hub } = await awsScene(t)
  aws.faults.add({ do: 'drop' })
  await assert.rejects(clients().iam.send(create('r')))
  assert.deepEqual(hub.roles(), [])
})

test('throttling is what the SDK takes for throttling, and tries again', async (t) => {
  const { aws, clock, hub, createRole } = await awsScene(t)
  await createRole('r')
  const systemClockOffset = clock.now().getTime() - Date.now()
  const retryStrategy = { retry: 0 }
  async function retryToken() {
    return { getRetryCount: () => retryStrategy.retry, getRetryDelay: () => 0 }
  }
  const iam = new IAMClient({
    endpoint: aws.url,
    region: 'us-east-1',
    credentials: hub.admin,
    systemClockOffset,
    retryStrategy: {
      acquireInitialRetryToken: retryToken,
      async refreshRetryTokenForRetry(_, { errorType }) {
        assert.equal(errorType, 'THROTTLING')
        retryStrategy.retry += 1
        return retryToken()
      },
      recordSuccess() {},
    },
  })
  aws.faults.add({ action: 'GetRole', times: 2, do: 'throttle' })
  await iam.send(new GetRoleCommand({ RoleName: 'r' }))
  assert.equal(retryStrategy.retry, 2)
  iam.destroy()
})

test('a call is held back by the clock', async (t) => {
  const { aws, clients, clock } = await awsScene(t)
  const reached = Promise.withResolvers<void>()
  aws.faults.add({ action: 'DescribeCluster', do: { before: () => reached.resolve() } })
  await clients().eks.send(new DescribeClusterCommand({ name: 'hub' }))
  await reached.promise
  aws.faults.add({ action: 'DescribeCluster', do: { delayMs: 5_000 } })
  const sent = clients().eks.send(new DescribeClusterCommand({ name: 'hub' }))
  while (clock.nextDue === undefined) await clock.settle()
  assert.equal(aws.calls.at(-1)?.status, 0)
  await clock.advance('5s')
  await sent
})

test('a test is told between the effect and the answer', async (t) => {
  const { aws, clients, hub } = await awsScene(t)
  const seen: string[] = []
  const look = () => void seen.push(...hub.roles().map(({ name }) => name))
  aws.faults.add({ action: 'CreateRole', do: { after: look } })
  await clients().iam.send(create('r'))
  assert.deepEqual(seen, ['r'])
})

test('a new role is unknown to EKS and to trust policies for as many looks as asked', async (t) => {
  const { aws, clients, hub } = await awsScene(t)
  const { iam, eks } = clients()
  aws.faults.newRolesUnseenFor(2)
  await iam.send(create('new'))
  await iam.send(new GetRoleCommand({ RoleName: 'new' }))
  const principalArn = hub.role('new')?.arn ?? ''
  const trusting = create('trusting', trustRole(principalArn))
  for (const _ of [1, 2]) {
    await assert.rejects(iam.send(trusting), { name: 'MalformedPolicyDocumentException' })
    await assert.rejects(eks.send(new CreateAccessEntryCommand({ clusterName: 'hub', principalArn })), {
      name: 'InvalidParameterException',
    })
  }
  await iam.send(trusting)
  await eks.send(new CreateAccessEntryCommand({ clusterName: 'hub', principalArn }))
})

test('reads do not find what is there for as many looks as asked, and writes do', async (t) => {
  const { aws, clients, createRole } = await awsScene(t)
  const { iam, eks } = clients()
  const entry = { clusterName: 'hub', principalArn: await createRole('r') }
  const [getRole, getEntry] = [new GetRoleCommand({ RoleName: 'r' }), new DescribeAccessEntryCommand(entry)]
  aws.faults.readsLagFor(2)
  await eks.send(new CreateAccessEntryCommand(entry))
  await assert.rejects(iam.send(new GetRoleCommand({ RoleName: 'none' })), { name: 'NoSuchEntityException' })
  for (const _ of [1, 2]) {
    await assert.rejects(iam.send(getRole), { name: 'NoSuchEntityException' })
    await assert.rejects(iam.send(create('r')), { name: 'EntityAlreadyExistsException' })
    await assert.rejects(eks.send(getEntry), { name: 'ResourceNotFoundException' })
    await assert.rejects(eks.send(new CreateAccessEntryCommand(entry)), { name: 'ResourceInUseException' })
  }
  await iam.send(getRole)
  await eks.send(getEntry)
  aws.faults.readsLagFor(2)
  aws.faults.clear()
  await iam.send(getRole)
  await eks.send(getEntry)
})

test('calls say who did what, and clearing heals', async (t) => {
  const { aws, clients, hub } = await awsScene(t)
  aws.faults.add({ times: Infinity, do: 'throttle' })
  aws.faults.clear()
  await clients().iam.send(create('r'))
  await assert.rejects(clients({ ...hub.admin, secretAccessKey: 'x' }).sts.send(new GetCallerIdentityCommand({})))
  assert.deepEqual(
    aws.calls.map(({ service, action, caller, status, code }) => [service, action, caller, status, code]),
    [
      ['iam', 'CreateRole', hub.adminArn, 200, undefined],
      ['sts', 'GetCallerIdentity', undefined, 403, 'SignatureDoesNotMatch'],
    ],
  )
  assert.equal(aws.calls[0]?.input['RoleName'], 'r')
})
