import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../test/support/in-process-cli.ts'
import { awsPrerequisitesCommand } from './aws-prerequisites.ts'

const command = inProcess(awsPrerequisitesCommand)

const hubArn = ['--hub-cluster-arn', 'arn:aws:eks:eu-west-1:123456789012:cluster/hub']
const managedArn = ['--managed-cluster-arn', 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke']
const provider = ['--oidc-provider', 'https://oidc.eks.eu-west-1.amazonaws.com/id/ABCDEF']

test('the role of the hub is printed as JSON unless another format is asked for', async () => {
  const { out, err } = await command.run('hub', ...hubArn, ...provider)
  const { roleName, trustPolicy } = JSON.parse(out)
  assert.equal(roleName, 'hub_managed-cluster-identity-creator')
  assert.match(JSON.stringify(trustPolicy), /:open-cluster-management-hub:registration-controller-sa"/)
  assert.equal(err, '')
  assert.match((await command.run('hub', ...hubArn, ...provider, '-o', 'terraform')).out, /^resource "aws_iam_role" /m)
})

test('the role of a cluster is printed for the Klusterlet and the namespace that are given', async () => {
  const given = ['--klusterlet', 'mine', '--namespace', 'agents', '-o', 'cloudformation']
  const { out } = await command.run('cluster', ...hubArn, ...managedArn, ...provider, ...given)
  const { RoleName, AssumeRolePolicyDocument } = JSON.parse(out).Resources.Role.Properties
  assert.equal(RoleName, 'ocm-managed-cluster-138c525cf3b7f74ba3b945e7847792cc')
  assert.match(JSON.stringify(AssumeRolePolicyDocument), /"system:serviceaccount:agents:mine-registration-sa"/)
})

const refused: [string, string[], RegExp][] = [
  ['no hub', ['hub', ...provider], /^error: --hub-cluster-arn is missing; `aws eks describe-cluster .*` prints it$/],
  ['no cluster', ['cluster', ...hubArn, ...provider], /^error: --managed-cluster-arn is missing; /],
  [
    'no provider',
    ['cluster', ...hubArn, ...managedArn],
    /^error: --oidc-provider is missing; `aws eks describe-cluster --name spoke --region eu-west-1 .*` prints it$/,
  ],
  ['a hub that is no ARN', ['hub', '--hub-cluster-arn', 'hub', ...provider], /^error: --hub-cluster-arn: "hub" is not/],
  ['a provider with a port', ['hub', ...hubArn, '--oidc-provider', 'a.example:1/id'], /^error: --oidc-provider: /],
  ['a wrong namespace', ['hub', ...hubArn, ...provider, '--namespace', 'A'], /^error: --namespace: "A" has to have/],
  [
    'a wrong Klusterlet',
    ['cluster', ...hubArn, ...managedArn, ...provider, '--klusterlet', '*'],
    /^error: --klusterlet: "\*" has to have/,
  ],
  [
    'a hub with a long name',
    ['hub', '--hub-cluster-arn', `${hubArn[1]}${'b'.repeat(40)}`, ...provider],
    /^error: the hub's role would be called .* IAM allows 64 characters/,
  ],
  [
    'two partitions',
    ['cluster', ...hubArn, '--managed-cluster-arn', 'arn:aws-cn:eks:cn-north-1:567890123456:cluster/s', ...provider],
    /^error: the hub is in the AWS partition aws /,
  ],
  ['a format that is none', ['hub', ...hubArn, ...provider, '-o', 'yaml'], /json, terraform, cloudformation/],
]
for (const [what, args, why] of refused)
  test(`${what} is refused, with the flag and what to do, and nothing is printed`, async () => {
    const running = command.start(...args)
    await assert.rejects(running.ended, (error: Error) => why.test(error.message))
  })

test('help shows whole commands to copy', async () => {
  for (const whose of ['hub', 'cluster']) {
    const running = command.start(whose, '--help')
    await assert.rejects(running.ended)
    assert.match(
      running.said(),
      new RegExp(`Examples:\n  lanyard aws prerequisites ${whose} --hub-cluster-arn arn:aws:eks:`),
    )
  }
})
