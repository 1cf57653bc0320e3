import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import { inProcess } from '../../test/support/in-process-cli.ts'
import { suiteScope } from '../../test/support/suite-scope.ts'
import { teardown } from '../../test/support/test-scope.ts'
import { startAws } from '../demo/aws/index.ts'
import { awsCheckCommand } from './aws-check.ts'

const command = inProcess(awsCheckCommand)
const hub = ['--hub-cluster-arn', 'arn:aws:eks:eu-west-1:123456789012:cluster/hub']
const cluster = [...hub, '--managed-cluster-arn', 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke']
const file = suiteScope()

/** As a person whose environment has credentials of the cluster's account. */
before(async () => {
  const aws = await startAws()
  teardown(file, () => aws.close())
  aws.cluster({ account: '567890123456', name: 'spoke', region: 'eu-west-1' })
  const { accessKeyId, secretAccessKey } = aws.account('567890123456').admin
  const env = { AWS_ENDPOINT_URL: aws.url, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
  for (const [name, value] of Object.entries(env)) {
    const saved = process.env[name]
    process.env[name] = value
    teardown(file, () => {
      if (saved === undefined) delete process.env[name]
      else process.env[name] = saved
    })
  }
})

test('what is missing is printed, and once it is applied nothing is', async () => {
  const missing = command.start('cluster', ...cluster)
  await assert.rejects(missing.ended, { code: 'AWS_NOT_PREPARED', message: /ocm-managed-cluster-\w+ does not exist/ })
  const { roleName: RoleName, trustPolicy, tags, policies } = JSON.parse(missing.said())
  const iam = new IAMClient({ region: 'eu-west-1' })
  const Tags = Object.entries<string>(tags).map(([Key, Value]) => ({ Key, Value }))
  await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trustPolicy), Tags }))
  for (const { policyName: PolicyName, policyDocument } of policies)
    await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument: JSON.stringify(policyDocument) }))
  iam.destroy()
  const { out, err } = await command.run('cluster', ...cluster)
  assert.match(out, /^The role \S+ is as it has to be\.$/m)
  assert.equal(err, '')
})

test('a role that could not be looked at is none that is as it has to be', async () => {
  const running = command.start('hub', ...hub)
  await assert.rejects(running.ended, {
    code: 'AWS_NOT_SEEN',
    message: /with AWS credentials of account 123456789012 that may read/,
  })
  assert.match(
    running.said(),
    /^lanyard: warning: the role \S+ was not looked at: your AWS credentials are of account 567890123456/m,
  )
})

test('what is wrong with the command is told with the flag', async () => {
  await assert.rejects(command.run('hub'), /--hub-cluster-arn: "" is not the ARN of an EKS cluster/)
  await assert.rejects(command.run('cluster', ...hub), /--managed-cluster-arn: "" is not/)
  await assert.rejects(command.run('hub', ...hub, '--oidc-provider', 'a:1'), /--oidc-provider: "a:1" is not/)
})

test('help shows whole commands to copy', async () => {
  for (const whose of ['hub', 'cluster']) {
    const running = command.start(whose, '--help')
    await assert.rejects(running.ended)
    assert.match(running.said(), new RegExp(`Examples:\n  lanyard aws check ${whose} --hub-cluster-arn arn:aws:eks:`))
  }
})
