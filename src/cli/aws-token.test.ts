import assert from 'node:assert/strict'
import { createPublicKey, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import {
  CreateOpenIDConnectProviderCommand,
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam'
import { aCanary, assertNoCanary } from '../../test/support/canary.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { inProcess } from '../../test/support/in-process-cli.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import type { TestScope } from '../../test/support/test-scope.ts'
import { teardown } from '../../test/support/test-scope.ts'
import type { Clock } from '../core/clock.ts'
import { systemClock } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import type { AwsAccount } from '../demo/aws/index.ts'
import { startAws } from '../demo/aws/index.ts'
import { parseExecCredential } from '../kube/kubeconfig/exec-output.ts'
import { connectionOf, parseKubeconfig } from '../kube/kubeconfig/index.ts'
import { generateKey } from '../pki/index.ts'
import { formatAwsKubeconfig } from '../registration/drivers/awsirsa/agent-kubeconfig.ts'
import {
  hubRoleAccess,
  hubRoleTrust,
  managedRoleAccess,
  managedRoleTrust,
} from '../registration/drivers/awsirsa/documents.ts'
import type { EksCluster } from '../registration/drivers/awsirsa/names.ts'
import {
  hubRoleArn,
  hubRoleName,
  managedRoleArn,
  managedRoleName,
  parseEksArn,
  principalTags,
  roleSuffix,
} from '../registration/drivers/awsirsa/names.ts'
import { awsTokenCommand } from './aws-token.ts'

const hub = parseEksArn('arn:aws:eks:eu-central-1:111111111111:cluster/hub') as EksCluster
const west = parseEksArn('arn:aws:eks:eu-west-1:222222222222:cluster/west') as EksCluster
const east = parseEksArn('arn:aws:eks:eu-west-1:222222222222:cluster/east') as EksCluster
const oidcProvider = 'oidc.eks.eu-west-1.amazonaws.com/id/ABC'
const v1beta1 = 'client.authentication.k8s.io/v1beta1'
const path = '/var/run/secrets/eks.amazonaws.com/serviceaccount/token'

interface PodOptions {
  token?: string
  ownClock?: Clock
  env?: Record<string, string>
}

/** AWS as it is once west and east were accepted, and the pod of an agent in one of them. */
async function scene(t: TestScope) {
  // The clients that prepare it sign by the real time.
  const clock = new FakeClock(systemClock.now())
  return { ...(await sceneAt(t, clock)), clock }
}

async function sceneAt(t: TestScope, clock: Clock) {
  const canary = aCanary()
  const aws = await startAws({ clock, canary })
  teardown(t, () => aws.close())
  const iam = (account: AwsAccount) => {
    const client = new IAMClient({ region: 'us-east-1', endpoint: aws.url, credentials: account.admin })
    teardown(t, () => client.destroy())
    return client
  }
  const [ofHub, ofSpokes] = [iam(aws.account(hub.account)), iam(aws.account(west.account))]
  const json = (document: object) => JSON.stringify(document)
  aws.cluster({ account: hub.account, name: hub.name, region: hub.region })

  await ofSpokes.send(
    new CreateOpenIDConnectProviderCommand({ Url: `https://${oidcProvider}`, ClientIDList: ['sts.amazonaws.com'] }),
  )
  for (const managed of [west, east]) {
    const RoleName = managedRoleName(roleSuffix(hub, managed))
    const AssumeRolePolicyDocument = json(managedRoleTrust(managed, { oidcProvider }))
    const Tags = Object.entries(principalTags(hub, managed)).map(([Key, Value]) => ({ Key, Value }))
    await ofSpokes.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument, Tags }))
    const PolicyDocument = json(managedRoleAccess(hub, managed))
    await ofSpokes.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'p', PolicyDocument }))
  }
  const accept = async (managed: EksCluster) => {
    const RoleName = hubRoleName(roleSuffix(hub, managed))
    const AssumeRolePolicyDocument = json(hubRoleTrust(hub, managed))
    await ofHub.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }))
    await ofHub.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'p', PolicyDocument: json(hubRoleAccess(hub)) }))
  }
  const revoke = async (managed: EksCluster) => {
    const RoleName = hubRoleName(roleSuffix(hub, managed))
    await ofHub.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'p' }))
    await ofHub.send(new DeleteRoleCommand({ RoleName }))
  }

  const { keyPem, publicKeyPem } = generateKey()
  const key = { ...createPublicKey(publicKeyPem).export({ format: 'jwk' }), kid: 'k', alg: 'ES256', kty: 'EC' }
  aws.issuerKeys(`https://${oidcProvider}`, { keys: [key] })
  const webToken = (lifeSeconds = 3_600, account = 'klusterlet-registration-sa') => {
    const iat = Math.floor(clock.now().getTime() / 1_000)
    const claims = {
      iss: `https://${oidcProvider}`,
      sub: `system:serviceaccount:open-cluster-management-agent:${account}`,
      aud: ['sts.amazonaws.com'],
      iat,
      exp: iat + lifeSeconds,
    }
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const signed = `${encode({ alg: 'ES256', kid: 'k' })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(signed), { key: keyPem.reveal(), dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  /** As the pod of the agent of `of`, which asks for the role of `as`. */
  const pod = (of: EksCluster, as: EksCluster, { token = webToken(), ownClock = clock, env = {} }: PodOptions = {}) =>
    inProcess((stop) =>
      awsTokenCommand(stop, {
        env: { AWS_WEB_IDENTITY_TOKEN_FILE: path, AWS_ROLE_ARN: managedRoleArn(hub, of), ...env },
        clock: ownClock,
        readFile: async (asked) => (asked === path ? token : assert.fail(asked)),
      }),
    ).run(
      ...['--region', hub.region, '--cluster-name', hub.name, '--role-arn', hubRoleArn(hub, as)],
      ...['--sts-endpoint', aws.url],
    )
  const tokenOf = async (of: EksCluster) => {
    const { token, expiresAt } = parseExecCredential((await pod(of, of)).out, v1beta1, assert.fail)
    return { token: token?.reveal() ?? assert.fail(), expiresAt: expiresAt ?? assert.fail() }
  }
  /** The failure, which shows nothing that AWS issued and nothing of the web identity. */
  const failureOf = async (run: Promise<unknown>) => {
    const error: unknown = await run.then(
      () => assert.fail('it succeeded'),
      (failed) => failed,
    )
    assert.ok(isFailure(error), String(error))
    assertNoCanary({ failure: `${error.message} ${JSON.stringify(error.params)}` }, canary)
    assert.doesNotMatch(error.message, /eyJ/)
    return error
  }
  return { aws, accept, revoke, pod, tokenOf, failureOf, webToken }
}

test('an agent in a pod gets a token that EKS takes for its role on the hub', async (t) => {
  const { aws, clock, accept, tokenOf } = await scene(t)
  await accept(west)
  const { token, expiresAt } = await tokenOf(west)
  const identity = aws.identityOf(token, 'hub')
  assert.equal('principalArn' in identity ? identity.principalArn : identity.refused, hubRoleArn(hub, west))
  const lifeSeconds = Math.round((expiresAt.getTime() - clock.now().getTime()) / 1_000)
  assert.ok(lifeSeconds > 838 && lifeSeconds <= 840, `${lifeSeconds} s`)
})

test('whichever endpoint gives the role, the token names STS as EKS knows it', async (t) => {
  const { aws, accept, tokenOf } = await scene(t)
  await accept(west)
  const { token } = await tokenOf(west)
  const url = new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString())
  assert.equal(url.origin, 'https://sts.eu-central-1.amazonaws.com')
  assert.deepEqual(
    aws.calls.slice(-2).map(({ action }) => action),
    ['AssumeRoleWithWebIdentity', 'AssumeRole'],
  )
})

test('a token is for one hub, holds until the end that it names, and not for a quarter of an hour and a second', async (t) => {
  const { aws, clock, accept, tokenOf } = await scene(t)
  await accept(west)
  const { token } = await tokenOf(west)
  assert.ok('refused' in aws.identityOf(token, 'hub1'))
  await clock.advance('14m')
  assert.ok('arn' in aws.identityOf(token, 'hub'))
  await clock.advance('61s')
  assert.ok('refused' in aws.identityOf(token, 'hub'))
})

test('before the hub accepts the cluster its role cannot be assumed, and the failure says who makes it', async (t) => {
  const { pod, failureOf } = await scene(t)
  const { code, message } = await failureOf(pod(west, west))
  assert.equal(code, 'AWS_ROLE_REFUSED')
  assert.ok(message.includes(`${managedRoleArn(hub, west)} may not assume ${hubRoleArn(hub, west)}`), message)
  assert.match(message, /the hub makes that role when it accepts the cluster/)
})

test('one cluster does not get the role of another', async (t) => {
  const { accept, pod, failureOf } = await scene(t)
  await accept(west)
  await accept(east)
  assert.equal((await failureOf(pod(west, east))).code, 'AWS_ROLE_REFUSED')
})

test('once the role is revoked there is no further token, and the last one is worth nothing', async (t) => {
  const { aws, accept, revoke, tokenOf, pod, failureOf } = await scene(t)
  await accept(west)
  const { token } = await tokenOf(west)
  await revoke(west)
  assert.equal((await failureOf(pod(west, west))).code, 'AWS_ROLE_REFUSED')
  assert.ok('refused' in aws.identityOf(token, 'hub'))
})

test('a web identity that has run out, or of another account of Kubernetes, is told as that', async (t) => {
  const { clock, accept, pod, failureOf, webToken } = await scene(t)
  await accept(west)
  const token = webToken(60)
  assert.equal((await failureOf(pod(west, west, { token: webToken(3_600, 'default') }))).code, 'AWS_WEB_ROLE_REFUSED')
  assert.equal(
    (await failureOf(pod(west, west, { token: `${webToken().slice(0, -4)}AAAA` }))).code,
    'AWS_WEB_IDENTITY_REJECTED',
  )
  await clock.advance('2m')
  assert.equal((await failureOf(pod(west, west, { token }))).code, 'AWS_WEB_IDENTITY_EXPIRED')
})

test('a clock that is twenty minutes behind is told as that', async (t) => {
  const { clock, accept, pod, failureOf } = await scene(t)
  await accept(west)
  const ownClock = new FakeClock(new Date(clock.now().getTime() - 1_200_000))
  const { code, message } = await failureOf(pod(west, west, { ownClock }))
  assert.equal(code, 'AWS_CLOCK_SKEW', message)
  assert.match(message, /(1199|1200|1201) s behind/)
})

test('nothing but the credential is printed, in the version that is asked for', async (t) => {
  const { accept, pod } = await scene(t)
  await accept(west)
  const apiVersion = 'client.authentication.k8s.io/v1'
  const env = { KUBERNETES_EXEC_INFO: JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: {} }) }
  const { out, err } = await pod(west, west, { env })
  assert.ok(parseExecCredential(out, apiVersion, assert.fail).token)
  assert.equal(out.trim().split('\n').length, 1)
  assert.equal(err, '')
})

test('a client of Kubernetes with the kubeconfig of an agent runs Lanyard, and EKS takes what it says for the role', async (t) => {
  const { aws, accept, webToken } = await sceneAt(t, systemClock)
  await accept(west)
  const file = join(tempDir(t), 'token')
  writeFileSync(file, webToken())
  const access = { region: hub.region, clusterName: hub.name, roleArn: hubRoleArn(hub, west) }
  const form = {
    form: 'lanyard',
    command: resolve(import.meta.dirname, '../../bin/lanyard.js'),
    stsEndpoint: aws.url,
  } as const
  const text = formatAwsKubeconfig({ name: 'hub', server: 'https://hub.example.com' }, access, form).reveal()
  const { connection } = await connectionOf(parseKubeconfig(text, { name: 'test' }), {
    source: 'test',
    clock: systemClock,
    env: {
      PATH: process.env['PATH'],
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ROLE_ARN: managedRoleArn(hub, west),
    },
  })
  const { authorization } = (await connection.credentials?.()) ?? {}
  const identity = aws.identityOf(authorization?.reveal() ?? assert.fail(), 'hub')
  assert.equal('principalArn' in identity ? identity.principalArn : identity.refused, hubRoleArn(hub, west))
})

const refused = [
  { what: 'no region', args: ['--cluster-name', 'hub'], says: /--region/ },
  {
    what: 'a region that is none',
    args: ['--region', 'evil.example.com', '--cluster-name', 'hub'],
    says: /eu-central-1/,
  },
  { what: 'a name that is none', args: ['--region', 'eu-central-1', '--cluster-name', 'a b'], says: /EKS cluster/ },
  {
    what: 'the ARN of something else',
    args: ['--region', 'eu-central-1', '--cluster-name', 'hub', '--role-arn', 'arn:aws:iam::111111111111:user/x'],
    says: /ARN of a role/,
  },
]
for (const { what, args, says } of refused)
  test(`${what} is refused before anything is asked`, async () => {
    const deps = { post: () => assert.fail('STS was asked') }
    const running = inProcess((stop) => awsTokenCommand(stop, deps)).start(...args)
    await assert.rejects(running.ended, { name: 'CommanderError' })
    assert.match(running.said(), says)
  })
