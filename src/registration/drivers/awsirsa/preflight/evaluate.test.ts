import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hub, managed } from '../testing/samples.ts'
import type { Request, Verdict } from './evaluate.ts'
import { verdictOf } from './evaluate.ts'
import { podRequest } from './needs.ts'

const role = 'arn:aws:iam::123456789012:role/ocm-hub-1'
const request: Request = {
  action: 'iam:GetRole',
  resource: role,
  context: { 'eks:kubernetesGroups': 'open-cluster-management:west' },
}
const document = (...Statement: object[]) => ({ Version: '2012-10-17', Statement })
const allow = (more: object = {}) => ({ Effect: 'Allow', Action: 'iam:GetRole', Resource: role, ...more })
const when = (Condition: object) => allow({ Condition })

const cases: [string, object[], Verdict][] = [
  ['nothing', [], 'refused'],
  ['the very thing', [allow()], 'allowed'],
  ['a single statement and no list', [{ ...document(), Statement: allow() }], 'allowed'],
  ['wildcards', [allow({ Action: ['iam:G*'], Resource: 'arn:aws:iam::*:role/ocm-hub-?' })], 'allowed'],
  ['actions in other letters', [allow({ Action: 'IAM:getrole' })], 'allowed'],
  ['another resource', [allow({ Resource: `${role}0` })], 'refused'],
  ['a dot that is no wildcard', [allow({ Action: 'iam.GetRole' })], 'refused'],
  ['a denial', [allow(), allow({ Effect: 'Deny', Action: '*', Resource: '*' })], 'refused'],
  [
    'a denial that cannot be judged',
    [allow(), { ...when({ Bool: { 'aws:SecureTransport': 'false' } }), Effect: 'Deny' }],
    'unclear',
  ],
  ['everything but', [allow({ Action: undefined, NotAction: 'iam:DeleteRole' })], 'unclear'],
  ['a variable of AWS', [allow({ Resource: `arn:aws:iam::123456789012:role/\${aws:username}` })], 'unclear'],
  [
    'a condition that holds',
    [when({ 'ForAllValues:StringLike': { 'EKS:kubernetesGroups': 'open-cluster-management:*' } })],
    'allowed',
  ],
  ['one that does not', [when({ StringEquals: { 'eks:kubernetesGroups': ['system:masters'] } })], 'refused'],
  ['one about something unknown', [when({ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } })], 'unclear'],
  ['one by an operator that is not known', [when({ StringNotEquals: { 'eks:kubernetesGroups': 'a' } })], 'unclear'],
]
for (const [what, statements, verdict] of cases)
  test(`${what}: ${verdict}`, () => {
    const documents = statements.map((one) => ('Statement' in one ? one : document(one)))
    assert.equal(verdictOf(documents, request), verdict)
  })

test('what is no document says nothing', () => {
  for (const odd of [undefined, null, 'text', [], { Statement: 'x' }])
    assert.equal(verdictOf([odd], request), 'refused')
})

test('a trust policy is asked for the provider, the account and the audience', () => {
  const pod = podRequest(managed, 'oidc.example/id/A', 'system:serviceaccount:a:b')
  const trust = (sub: string, provider = 'oidc.example/id/A') =>
    document({
      Effect: 'Allow',
      Action: 'sts:AssumeRoleWithWebIdentity',
      Principal: { Federated: `arn:aws:iam::${managed.account}:oidc-provider/${provider}` },
      Condition: { StringLike: { [`${provider}:sub`]: sub } },
    })
  assert.equal(verdictOf([trust('system:serviceaccount:a:*')], pod), 'allowed')
  assert.equal(verdictOf([trust('system:serviceaccount:other:b')], pod), 'refused')
  assert.equal(verdictOf([trust('*', 'oidc.example/id/B')], pod), 'refused')
  assert.equal(verdictOf([trust('*')], { ...pod, federated: `arn:aws:iam::${hub.account}:oidc-provider/x` }), 'refused')
})
