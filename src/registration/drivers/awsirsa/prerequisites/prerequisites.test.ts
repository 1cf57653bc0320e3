import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EksCluster, Wrong } from '../names.ts'
import { parseEksArn } from '../names.ts'
import type { NeededRole } from './index.ts'
import { clusterPrerequisites, hubPrerequisites, parseOidcProvider, prerequisiteFormats } from './index.ts'
import { stringOf } from './terraform.ts'
import { readHcl } from './testing/read-hcl.ts'

function right<T extends object>(found: T | Wrong): T {
  assert.ok(!('wrong' in found), 'wrong' in found ? found.wrong : '')
  return found
}
const cluster = (arn: string): EksCluster => right(parseEksArn(arn))

const hub = cluster('arn:aws:eks:us-west-2:123456789012:cluster/1-hub')
const spoke = cluster('arn:aws:eks:eu-west-1:567890123456:cluster/spoke')
const identity = { oidcProvider: 'oidc.eks.us-west-2.amazonaws.com/id/ABCDEF' }

const roles: Record<string, NeededRole> = {
  'of the hub': right(hubPrerequisites(hub, identity)),
  'of the cluster': right(clusterPrerequisites(hub, spoke, identity)),
  'of a cluster with strange names': {
    ...right(clusterPrerequisites(hub, spoke, identity)),
    description: `a "quoted" \${name} %{ if } \\ and\na line`,
    tags: { 'a "key"': `\${x}`, 'b\\': '%{y}' },
  },
}

/** What each format says, read back. */
const said: { [format in keyof typeof prerequisiteFormats]: (text: string) => unknown } = {
  json: (text) => {
    const { roleName: name, description, tags, trustPolicy: trust, policies } = JSON.parse(text)
    assert.equal(policies.length, 1)
    return { name, description, tags, trust, policy: policies[0].policyName, document: policies[0].policyDocument }
  },
  cloudformation: (text) => {
    const { Type, Properties } = JSON.parse(text).Resources.Role
    const {
      RoleName: name,
      Description: description,
      AssumeRolePolicyDocument: trust,
      Policies,
      Tags,
      ...rest
    } = Properties
    assert.deepEqual([Type, rest, Policies.length], ['AWS::IAM::Role', {}, 1])
    const tags = Object.fromEntries(Tags.map(({ Key, Value }: Record<string, string>) => [Key, Value]))
    return { name, description, tags, trust, policy: Policies[0].PolicyName, document: Policies[0].PolicyDocument }
  },
  terraform: (text) => {
    const [role, policy, ...more] = readHcl(text)
    assert.ok(role && policy && more.length === 0)
    const [, , label = ''] = role.labels
    assert.deepEqual(role.labels, ['resource', 'aws_iam_role', label])
    assert.deepEqual(policy.labels, ['resource', 'aws_iam_role_policy', label])
    assert.match(label, /^[A-Za-z_]\w*$/)
    assert.deepEqual(policy.attributes.role, { reference: `aws_iam_role.${label}.id` })
    const { name, description, tags, assume_role_policy: trust } = role.attributes
    return { name, description, tags, trust, policy: policy.attributes.name, document: policy.attributes.policy }
  },
}

for (const [which, role] of Object.entries(roles))
  test(`JSON, Terraform and CloudFormation say the same of the role ${which}`, () => {
    const { name, description, tags, trust, policy } = role
    const expected = { name, description, tags, trust, policy: policy.name, document: policy.document }
    for (const [format, print] of Object.entries(prerequisiteFormats))
      assert.deepEqual(said[format as keyof typeof said](print(role)), expected, format)
  })

for (const [which, role] of Object.entries(roles))
  test(`each addition to the role ${which} is printed with its reason, whatever the format`, () => {
    assert.ok(role.additions.length > 0)
    const { json, terraform, cloudformation } = prerequisiteFormats
    assert.deepEqual(JSON.parse(json(role)).addedByLanyard, role.additions)
    assert.deepEqual(
      JSON.parse(cloudformation(role)).Resources.Role.Metadata.AddedByLanyard,
      role.additions.map(({ what, reason }) => ({ What: what, Reason: reason })),
    )
    const lines = terraform(role).split('\n')
    for (const { what, reason } of role.additions) {
      const told = lines.filter((line) => line.includes(`"${what}"`))
      assert.ok(told.length > 0 && told.every((line) => line.endsWith(` # ${reason}`)), what)
    }
  })

test('the creator role is the one that hubs of the field look for, and has no tags', () => {
  const { name, arn, tags } = right(hubPrerequisites(hub, identity))
  assert.equal(name, '1-hub_managed-cluster-identity-creator')
  assert.equal(arn, `arn:aws:iam::123456789012:role/${name}`)
  assert.deepEqual(tags, {})
})

test('the role of a cluster has the four tags that the hub asks for', () => {
  const { arn, tags } = right(clusterPrerequisites(hub, spoke, identity))
  assert.match(arn, /^arn:aws:iam::567890123456:role\/ocm-managed-cluster-[0-9a-f]{32}$/)
  assert.deepEqual(Object.keys(tags), [
    'hub_cluster_account_id',
    'hub_cluster_name',
    'managed_cluster_account_id',
    'managed_cluster_name',
  ])
})

test('what cannot work is not printed', () => {
  const long = hubPrerequisites({ ...hub, name: 'h'.repeat(32) }, identity)
  assert.match('wrong' in long ? long.wrong : '', /64 characters/)
  const apart = clusterPrerequisites(hub, { ...spoke, partition: 'aws-cn' }, identity)
  assert.match('wrong' in apart ? apart.wrong : '', /across partitions/)
})

test('any text is one string of HCL, and none of it an expression', () => {
  const unit = fc.oneof(fc.constantFrom('$', '%', '{', '"', '\\', '\n', '\u2028', '\0', '}', '#'), fc.string())
  fc.assert(
    fc.property(fc.array(unit), (parts) => {
      const text = parts.join('')
      const [block] = readHcl(`a {\n  b = ${stringOf(text)}\n}\n`)
      assert.equal(block?.attributes.b, text)
    }),
  )
})

test('the OpenID provider is given as IAM names it or as EKS prints it', () => {
  const { oidcProvider } = identity
  assert.deepEqual(parseOidcProvider(oidcProvider), { oidcProvider })
  assert.deepEqual(parseOidcProvider(`https://${oidcProvider}`), { oidcProvider })
  for (const wrong of [
    '',
    'hub',
    'http://a.example/id',
    'a.example:443/id',
    'a.example/',
    'a.example/id?x',
    'a.example/$',
    '*',
  ])
    assert.match(JSON.stringify(parseOidcProvider(wrong)), /is not the OpenID provider.*id\/ABCDEF/, wrong)
})
