import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentArguments } from '../registration/manifests/agent.ts'
import { agentAwsOf, hubAwsOf, namesDiffer } from './aws-install.ts'
import type { AgentAwsOptions, HubAwsOptions } from './aws-install-flags.ts'
import { refuseAwsFlags } from './aws-install-flags.ts'

const hubArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
const managedArn = 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke'
const approval = { ManagedClusterAutoApproval: true }
type HubFlags = HubAwsOptions & { featureGates?: Record<string, boolean> }

test('a hub is the one of the flag, else the one that the kubeconfig calls by its ARN', () => {
  assert.equal(hubAwsOf({ hubClusterArn: hubArn }, managedArn).hubClusterArn, hubArn)
  assert.equal(hubAwsOf({}, hubArn).hub.name, 'hub')
})

test('the hub gets its role where it lets clusters in by itself, or where somebody asks for it', () => {
  const role = 'arn:aws:iam::123456789012:role/hub_managed-cluster-identity-creator'
  assert.equal(hubAwsOf({}, hubArn).creatorRoleArn, undefined)
  assert.equal(hubAwsOf({ awsCreatorRole: true }, hubArn).creatorRoleArn, role)
  const patterns = { autoApprovedArnPatterns: ['arn:.*'], featureGates: approval }
  assert.equal(hubAwsOf(patterns, hubArn).creatorRoleArn, role)
})

test('tags are taken apart', () => {
  assert.deepEqual(hubAwsOf({ awsResourceTags: ['a=1', 'b='] }, hubArn).resourceTags, { a: '1', b: '' })
})

const wrongHubs: [string, HubFlags, string | undefined, RegExp][] = [
  ['nobody says which cluster', {}, 'kind-hub', /must be named; add --hub-cluster-arn ARN/],
  ['nobody says anything', {}, undefined, /add --hub-cluster-arn ARN/],
  ['an ARN that is none', { hubClusterArn: 'hub' }, hubArn, /^--hub-cluster-arn: "hub" is not the ARN/],
  ['patterns without the gate', { autoApprovedArnPatterns: ['a'] }, hubArn, /ManagedClusterAutoApproval=true/],
  [
    'a pattern that is none',
    { autoApprovedArnPatterns: ['('], featureGates: approval },
    hubArn,
    /^--auto-approved-arn-patterns: the ARN pattern "\(" is no regular expression/,
  ],
  [
    'a tag without =',
    { awsResourceTags: ['team'] },
    hubArn,
    /^--aws-resource-tags: the tag "team" does not have exact/,
  ],
  [
    'a role with too long a name',
    { awsCreatorRole: true },
    `${hubArn}${'b'.repeat(40)}`,
    /^--aws-creator-role: the hub's role would be called .* IAM allows 64/,
  ],
]
for (const [what, flags, context, why] of wrongHubs)
  test(`refused with the flag: ${what}`, () => {
    assert.throws(() => hubAwsOf(flags, context), { message: why })
  })

const agent = (more: Partial<AgentAwsOptions> = {}): AgentAwsOptions => ({ registrationAuth: 'aws-irsa', ...more })

test('an agent gets the role that both clusters give its name', () => {
  const { roleArn, managedClusterArn } = agentAwsOf(agent({ eksHubClusterArn: hubArn }), managedArn)
  assert.equal(roleArn, 'arn:aws:iam::567890123456:role/ocm-managed-cluster-138c525cf3b7f74ba3b945e7847792cc')
  assert.equal(managedClusterArn, managedArn)
  const named = agentAwsOf(agent({ hubClusterArn: hubArn, managedClusterArn: managedArn, awsExec: 'aws' }))
  assert.deepEqual([named.roleArn, named.exec], [roleArn, 'aws'])
})

test('where others find the program is told to the agent', () => {
  const {
    hub: _,
    managed: __,
    ...aws
  } = agentAwsOf(agent({ eksHubClusterArn: hubArn, awsExecCommand: '/plugins/lanyard' }), managedArn)
  const args = agentArguments({ namespace: 'agents', image: 'i', aws })
  assert.ok(args.includes('--aws-exec-command=/plugins/lanyard'), args.join(' '))
})

const wrongAgents: [string, Partial<AgentAwsOptions>, RegExp][] = [
  ['no hub', { managedClusterArn: managedArn }, /add --eks-hub-cluster-arn ARN/],
  [
    'two hubs',
    { eksHubClusterArn: hubArn, hubClusterArn: managedArn, managedClusterArn: managedArn },
    /^--eks-hub-cluster-arn: is the same as --hub-cluster-arn, and the two differ/,
  ],
  ['no cluster', { eksHubClusterArn: hubArn }, /add --managed-cluster-arn ARN/],
  ['a hub that is no ARN', { hubClusterArn: 'x', managedClusterArn: managedArn }, /^--hub-cluster-arn: "x" is not/],
  ['a cluster that is no ARN', { eksHubClusterArn: hubArn, managedClusterArn: 'x' }, /^--managed-cluster-arn: "x" is/],
  [
    'two partitions',
    { eksHubClusterArn: 'arn:aws-cn:eks:cn-north-1:123456789012:cluster/hub', managedClusterArn: managedArn },
    /the hub is in the AWS partition aws-cn/,
  ],
]
for (const [what, flags, why] of wrongAgents)
  test(`refused with the flag: ${what}`, () => {
    assert.throws(() => agentAwsOf(agent(flags)), { message: why })
  })

test('two names for one cluster are told of', () => {
  const { managed } = agentAwsOf(agent({ eksHubClusterArn: hubArn }), managedArn)
  assert.equal(namesDiffer('spoke', managed), undefined)
  assert.match(namesDiffer('west', managed) ?? '', /know this cluster as west, and EKS knows it as spoke/)
})

test('who joins by csr and gives a flag of the other way hears so', () => {
  refuseAwsFlags({ registrationAuth: 'csr' })
  assert.throws(() => refuseAwsFlags({ registrationAuth: 'csr', managedClusterArn: managedArn }), {
    message:
      /--managed-cluster-arn has no effect without the registration driver awsirsa; add it to --registration-auth/,
  })
})
