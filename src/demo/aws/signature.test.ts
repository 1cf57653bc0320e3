import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DescribeAccessEntryCommand, DescribeClusterCommand } from '@aws-sdk/client-eks'
import { GetRoleCommand } from '@aws-sdk/client-iam'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import type { Scene } from './testing/scene.ts'
import { awsScene } from './testing/scene.ts'

type Options = NonNullable<Parameters<Scene['clients']>[1]>

const rewritten = (from: RegExp, to: string): Options => ({
  change({ headers }) {
    headers['authorization'] = (headers['authorization'] ?? '').replace(from, to)
  },
})

const describe = (scene: Scene, options: Options) =>
  scene.clients(undefined, options).eks.send(new DescribeClusterCommand({ name: 'hub' }))

for (const [what, options, code, message] of [
  [
    'a path that was changed',
    { change: (call) => void Object.assign(call, { path: '/clusters/other' }) },
    'InvalidSignatureException',
    /does not match/,
  ],
  [
    'a query that was changed',
    { change: (call) => void Object.assign(call.query, { more: '1' }) },
    'InvalidSignatureException',
    /does not match/,
  ],
  [
    'a header that was changed',
    { change: ({ headers }) => void Object.assign(headers, { host: 'eks.example.com' }) },
    'InvalidSignatureException',
    /does not match/,
  ],
  ['a scope of another service', rewritten(/\/eks\//, '/iam/'), 'InvalidSignatureException', /correct service: 'eks'/],
  ['a scope without a region', rewritten(/\/eu-west-1\//, '/nowhere/'), 'InvalidSignatureException', /valid region/],
  [
    'a scope of another region',
    rewritten(/\/eu-west-1\//, '/eu-west-2/'),
    'InvalidSignatureException',
    /does not match/,
  ],
  [
    'a scope that does not end as it should',
    rewritten(/aws4_request/, 'aws5_request'),
    'IncompleteSignatureException',
    /valid 'Credential'/,
  ],
  ['another algorithm', rewritten(/^AWS4-HMAC-SHA256/, 'AWS4-HMAC-MD5'), 'IncompleteSignatureException', /algorithm/],
  [
    'host left out of the signed headers',
    rewritten(/host;/, ''),
    'InvalidSignatureException',
    /'host' must be a signed header/,
  ],
  [
    'no date',
    { change: ({ headers }) => void delete headers['x-amz-date'] },
    'IncompleteSignatureException',
    /valid 'X-Amz-Date'/,
  ],
  ['a signature of 16 minutes ago', { clockOffsetMs: -16 * 60_000 }, 'InvalidSignatureException', /Signature expired/],
  ['a signature 16 minutes ahead', { clockOffsetMs: 16 * 60_000 }, 'InvalidSignatureException', /not yet current/],
] as [string, Options, string, RegExp][])
  test(`EKS refuses ${what}`, async (t) => {
    await assert.rejects(describe(await awsScene(t), options), { name: code, message })
  })

test('a body that was changed is refused', async (t) => {
  const { clients, createRole } = await awsScene(t)
  await createRole('mine')
  await createRole('else')
  const change: Options['change'] = (call) => {
    call.body = String(call.body).replace('mine', 'else')
  }
  const { iam } = clients(undefined, { change })
  await assert.rejects(iam.send(new GetRoleCommand({ RoleName: 'mine' })), { name: 'SignatureDoesNotMatch' })
})

test('a clock that is 14 minutes wrong is let through', async (t) => {
  const scene = await awsScene(t)
  for (const minutes of [-14, 14]) await describe(scene, { clockOffsetMs: minutes * 60_000 })
})

test('names with characters that paths encode are verified as the SDK signs them', async (t) => {
  const { clients, cluster } = await awsScene(t)
  const { eks } = clients()
  for (const principalArn of [
    "arn:aws:iam::111122223333:role/a b+c,d@e=f'(g)*",
    'arn:aws:iam::111122223333:role/ü%2F',
  ]) {
    const asked = eks.send(new DescribeAccessEntryCommand({ clusterName: cluster.name, principalArn }))
    await assert.rejects(asked, { name: 'ResourceNotFoundException' })
  }
})

test('a session needs its own token, and a user none', async (t) => {
  const { clients, createRole, hub } = await awsScene(t)
  await createRole('r')
  const { sessionToken: _, ...withoutToken } = hub.session('r')
  const wrong = [
    withoutToken,
    { ...hub.session('r'), sessionToken: hub.session('r').sessionToken ?? '' },
    { ...hub.admin, sessionToken: 'invented' },
  ]
  for (const credentials of wrong)
    await assert.rejects(clients(credentials).sts.send(new GetCallerIdentityCommand({})), {
      name: 'InvalidClientTokenId',
    })
})
