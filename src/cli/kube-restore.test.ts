/** A backup that is older than a revocation: what comes back with it, and what does not. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { aBootstrapToken } from '../../test/support/builders.ts'
import { eventually } from '../../test/support/eventually.ts'
import { installFleetKinds } from '../../test/support/fleet-scene.ts'
import { inProcess } from '../../test/support/in-process-cli.ts'
import { rawRequest } from '../../test/support/raw-request.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { teardown } from '../../test/support/test-scope.ts'
import { makeWebhookToken } from '../access/webhook-tokens/index.ts'
import { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import type { Embedded } from '../embedded/index.ts'
import { startEmbedded } from '../embedded/index.ts'
import { namespaces, roles, secrets, serviceAccounts } from '../kube/kinds.ts'
import { kubeCommand } from './kube.ts'

const cli = inProcess(kubeCommand)
const bootstrapToken = { id: 'abcdef', secret: '0123456789abcdef' }
const sessions = ['in-force', 'waiting', 'refused'] as const

async function start(t: TestContext, dir: string): Promise<Embedded> {
  const plane = await startEmbedded({ dir, clock: systemClock, random: systemRandom, log: silentLog })
  teardown(t, () => plane.close())
  return plane
}

/** Anything but 401: whose token it is, is known. */
const isKnown = async ({ url, identities }: Embedded, token: string) =>
  (
    await rawRequest(
      { url, caPem: identities.serverCa.certPem },
      { path: '/api/v1/namespaces', certificate: null, headers: { authorization: `Bearer ${token}` } },
    )
  ).code !== 401

/** A plane with access of every kind, a backup of it, and then all of that access revoked. */
async function revokedSince(t: TestContext) {
  const place = tempDir(t)
  const [dir, file] = [join(place, 'kube'), join(place, 'kube.backup')]
  const plane = await start(t, dir)
  const { kube } = plane
  await installFleetKinds(kube)

  const made = kube.of(BreakglassSession.resource, 'default')
  const states = { 'in-force': 'Approved', waiting: 'Pending', refused: 'Rejected' } as const
  for (const name of sessions) {
    await made.create({
      metadata: { name },
      spec: { cluster: 'west', user: 'dev@example.com', grantedGroup: 'admins' },
    })
    const body = { status: { state: states[name], expiresAt: '2100-01-01T00:00:00Z' } }
    await made.patch(name, { type: 'merge', body }, { subresource: 'status' })
  }
  await kube.of(secrets, 'kube-system').create(aBootstrapToken(bootstrapToken))
  const accounts = kube.of(serviceAccounts, 'default')
  const { metadata: robot } = await accounts.create({ metadata: { name: 'robot' } })
  const owner = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'robot', uid: robot.uid }
  await kube.of(roles, 'default').create({ metadata: { name: 'owned', ownerReferences: [owner] }, rules: [] })
  const { status } = await accounts.createSubresource<object, { status: { token: string } }>('robot', 'token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })
  const annotations = { 'kubernetes.io/service-account.name': 'robot' }
  await kube
    .of(secrets, 'default')
    .create({ metadata: { name: 'robot-token', annotations }, type: 'kubernetes.io/service-account-token' })
  const legacy = await eventually('the Secret is filled', () => textIn(plane, 'robot-token'))
  const hooks = { kube, namespace: 'default', clock: systemClock }
  for (const cluster of ['west', 'north', 'still']) await makeWebhookToken(cluster, hooks)
  await copySomewhereElse(plane)
  const tokens = [status.token, legacy, `${bootstrapToken.id}.${bootstrapToken.secret}`]
  for (const token of tokens) assert.equal(await isKnown(plane, token), true)
  await cli.run('backup', '--data', dir, '--to', file)

  for (const name of ['in-force', 'waiting']) await made.delete(name)
  await kube.of(secrets, 'kube-system').delete(`bootstrap-token-${bootstrapToken.id}`)
  await accounts.delete('robot')
  for (const token of tokens) await eventually('it is revoked', async () => !(await isKnown(plane, token)))
  await makeWebhookToken('west', hooks, { rotate: true, overlapMs: 0 })
  await makeWebhookToken('east', hooks)
  const { items } = await kube.of(secrets, 'default').list({ labelSelector: 'lanyard.io/webhook-token-of=north' })
  await kube.of(secrets, 'default').delete(items[0]?.metadata.name ?? '')
  await plane.close()
  return { dir, file, tokens, legacy, place, robot }
}

/** Who may write Secrets in any namespace can make one that looks like the hub's own. */
async function copySomewhereElse({ kube }: Embedded): Promise<void> {
  await kube.of(namespaces).create({ metadata: { name: 'zz-somebody' } })
  const { items } = await kube.of(secrets, 'default').list({ labelSelector: 'lanyard.io/webhook-token-of=west' })
  for (const { metadata, type, data } of items)
    await kube.of(secrets, 'zz-somebody').create({
      metadata: { name: metadata.name, ...(metadata.labels && { labels: metadata.labels }) },
      ...(type !== undefined && { type }),
      ...(data && { data }),
    })
  await makeWebhookToken('x; rm -rf /', { kube, namespace: 'zz-somebody', clock: systemClock })
}

async function textIn({ kube }: Embedded, name: string): Promise<string | undefined> {
  const token = (await kube.of(secrets, 'default').find(name))?.data?.['token']
  return token && Buffer.from(token, 'base64').toString()
}
const stateOf = async ({ kube }: Embedded, name: string) =>
  (await kube.of(BreakglassSession.resource, 'default').get(name)).status?.state
const webhookClusters = async ({ kube }: Embedded) =>
  (await kube.of(secrets, 'default').list({ labelSelector: 'lanyard.io/webhook-token-of' })).items
    .map(({ metadata }) => metadata.labels?.['lanyard.io/webhook-token-of'])
    .sort()

test('F16: sessions, bootstrap tokens and tokens of service accounts of a backup have ended, and webhook tokens have not', async (t) => {
  const { dir, file, tokens, legacy, robot } = await revokedSince(t)
  const { out } = await cli.run('restore', '--data', dir, '--from', file, '--replace')
  assert.match(
    out,
    /✔ ended, since they may have been revoked: sessions \(2\), bootstrap tokens \(1\), tokens of service/,
  )
  assert.match(out, /! what was revoked after .* is back: accepted clusters, RBAC/)
  assert.match(out, /! the webhook token of west was rotated after the backup: .*webhook-config west --rotate/)
  assert.match(out, /! the webhook token of north was revoked after the backup, and is good again/)
  assert.match(out, /! the webhook token of east was made after the backup, and is not known any more/)
  assert.doesNotMatch(out, /of still|rm -rf/)

  const plane = await start(t, dir)
  for (const token of tokens) assert.equal(await isKnown(plane, token), false)
  assert.deepEqual(await Promise.all(sessions.map((name) => stateOf(plane, name))), ['Expired', 'Expired', 'Rejected'])
  const { status } = await plane.kube.of(BreakglassSession.resource, 'default').get('in-force')
  assert.deepEqual([status?.reasonEnded, status?.history?.at(-1)?.transition], ['canceled', 'canceled'])
  assert.ok(new Date(status?.expiresAt ?? '') <= new Date())
  assert.deepEqual(await webhookClusters(plane), ['north', 'still', 'west'])

  // What goes with an account stays with it, and a Secret that asks for its token gets a new one.
  const account = await plane.kube.of(serviceAccounts, 'default').get('robot')
  assert.notEqual(account.metadata.uid, robot.uid)
  const { metadata } = await plane.kube.of(roles, 'default').get('owned')
  assert.equal(metadata.ownerReferences?.[0]?.uid, account.metadata.uid)
  const again = await eventually('the Secret is filled again', () => textIn(plane, 'robot-token'))
  assert.deepEqual([again === legacy, await isKnown(plane, again)], [false, true])
  await plane.close()
  const report = JSON.parse((await cli.run('fsck', '--data', dir, '-o', 'json')).out)
  assert.deepEqual(report.findings, [])
})

test('F16a: flags keep sessions and tokens and revoke webhook tokens, and a restore to a new folder says what is not known', async (t) => {
  const { file, tokens, place } = await revokedSince(t)
  const [kept, revoked] = [join(place, 'kept'), join(place, 'revoked')]
  const { out } = await cli.run('restore', '--data', kept, '--from', file, '--keep-sessions', '--keep-tokens')
  assert.doesNotMatch(out, /ended/)
  assert.match(out, /webhook tokens are those of the backup, of north, still, west; .* is not known here/)
  const plane = await start(t, kept)
  for (const token of tokens) assert.equal(await isKnown(plane, token), true)
  assert.deepEqual(await Promise.all(sessions.map((name) => stateOf(plane, name))), ['Approved', 'Pending', 'Rejected'])
  await plane.close()

  const { out: json } = await cli.run(
    'restore',
    '--data',
    revoked,
    '--from',
    file,
    '--revoke-webhook-tokens',
    '-o',
    'json',
  )
  const { ended, warnings } = JSON.parse(json)
  assert.equal(ended.filter(({ what }: { what: string }) => what === 'webhook tokens').length, 5)
  assert.equal(warnings.length, 3)
  const silent = await start(t, revoked)
  assert.deepEqual(await webhookClusters(silent), [])
})
