/**
 * IAM, EKS and STS of moto, which others wrote, take the calls of the join by AWS IAM. It has no access entries, does not
 * verify presigned URLs or web identities, and asks no trust policy of another account: those are proven on our own
 * stand-in only (src/demo/aws).
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks'
import {
  AttachRolePolicyCommand,
  CreateOpenIDConnectProviderCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  DeleteRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolesCommand,
  PutRolePolicyCommand,
  TagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import { systemClock } from '../../src/core/clock.ts'
import { isFailure } from '../../src/core/failure.ts'
import { done } from '../../src/core/outcome.ts'
import { randomFrom } from '../../src/core/random.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import { openAws } from '../../src/registration/drivers/awsirsa/clients/open.ts'
import { hubRoleAccess, hubRolePolicyName, hubRoleTrust } from '../../src/registration/drivers/awsirsa/documents.ts'
import { awsGrant } from '../../src/registration/drivers/awsirsa/hub-grant.ts'
import { recordAnnotation } from '../../src/registration/drivers/awsirsa/hub-record.ts'
import { managedRoleArn } from '../../src/registration/drivers/awsirsa/names.ts'
import type { NeededRole } from '../../src/registration/drivers/awsirsa/prerequisites/index.ts'
import { clusterPrerequisites, hubPrerequisites } from '../../src/registration/drivers/awsirsa/prerequisites/index.ts'
import { isSameDocument, readDocument } from '../../src/registration/drivers/awsirsa/same-document.ts'
import {
  aManagedCluster,
  hub,
  managed,
  roleArn,
  roleName,
} from '../../src/registration/drivers/awsirsa/testing/samples.ts'
import { endpointOf } from '../../src/registration/drivers/awsirsa/token/presign.ts'
import { tokenSource } from '../../src/registration/drivers/awsirsa/token/token-source.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { MemoryKube } from '../support/memory-kube.ts'
import { startMoto, verifySignatures } from '../support/moto.ts'
import { peer } from '../support/peer.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

const keys = { accessKeyId: 'test', secretAccessKey: 'test' }
const { region } = hub

function clients(t: TestScope, endpoint: string, credentials = keys) {
  const config = { region, endpoint, credentials }
  const opened = { iam: new IAMClient(config), eks: new EKSClient(config), sts: new STSClient(config) }
  teardown(t, () => {
    for (const client of Object.values(opened)) client.destroy()
  })
  return opened
}

/** Of an account, which moto makes with the first role that is asked for in it. */
async function administrator(t: TestScope, endpoint: string, account: string) {
  const RoleArn = `arn:aws:iam::${account}:role/admin`
  const { Credentials } = await clients(t, endpoint).sts.send(
    new AssumeRoleCommand({ RoleArn, RoleSessionName: 'admin' }),
  )
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const own = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  return clients(t, endpoint, own).iam
}

/** As `aws iam create-role` and `put-role-policy` would, with what `lanyard aws prerequisites` prints. */
async function make(iam: IAMClient, role: NeededRole): Promise<void> {
  const Tags = Object.entries(role.tags).map(([Key, Value]) => ({ Key, Value }))
  const AssumeRolePolicyDocument = JSON.stringify(role.trust)
  const made = await iam.send(new CreateRoleCommand({ RoleName: role.name, AssumeRolePolicyDocument, Tags }))
  assert.equal(made.Role?.Arn, role.arn)
  const PolicyDocument = JSON.stringify(role.policy.document)
  await iam.send(new PutRolePolicyCommand({ RoleName: role.name, PolicyName: role.policy.name, PolicyDocument }))
}

const oidcProvider = 'oidc.eks.eu-west-1.amazonaws.com/id/ABCDEF'

function clusterRole(): NeededRole {
  const role = clusterPrerequisites(hub, managed, { oidcProvider })
  return 'wrong' in role ? assert.fail(role.wrong) : role
}

async function grantScene(t: TestScope, endpoint: string) {
  const { iam, eks } = clients(t, endpoint)
  const accessConfig = { authenticationMode: 'CONFIG_MAP' as const }
  const clusterOptions = { roleArn: 'arn:aws:iam::123456789012:role/eks', resourcesVpcConfig: {}, accessConfig }
  await eks.send(new CreateClusterCommand({ name: hub.name, ...clusterOptions }))
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const aws = openAws({ region, clusterName: hub.name, clock: systemClock, endpoint, credentials: keys })
  teardown(t, () => aws[Symbol.dispose]())
  const clusters = kube.of(ManagedCluster.resource)
  await clusters.create(aManagedCluster('west'))
  const random = randomFrom(() => 0)
  /** A hub that has just started: it believes nothing that it saw before. */
  const start = () =>
    awsGrant({
      ...{ hub, tags: { team: 'blue' }, iam: aws.iam, eks: aws.eks, isEks: async () => true },
      ...{ kube, clock, random, checkpoint: passBy, tell: () => {} },
    })
  const GetPolicy = new GetRolePolicyCommand({ RoleName: roleName, PolicyName: hubRolePolicyName })
  return {
    iam,
    clock,
    start,
    west: () => clusters.get('west'),
    mapRoles: async () => (await kube.of(configMaps, 'kube-system').find('aws-auth'))?.data?.['mapRoles'] ?? '',
    async isAsGranted() {
      const { Role } = await iam.send(new GetRoleCommand({ RoleName: roleName }))
      const { PolicyDocument } = await iam.send(GetPolicy)
      assert.ok(isSameDocument(readDocument(Role?.AssumeRolePolicyDocument ?? ''), hubRoleTrust(hub, managed)))
      assert.ok(isSameDocument(readDocument(PolicyDocument ?? ''), hubRoleAccess(hub)))
      assert.equal(Role?.Tags?.find(({ Key }) => Key === 'team')?.Value, 'blue')
    },
  }
}

test('IAM and EKS of moto: a role is made for a cluster, mended when it was changed, and removed with all that is on it', async (t) => {
  const program = peer(t, 'moto_server')
  if (!program) return
  const { iam, clock, start, west, mapRoles, isAsGranted } = await grantScene(t, await startMoto(t, program))

  assert.deepEqual(await start().ensure(await west()), done)
  await isAsGranted()
  assert.match(await mapRoles(), new RegExp(`"?${roleArn}"?`))
  assert.equal((await west()).metadata.annotations?.[recordAnnotation], `${roleName}:aws-auth`)

  const PolicyDocument = JSON.stringify(hubRoleAccess({ ...hub, arn: '*' }))
  const named = { RoleName: roleName }
  await iam.send(
    new UpdateAssumeRolePolicyCommand({
      ...named,
      PolicyDocument: JSON.stringify(hubRoleTrust(hub, { ...managed, name: 'other' })),
    }),
  )
  await iam.send(new DeleteRolePolicyCommand({ ...named, PolicyName: hubRolePolicyName }))
  await iam.send(new TagRoleCommand({ ...named, Tags: [{ Key: 'team', Value: 'red' }] }))
  assert.deepEqual(await start().ensure(await west()), done)
  await isAsGranted()

  const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: 'by-hand', PolicyDocument }))
  await iam.send(new AttachRolePolicyCommand({ ...named, PolicyArn: Policy?.Arn ?? '' }))
  await iam.send(new PutRolePolicyCommand({ ...named, PolicyName: 'by-hand', PolicyDocument }))
  assert.equal((await iam.send(new ListAttachedRolePoliciesCommand(named))).AttachedPolicies?.length, 1)
  const grant = start()
  for (;;) {
    const outcome = await grant.revoke(await west())
    if (outcome.outcome !== 'requeueAfter') break
    await clock.advance(outcome.ms)
  }
  const left = (await iam.send(new ListRolesCommand({}))).Roles?.map(({ RoleName }) => RoleName)
  assert.ok(!left?.includes(roleName), `${left}`)
  assert.doesNotMatch(await mapRoles(), /ocm-hub-/)
  assert.equal((await west()).metadata.annotations?.[recordAnnotation], undefined)
})

test('IAM of moto takes the roles that people make before, with their documents', async (t) => {
  const program = peer(t, 'moto_server')
  if (!program) return
  const endpoint = await startMoto(t, program)
  const ofHub = await administrator(t, endpoint, hub.account)
  const ofCluster = await administrator(t, endpoint, managed.account)
  for (const iam of [ofHub, ofCluster])
    await iam.send(
      new CreateOpenIDConnectProviderCommand({ Url: `https://${oidcProvider}`, ClientIDList: ['sts.amazonaws.com'] }),
    )
  const creator = hubPrerequisites(hub, { oidcProvider })
  if ('wrong' in creator) assert.fail(creator.wrong)
  await make(ofHub, creator)
  await make(ofCluster, clusterRole())

  const { Role } = await ofCluster.send(new GetRoleCommand({ RoleName: clusterRole().name }))
  assert.equal(Role?.Arn, managedRoleArn(hub, managed))
  assert.deepEqual(Object.fromEntries((Role?.Tags ?? []).map(({ Key, Value }) => [Key, Value])), clusterRole().tags)
  assert.ok(isSameDocument(readDocument(Role?.AssumeRolePolicyDocument ?? ''), clusterRole().trust))
})

test('STS of moto: a web identity becomes a session, whose signature botocore verifies, and whose policy allows one role', async (t) => {
  const program = peer(t, 'moto_server')
  if (!program) return
  const endpoint = await startMoto(t, program)
  await make(await administrator(t, endpoint, managed.account), clusterRole())
  const url = endpointOf(endpoint)
  const env = { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: managedRoleArn(hub, managed) }
  const readFile = () => Promise.resolve('header.payload.signature')
  const deps = { env, clock: systemClock, readFile }
  const source = tokenSource({ region, clusterName: hub.name, roleArn, endpoint: url }, deps)
  const { token, expiresAt } = await source.token()
  assert.ok(expiresAt > new Date())

  const question = new URL(Buffer.from(token.reveal().replace('k8s-aws-v1.', ''), 'base64url').toString())
  assert.equal(question.host, `sts.${region}.amazonaws.com`)
  const isHubRole = `<Arn>arn:aws:sts::${hub.account}:assumed-role/${roleName}/lanyard</Arn>`
  assert.match(await asEksAsks(question, url), new RegExp(`^200 .*<GetCallerIdentityResult>.*${isHubRole}`, 's'))

  const session = await sessionOf(t, endpoint, managedRoleArn(hub, managed))

  await verifySignatures(endpoint)
  const signed = (keys: Record<string, string>, of = roleArn) =>
    tokenSource({ region, clusterName: hub.name, roleArn: of, endpoint: url }, { ...deps, env: keys }).token()
  assert.match((await signed(session)).token.reveal(), /^k8s-aws-v1\./)
  const wrongKey = { ...session, AWS_SECRET_ACCESS_KEY: 'wrong' }
  await assert.rejects(signed(wrongKey), (error) => isFailure(error, 'AWS_CREDENTIALS_REJECTED'))
  await assert.rejects(signed(session, `${roleArn}0`), (error) => isFailure(error, 'AWS_ROLE_REFUSED'))
})

/** Sends what a token says to moto. It looks for the caller, and for the service itself, in a header only. */
function asEksAsks(question: URL, moto: URL): Promise<string> {
  const [credential, signed, signature] = ['Credential', 'SignedHeaders', 'Signature'].map(
    (name) => `${name}=${question.searchParams.get(`X-Amz-${name}`)}`,
  )
  const authorization = `AWS4-HMAC-SHA256 ${credential}, ${signed}, ${signature}`
  const headers = { host: question.host, 'x-k8s-aws-id': hub.name, authorization }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const path = `${question.pathname}${question.search}`
  const sent = request({ host: moto.hostname, port: moto.port, path, headers }, (answer) => {
    text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject)
  })
  sent.on('error', reject)
  sent.end()
  return promise
}

async function sessionOf(t: TestScope, endpoint: string, RoleArn: string): Promise<Record<string, string>> {
  const { Credentials } = await clients(t, endpoint).sts.send(
    new AssumeRoleCommand({ RoleArn, RoleSessionName: 'agent' }),
  )
  return {
    AWS_ACCESS_KEY_ID: Credentials?.AccessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: Credentials?.SecretAccessKey ?? '',
    AWS_SESSION_TOKEN: Credentials?.SessionToken ?? '',
  }
}
