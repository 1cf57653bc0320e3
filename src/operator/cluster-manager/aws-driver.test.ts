import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterManagerSpec } from '../../apis/operator/cluster-manager.ts'
import { hubArguments } from '../../registration/manifests/hub.ts'
import { hubParts } from './manifests.ts'
import { planClusterManager } from './plan.ts'

type Driver = NonNullable<NonNullable<ClusterManagerSpec['registrationConfiguration']>['registrationDrivers']>[number]
type Aws = NonNullable<Driver['awsirsa']>

const hubClusterArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
const settings = {
  image: 'lanyard:1',
  hubNamespace: 'hub',
  gates: { agent: {}, hub: { ManagedClusterAutoApproval: { byDefault: false } } },
}
const on = [{ feature: 'ManagedClusterAutoApproval', mode: 'Enable' as const }]

const plan = (registrationDrivers: Driver[], more: object = { featureGates: on }) =>
  planClusterManager({ spec: { registrationConfiguration: { registrationDrivers, ...more } } }, settings)
function installed(...given: Parameters<typeof plan>) {
  const made = plan(...given)
  if (made.step === 'refuse') throw new Error(made.why)
  return made
}
const byAws = (awsirsa: Aws): Driver => ({ authType: 'awsirsa', awsirsa })
const partsOf = (...given: Parameters<typeof plan>) => hubParts(installed(...given).installation, '')

test('what is said of awsirsa becomes flags, beside those of csr', () => {
  const { installation, ignored } = installed([
    { authType: 'csr', csr: { autoApprovedIdentities: ['jane'] } },
    byAws({ hubClusterArn, autoApprovedIdentities: ['arn:aws:eks:.*', 'b'], tags: ['team=fleet', 'cost=1'] }),
  ])
  assert.deepEqual(hubArguments(installation).slice(2).sort(), [
    '--auto-approved-arn-patterns=arn:aws:eks:.*',
    '--auto-approved-arn-patterns=b',
    '--auto-approved-csr-users=jane',
    '--aws-resource-tags=team=fleet,cost=1',
    '--enabled-registration-drivers=csr,awsirsa',
    '--feature-gates=ManagedClusterAutoApproval=true',
    `--hub-cluster-arn=${hubClusterArn}`,
  ])
  assert.deepEqual(ignored, [])
})

test('the account of the hub gets the creator role of the partition, and the right to aws-auth is bound, not given', () => {
  const arn = 'arn:aws-cn:eks:cn-north-1:123456789012:cluster/hub_1'
  const { rights } = partsOf([byAws({ hubClusterArn: arn })])
  const account = rights.find(({ object }) => object.metadata.name === 'registration-controller-sa')
  assert.equal(
    account?.object.metadata.annotations?.['eks.amazonaws.com/role-arn'],
    'arn:aws-cn:iam::123456789012:role/hub_1_managed-cluster-identity-creator',
  )
  const inKubeSystem = rights.filter(({ object }) => object.metadata.namespace === 'kube-system')
  assert.deepEqual(
    inKubeSystem.map(({ object }) => object.kind),
    ['RoleBinding'],
  )
  const without = partsOf([{ authType: 'csr' }]).rights
  assert.ok(!without.some(({ object }) => object.metadata.namespace === 'kube-system' || object.metadata.annotations))
})

test('an EKS cluster whose name leaves no room for the creator role gives the account none, and that is said', () => {
  const { installation, ignored } = installed([byAws({ hubClusterArn: `${hubClusterArn}${'x'.repeat(60)}` })])
  assert.equal(installation.aws?.creatorRoleArn, undefined)
  assert.match(ignored.join(), /the role that .*hubClusterArn would give.*lanyard accept/)
})

test('what has no effect is named', () => {
  const { installation, ignored } = installed([byAws({ hubClusterArn, autoApprovedIdentities: ['.*'] })], {})
  assert.equal(installation.aws?.autoApprovedArnPatterns, undefined)
  assert.match(ignored.join(), /registrationDrivers\[0\]\.awsirsa\.autoApprovedIdentities \(the gate .* is off\)/)
  const stray = installed([{ authType: 'csr', awsirsa: { hubClusterArn } }])
  assert.equal(stray.installation.aws, undefined)
  assert.match(stray.ignored.join(), /registrationDrivers\[0\]\.awsirsa \(its authType is csr\)/)
  const users = installed([byAws({ hubClusterArn })], { featureGates: on, autoApproveUsers: ['jane'] })
  assert.equal(users.installation.autoApprovedUsers, undefined)
  assert.match(users.ignored.join(), /users that are approved of .*\(csr is not among the drivers\)/)
})

const refusals: [what: string, awsirsa: Aws | undefined, why: RegExp][] = [
  ['no block', undefined, /registrationDrivers\[0\]\.awsirsa\.hubClusterArn is missing/],
  ['no ARN', {}, /registrationDrivers\[0\]\.awsirsa\.hubClusterArn is missing/],
  ['another ARN', { hubClusterArn: 'arn:aws:iam::1:role/x' }, /awsirsa\.hubClusterArn: "arn:aws:iam.* is not the ARN/],
  ['a pattern', { hubClusterArn, autoApprovedIdentities: ['('] }, /awsirsa\.autoApprovedIdentities: the ARN pattern/],
  ['a tag', { hubClusterArn, tags: ['team'] }, /awsirsa\.tags: the tag "team" does not have exactly one =/],
]
for (const [what, awsirsa, why] of refusals)
  test(`refused, with the field: ${what}`, () => {
    const made = plan([{ authType: 'awsirsa', ...(awsirsa && { awsirsa }) }])
    assert.match(made.step === 'refuse' ? made.why : 'installed', why)
  })
