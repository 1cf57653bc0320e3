import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateAccessEntryCommand } from '@aws-sdk/client-eks'
import { parse } from 'yaml'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { systemClock } from '../../../core/clock.ts'
import { systemRandom } from '../../../core/random.ts'
import { connect } from '../../../kube/client/index.ts'
import type { Connection } from '../../../kube/connection.ts'
import { awsScene, eksToken, hubAccount } from '../testing/scene.ts'
import type { AwsAuthData, ReviewStatus } from './index.ts'
import { startAuthenticator } from './index.ts'

const roleArn = (name: string) => `arn:aws:iam::${hubAccount}:role/${name}`

/** A role `west` of the hub's account, and the webhook of the hub. */
async function scene(t: TestScope) {
  const { aws, clock, cluster, hub, createRole, clients } = await awsScene(t)
  await createRole('west')
  const world: { awsAuth?: AwsAuthData } = {}
  const authenticator = await startAuthenticator({ aws, cluster, awsAuth: async () => world.awsAuth })
  teardown(t, () => authenticator.close())
  const connection: Connection = { server: new URL(authenticator.url).origin, tls: { ca: authenticator.caPem } }
  const client = connect(connection, { clock: systemClock, random: systemRandom })
  teardown(t, () => client.close())
  const review = async (token: string, over: object = {}): Promise<ReviewStatus> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token }, ...over }
    const path = new URL(authenticator.url).pathname
    const { status } = await client.request<{ status: ReviewStatus }>({
      ...{ method: 'POST', path, body, contentType: 'application/json' },
    })
    return status
  }
  const tokenFor = (name: string, forCluster = 'hub') =>
    eksToken(hub.session(name, { name: 'pod@1' }), { url: aws.url, at: clock.now(), cluster: forCluster })
  const enter = (name: string, username: string, groups: string[]) =>
    clients().eks.send(
      new CreateAccessEntryCommand({
        ...{ clusterName: 'hub', principalArn: roleArn(name), username, kubernetesGroups: groups },
      }),
    )
  const inConfigMap = (...entries: object[]) => {
    world.awsAuth = { mapRoles: JSON.stringify(entries) }
  }
  return { authenticator, cluster, review, tokenFor, enter, inConfigMap, createRole, world }
}

const userOf = (status: ReviewStatus) =>
  status.authenticated ? { username: status.user.username, groups: status.user.groups } : status.error

test('by its mode an API server goes by access entries, by aws-auth, or by both with entries first', async (t) => {
  const { cluster, review, tokenFor, enter, inConfigMap, createRole } = await scene(t)
  await createRole('east')
  await enter('west', 'by-entry', ['entries'])
  const [west, east] = [await tokenFor('west'), await tokenFor('east')]
  inConfigMap(
    { rolearn: roleArn('west'), username: 'by-map', groups: ['maps'] },
    { rolearn: roleArn('east'), username: 'east:{{SessionName}}:{{AccountID}}', groups: ['maps'] },
  )
  const byEntry = { username: 'by-entry', groups: ['entries'] }
  const eastByMap = { username: `east:pod-1:${hubAccount}`, groups: ['maps'] }

  cluster.authenticationMode = 'API'
  assert.deepEqual(userOf(await review(west)), byEntry)
  assert.match(String(userOf(await review(east))), /no access entry for/)
  cluster.authenticationMode = 'API_AND_CONFIG_MAP'
  assert.deepEqual([userOf(await review(west)), userOf(await review(east))], [byEntry, eastByMap])
  cluster.authenticationMode = 'CONFIG_MAP'
  assert.deepEqual(userOf(await review(west)), { username: 'by-map', groups: ['maps'] })
})

test('who the caller is for AWS goes along with the user', async (t) => {
  const { review, tokenFor, enter } = await scene(t)
  await enter('west', 'west', [])
  const status = await review(await tokenFor('west'))
  assert.ok(status.authenticated)
  assert.match(status.user.uid, new RegExp(`^aws-iam-authenticator:${hubAccount}:AROA`))
  assert.deepEqual(status.user.extra['canonicalArn'], [roleArn('west')])
  assert.deepEqual(status.user.extra['sessionName'], ['pod@1'])
})

test('a token for another cluster, one that is none, and a role that nobody mapped are refused', async (t) => {
  const { cluster, review, tokenFor, world, authenticator } = await scene(t)
  cluster.authenticationMode = 'CONFIG_MAP'
  assert.match(String(userOf(await review(await tokenFor('west', 'hub1')))), /STS: /)
  assert.match(String(userOf(await review('a.b.c'))), /does not begin with/)
  for (const data of [undefined, {}, { mapRoles: '{' }, { mapRoles: 'none' }, { mapRoles: '- 1' }]) {
    if (data) world.awsAuth = data
    assert.match(String(userOf(await review(await tokenFor('west')))), /neither an access entry nor aws-auth knows/)
  }
  assert.ok(authenticator.answers.every(({ authenticated }) => !authenticated))
})

test('what is no TokenReview of v1 is not answered', async (t) => {
  const { review } = await scene(t)
  for (const over of [{ kind: 'Other' }, { apiVersion: 'authentication.k8s.io/v1beta1' }, { spec: {} }])
    await assert.rejects(review('x', over))
})

test('the kubeconfig leads an API server to it', async (t) => {
  const { authenticator } = await scene(t)
  const { clusters, contexts } = parse(authenticator.kubeconfig)
  assert.equal(clusters[0].cluster.server, authenticator.url)
  assert.equal(contexts[0].context.cluster, clusters[0].name)
})
