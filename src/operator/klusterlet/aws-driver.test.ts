import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KlusterletSpec } from '../../apis/operator/klusterlet.ts'
import { agentArguments, agentRbacManifests } from '../../registration/manifests/agent.ts'
import { planKlusterlet } from './plan.ts'

type Registration = NonNullable<KlusterletSpec['registrationConfiguration']>
type AwsIrsa = NonNullable<NonNullable<Registration['registrationDriver']>['awsIrsa']>

const arns = {
  hubClusterArn: 'arn:aws-us-gov:eks:us-gov-west-1:123456789012:cluster/hub',
  managedClusterArn: 'arn:aws-us-gov:eks:us-gov-west-1:567890123456:cluster/spoke',
}
const settings = {
  image: 'lanyard:1',
  agentNamespaces: ['open-cluster-management-agent'],
  gates: { agent: { MultipleHubs: { byDefault: false } }, hub: {} },
}
const plan = (awsIrsa: AwsIrsa | undefined, more: Registration = {}) =>
  planKlusterlet(
    {
      metadata: { name: 'klusterlet', uid: 'u' },
      spec: {
        registrationConfiguration: {
          registrationDriver: { authType: 'awsirsa', ...(awsIrsa && { awsIrsa }) },
          ...more,
        },
      },
    },
    settings,
  )
function installed(...given: Parameters<typeof plan>) {
  const made = plan(...given)
  if (made.step === 'refuse') throw new Error(made.why)
  return made
}

test('the two ARNs become flags, and the account of the agent gets the role of both', () => {
  const { installation, ignored } = installed(arns)
  assert.deepEqual(
    agentArguments(installation).filter((arg) => /^--(registration-auth|.*-arn)=/.test(arg)),
    [
      '--registration-auth=awsirsa',
      `--hub-cluster-arn=${arns.hubClusterArn}`,
      `--managed-cluster-arn=${arns.managedClusterArn}`,
    ],
  )
  const account = agentRbacManifests(installation).find(({ object }) => object.kind === 'ServiceAccount')
  // The contract's vector of these four values.
  assert.deepEqual(account?.object.metadata.annotations, {
    'eks.amazonaws.com/role-arn':
      'arn:aws-us-gov:iam::567890123456:role/ocm-managed-cluster-138c525cf3b7f74ba3b945e7847792cc',
  })
  assert.deepEqual(ignored, [])
})

test('what only certificates need has no effect, and that is said; so has awsIrsa with another driver', () => {
  const { installation, ignored } = installed(arns, { clientCertExpirationSeconds: 3_600 })
  assert.equal(installation.clientCertExpirationSeconds, undefined)
  assert.match(ignored.join(), /clientCertExpirationSeconds \(with awsirsa/)
  const csr = installed(undefined, { registrationDriver: { authType: 'csr', awsIrsa: arns } })
  assert.equal(csr.installation.aws, undefined)
  assert.match(csr.ignored.join(), /registrationDriver\.awsIrsa \(the driver is not awsirsa\)/)
})

const field = 'registrationDriver\\.awsIrsa'
const refusals: [what: string, awsIrsa: Partial<AwsIrsa> | undefined, why: RegExp][] = [
  ['nothing', undefined, new RegExp(`awsirsa needs .*${field}\\.hubClusterArn and .*${field}\\.managedClusterArn`)],
  ['one of them', { hubClusterArn: arns.hubClusterArn }, new RegExp(`needs [^ ]*${field}\\.managedClusterArn$`)],
  ['a wrong hub', { ...arns, hubClusterArn: 'hub' }, new RegExp(`${field}\\.hubClusterArn: "hub" is not the ARN`)],
  ['a wrong cluster', { ...arns, managedClusterArn: 'x' }, new RegExp(`${field}\\.managedClusterArn: "x" is not`)],
  [
    'two partitions',
    { ...arns, managedClusterArn: 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke' },
    new RegExp(`${field}: the hub is in the AWS partition aws-us-gov`),
  ],
]
for (const [what, awsIrsa, why] of refusals)
  test(`refused, with the field: ${what}`, () => {
    const made = plan(awsIrsa as AwsIrsa)
    assert.match(made.step === 'refuse' ? made.why : 'installed', why)
  })

test('refused: several hubs, for the ARNs name one', () => {
  const made = plan(arns, {
    featureGates: [{ feature: 'MultipleHubs', mode: 'Enable' }],
    bootstrapKubeConfigs: {
      type: 'LocalSecrets',
      localSecretsConfig: { kubeConfigSecrets: [{ name: 'a' }, { name: 'b' }] },
    },
  })
  assert.match(made.step === 'refuse' ? made.why : 'installed', /MultipleHubs is on.*awsirsa, which names one hub/)
})
