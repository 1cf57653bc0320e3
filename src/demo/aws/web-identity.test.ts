import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateOpenIDConnectProviderCommand } from '@aws-sdk/client-iam'
import { AssumeRoleWithWebIdentityCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { fromWebToken } from '@aws-sdk/credential-provider-web-identity'
import { awsScene, issuer, managedAccount, podIssuer, providerArn, trustWeb } from './testing/scene.ts'

const subject = 'system:serviceaccount:open-cluster-management-agent:klusterlet-registration-sa'

async function podScene(t: Parameters<typeof awsScene>[0]) {
  const scene = await awsScene(t)
  const { aws, clients, managed, createRole, clock } = scene
  const pod = await podIssuer(clock)
  aws.issuerKeys(issuer, pod.keys)
  const wish = { Url: issuer, ClientIDList: ['sts.amazonaws.com'], ThumbprintList: ['0'.repeat(40)] }
  const provider = await clients(managed.admin).iam.send(new CreateOpenIDConnectProviderCommand(wish))
  const RoleArn = await createRole('pods', { by: managed.admin, trust: trustWeb(subject) })
  const enter = (WebIdentityToken: string, role = RoleArn) =>
    clients().sts.send(
      new AssumeRoleWithWebIdentityCommand({ RoleArn: role, RoleSessionName: 'pod', WebIdentityToken }),
    )
  return { ...scene, pod, enter, provider: provider.OpenIDConnectProviderArn }
}

test('the token of a pod that is trusted gives a session of the role', async (t) => {
  const { enter, pod, clients, provider, aws } = await podScene(t)
  assert.equal(provider, providerArn)
  const token = await pod.token(subject)
  const { Credentials, SubjectFromWebIdentityToken, Audience, Provider } = await enter(token)
  assert.deepEqual([SubjectFromWebIdentityToken, Audience, Provider], [subject, 'sts.amazonaws.com', providerArn])
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const { sts } = clients({ accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken })
  const { Arn } = await sts.send(new GetCallerIdentityCommand({}))
  assert.equal(Arn, `arn:aws:sts::${managedAccount}:assumed-role/pods/pod`)
  assert.ok(!JSON.stringify(aws.calls).includes(token), 'the record of calls holds no token')
})

test('a pod of another service account, and one for another role, are refused', async (t) => {
  const { enter, pod, createRole, managed } = await podScene(t)
  await assert.rejects(enter(await pod.token(`${subject}-2`)), { name: 'AccessDenied' })
  const other = await createRole('other', { by: managed.admin, trust: trustWeb(`${subject}-2`) })
  await assert.rejects(enter(await pod.token(subject), other), { name: 'AccessDenied' })
})

test('a provider counts in its own account only', async (t) => {
  const { enter, pod, createRole } = await podScene(t)
  const elsewhere = await createRole('pods', { trust: trustWeb(subject) })
  await assert.rejects(enter(await pod.token(subject), elsewhere), { name: 'InvalidIdentityTokenException' })
})

test('a token without a signature is refused', async (t) => {
  const { enter, pod } = await podScene(t)
  const [, payload] = (await pod.token(subject)).split('.')
  const header = Buffer.from('{"alg":"none"}').toString('base64url')
  await assert.rejects(enter(`${header}.${payload}.`), { name: 'InvalidIdentityTokenException' })
})

test('the provider of credentials that the SDK has for pods works on it, and renews', async (t) => {
  const { aws, pod, clock } = await podScene(t)
  const systemClockOffset = clock.now().getTime() - Date.now()
  const clientConfig = { endpoint: aws.url, region: 'eu-west-1', systemClockOffset }
  const roleArn = `arn:aws:iam::${managedAccount}:role/pods`
  const enter = async () =>
    fromWebToken({ roleArn, webIdentityToken: await pod.token(subject), roleSessionName: 'pod', clientConfig })()
  const first = await enter()
  assert.equal(first.expiration?.toISOString(), '2026-03-01T13:00:00.000Z')
  await clock.advance('1h')
  const again = await enter()
  assert.notEqual(again.accessKeyId, first.accessKeyId)
  assert.equal(again.expiration?.toISOString(), '2026-03-01T14:00:00.000Z')
})
