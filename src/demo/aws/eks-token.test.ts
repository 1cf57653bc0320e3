import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateAccessEntryCommand } from '@aws-sdk/client-eks'
import { DeleteRoleCommand } from '@aws-sdk/client-iam'
import { awsScene, eksToken, hubAccount, tokenOf } from './testing/scene.ts'

async function tokenScene(t: Parameters<typeof awsScene>[0]) {
  const scene = await awsScene(t)
  const roleArn = await scene.createRole('ocm-hub')
  const session = scene.hub.session('ocm-hub', { name: 'agent' })
  const usual = { url: scene.aws.url, at: scene.clock.now(), cluster: 'hub' }
  const token = (more: Partial<Parameters<typeof eksToken>[1]> = {}, by = session) =>
    eksToken(by, { ...usual, ...more })
  const why = (text: string) => {
    const verdict = scene.aws.identityOf(text, 'hub')
    return 'refused' in verdict ? verdict.refused : 'let in'
  }
  return { ...scene, roleArn, session, token, why }
}

const urlIn = (token: string) => Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString()

test('the caller of a token is told, for the stand-in and for the hosts of STS', async (t) => {
  const { aws, token, roleArn, hub } = await tokenScene(t)
  const caller = {
    arn: `arn:aws:sts::${hubAccount}:assumed-role/ocm-hub/agent`,
    principalArn: roleArn,
    account: hubAccount,
    userId: `${hub.role('ocm-hub')?.id}:agent`,
  }
  assert.deepEqual(aws.identityOf(await token(), 'hub'), caller)
  for (const [url, region] of [
    ['https://sts.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['https://sts.amazonaws.com', 'us-east-1'],
    ['https://sts.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['https://sts.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['https://sts.eusc-de-east-1.amazonaws.eu', 'eusc-de-east-1'],
    ['https://sts.us-iso-east-1.c2s.ic.gov', 'us-iso-east-1'],
    ['https://sts.us-isob-east-1.sc2s.sgov.gov', 'us-isob-east-1'],
    ['https://sts.us-isof-south-1.csp.hci.ic.gov', 'us-isof-south-1'],
    ['https://sts.eu-isoe-west-1.cloud.adc-e.uk', 'eu-isoe-west-1'],
  ] as const) {
    assert.deepEqual(aws.identityOf(await token({ url, region }), 'hub'), caller)
    assert.deepEqual(aws.identityOf(await token({ url, region: 'eu-north-1' }), 'hub'), {
      refused: 'it is signed for another region',
    })
  }
})

test('the presigned URL of a token is answered over HTTP, with the header it was signed with', async (t) => {
  const { token } = await tokenScene(t)
  const url = urlIn(await token())
  const answer = await fetch(url, { headers: { 'x-k8s-aws-id': 'hub' } })
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /<Arn>arn:aws:sts::111122223333:assumed-role\/ocm-hub\/agent<\/Arn>/)
  for (const headers of [{ 'x-k8s-aws-id': 'other' }, {}] as Record<string, string>[]) {
    const refused = await fetch(url, { headers })
    assert.equal(refused.status, 403)
    assert.match(await refused.text(), /<Code>SignatureDoesNotMatch<\/Code>/)
  }
})

test('a token counts for fifteen minutes, whatever X-Amz-Expires says', async (t) => {
  const { token, why, clock } = await tokenScene(t)
  const signed = await token({ expiresIn: 60 })
  await clock.advance('15m')
  assert.equal(why(signed), 'let in')
  await clock.advance('1s')
  assert.match(why(signed), /signed more than 15 minutes ago/)
})

test('a token is refused once its session is over, or its role gone', async (t) => {
  const { token, why, clock, hub, clients } = await tokenScene(t)
  const brief = hub.session('ocm-hub', { seconds: 900 })
  await clock.advance('10m')
  const signed = await token({ at: clock.now() }, brief)
  assert.equal(why(signed), 'let in')
  await clock.advance('5m')
  assert.match(why(signed), /security token included in the request is expired/)
  const other = await token({ at: clock.now() })
  assert.equal(why(other), 'let in')
  await clients().iam.send(new DeleteRoleCommand({ RoleName: 'ocm-hub' }))
  assert.match(why(other), /security token included in the request is invalid/)
})

const changed = (from: RegExp | string, to: string) => (url: string) => tokenOf(url.replace(from, to))

for (const [what, change, reason] of [
  ['of another form', () => 'k8s-aws-v2.abc', /does not begin with k8s-aws-v1\./],
  ['with padding', (url: string) => `${tokenOf(url)}==`, /not base64url/],
  ['that holds no URL', () => tokenOf('hello'), /holds no URL/],
  ['that is too long', (url: string) => tokenOf(url.padEnd(4000, 'x')), /longer than 4096/],
  ['for a host that is not of STS', changed(/\/\/[^/]+/, '//sts.evil.example.com'), /not one of STS/],
  [
    'for STS in a VPC',
    changed(/^http:\/\/[^/]+/, 'https://vpce-1.sts.eu-west-1.vpce.amazonaws.com'),
    /vpce\.amazonaws\.com is not one of STS/,
  ],
  ['for STS over plain http', changed(/\/\/[^/]+/, '//sts.amazonaws.com'), /not https/],
  ['with another path', changed('/?', '/other?'), /path is not \//],
  ['for another action', changed('GetCallerIdentity', 'GetSessionToken'), /action is not/],
  ['of another version', changed('2011-06-15', '2010-01-01'), /version is not/],
  ['with a parameter more', changed(/$/, '&Extra=1'), /parameter Extra/],
  ['with a parameter twice', changed(/$/, '&Action=GetCallerIdentity'), /parameter Action/],
  ['that asks for more than 15 minutes', changed('Expires=60', 'Expires=901'), /between 1 and 900/],
  ['without its signature', changed(/X-Amz-Signature=\w+&?/, ''), /requires 'Signature'/],
  ['with another signature', changed(/X-Amz-Signature=\w+/, 'X-Amz-Signature=00'), /does not match/],
  ['of another key', changed(/ASIA\w+/, 'ASIAOTHER'), /token included in the request is invalid/],
  ['without its session token', changed(/X-Amz-Security-Token=[^&]+&?/, ''), /does not match/],
] as const)
  test(`a token ${what} is refused`, async (t) => {
    const { token, why } = await tokenScene(t)
    assert.match(why(change(urlIn(await token()))), reason)
  })

test('a token for another cluster, without the cluster, or for another service is refused', async (t) => {
  const { token, why, aws } = await tokenScene(t)
  assert.match(why(await token({ cluster: 'other' })), /does not match/)
  assert.match(
    why(await eksToken(aws.account(hubAccount).admin, { url: aws.url, at: new Date('2026-03-01T12:00:00Z') })),
    /x-k8s-aws-id is not a signed header/,
  )
  assert.match(why(await token({ service: 'iam' })), /not signed for sts/)
  assert.match(why(await token({ at: new Date('2026-03-01T12:16:00Z') })), /not yet current/)
})

test('the cluster takes the bearer for the user of its access entry', async (t) => {
  const { token, cluster, clients, roleArn, createRole, hub, clock } = await tokenScene(t)
  const kubernetesGroups = ['open-cluster-management:c1']
  assert.deepEqual(cluster.userOf(await token()), { refused: `no access entry for ${roleArn}` })
  const wish = { clusterName: 'hub', principalArn: roleArn, username: 'c1:{{SessionName}}', kubernetesGroups }
  await clients().eks.send(new CreateAccessEntryCommand(wish))
  assert.deepEqual(cluster.userOf(await token()), { username: 'c1:agent', groups: kubernetesGroups })
  await clients().iam.send(new DeleteRoleCommand({ RoleName: 'ocm-hub' }))
  await createRole('ocm-hub')
  const again = await token({ at: clock.now() }, hub.session('ocm-hub', { name: 'agent' }))
  assert.match(JSON.stringify(cluster.userOf(again)), /for a deleted principal/)
})
