/** How long a token is used, and how the next one is got. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { OidcAuth } from '../../../src/apis/breakglass/oidc-fields.ts'
import { Secret } from '../../../src/core/secret.ts'
import type { OpenSpoke } from '../../../src/fleet/spoke/index.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { TestIssuer } from '../../support/issuer.ts'
import { clientId, defaultAudience, publicClientId, secretOf, startIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('tokens that are renewed', needsControlPlane, () => {
  const suite = suiteScope()
  /** Of the hub. The cluster and its issuer have the time of the machine: a token is as good there as it says. */
  const clock = new FakeClock(new Date())
  let issuer: TestIssuer
  let plane: OwnControlPlane
  let scene: ReachScene
  let clientSecretRef: { name: string; namespace: string }
  let caSecretRef: { name: string; namespace: string }

  before(async () => {
    issuer = await startIssuer(suite, { clients: { a21: {}, a22: {}, a23: {}, several: {}, brief: {} } })
    plane = await startControlPlane(suite, { controllers: false, oidc: issuer.trust() })
    // It looks at a cluster when that changes, and not by the way: that would be one more caller.
    const never = 86_400_000
    scene = await reachScene(suite, plane, {
      clock,
      reach: { checkIntervalMs: never, retryMs: { first: never, most: never } },
    })
    // It follows all that it has to: a list that failed because its kind was new is tried again by the clock.
    await scene.reaches((await scene.byKubeconfig()).cluster, 'True')
    clientSecretRef = scene.ref(await scene.secret({ 'client-secret': issuer.clientSecret }))
    caSecretRef = scene.ref(await scene.secret({ 'ca.crt': plane.caPem }))
  })

  const by = (more: Partial<OidcAuth>) =>
    scene.config({ oidcAuth: { ...issuer.auth(plane.url), caSecretRef, ...more } })
  const call = ({ kube }: OpenSpoke) => kube.request({ path: '/version' })
  const endOf = async (spoke: OpenSpoke) => (await spoke.credential()).expiresAt?.getTime() ?? assert.fail('no end')
  const leftMs = async (spoke: OpenSpoke) => (await endOf(spoke)) - clock.now().getTime()
  /** A cluster of this client's alone, whose token was just got, for a minute. */
  async function opened(clientID: string): Promise<{ spoke: OpenSpoke; grants(): readonly (string | undefined)[] }> {
    issuer.settings.tokenSeconds = 60
    const secret = await scene.secret({ 'client-secret': secretOf(clientID) })
    const cluster = await by({ clientID, clientSecretRef: scene.ref(secret) })
    await scene.reachesAtOnce(cluster, 'True', 'OIDCValidated')
    const requests = () => issuer.requests.filter((form) => form['client_id'] === clientID)
    return { spoke: await scene.spokes.open(cluster), grants: () => requests().map((form) => form['grant_type']) }
  }

  test('A21: a token of a minute serves every call until half of it is over, and no longer', async () => {
    const { spoke, grants } = await opened('a21')
    for (let calls = 0; calls < 100; calls += 1) {
      await call(spoke)
      await clock.advance(250)
    }
    assert.equal(grants().length, 1)
    await clock.advance((await leftMs(spoke)) - 30_001)
    await call(spoke)
    assert.equal(grants().length, 1)
    await clock.advance(1)
    await call(spoke)
    assert.equal(grants().length, 2)
    assert.equal(await leftMs(spoke), 60_000)
  })

  test('A22: fifty calls with a token that just expired ask for one', async () => {
    const { spoke, grants } = await opened('a22')
    await clock.advance((await leftMs(spoke)) + 1)
    assert.equal(grants().length, 1)
    await Promise.all(Array.from({ length: 50 }, () => call(spoke)))
    assert.equal(grants().length, 2)
  })

  test('A23: the refresh token that an answer brought renews; refused, client credentials do in the same call', async () => {
    issuer.settings.giveRefreshTokens = true
    const { spoke, grants } = await opened('a23')
    issuer.settings.giveRefreshTokens = false
    const renewed = async () => {
      const before = grants().length
      await clock.advance((await leftMs(spoke)) - 30_000)
      await call(spoke)
      return grants().slice(before)
    }
    assert.deepEqual(await renewed(), ['refresh_token'])
    assert.deepEqual(await renewed(), ['refresh_token'])
    const shown = issuer.requests.findLast((form) => form['client_id'] === 'a23')?.['refresh_token']
    await issuer.revoke(Secret.of(shown ?? assert.fail('none was shown')))
    assert.deepEqual(await renewed(), ['refresh_token', 'client_credentials'])
    assert.deepEqual(await renewed(), ['client_credentials'])
  })

  /** A refresh token in a Secret of its own, good or not. */
  async function offline(isGood: boolean, name?: string, client = clientId): Promise<string> {
    const token = await issuer.offlineToken({ client, audience: defaultAudience })
    if (!isGood) await issuer.revoke(token)
    return scene.secret({ token: `${token.reveal()}\n` }, name)
  }
  const warnings = async (cluster: string) =>
    (await scene.events(cluster))
      .filter(({ type, reason }) => type === 'Warning' && reason !== 'PermissionsMissing')
      .map(({ message = '' }) => message)

  test('A27: what becomes of a refused refresh token is as the policy says, and shows until it is replaced', async () => {
    issuer.settings.tokenSeconds = 300
    const policies = ['None', 'Auto', 'Warn'] as const
    const made = policies.map(async (fallbackPolicy) => {
      const secret = await offline(false)
      return {
        secret,
        cluster: await by({ clientSecretRef, refreshTokenSecretRef: scene.ref(secret), fallbackPolicy }),
      }
    })
    const [none, auto, warn] = (await Promise.all(made)) as [Made, Made, Made]

    const refused = await scene.reaches(none.cluster, 'False', 'OIDCRefreshFailed')
    assert.match(refused.message, /invalid_grant/)
    await scene.reaches(none.cluster, 'True', 'RefreshTokenRefused', 'RefreshTokenExpired')

    await scene.reaches(auto.cluster, 'True', 'OIDCValidated')
    const conditions = (await scene.find(auto.cluster))?.status?.conditions ?? []
    const loud = conditions.filter(({ type }) => type === 'RefreshTokenExpired' || type === 'DegradedAuth')
    assert.deepEqual([loud, await warnings(auto.cluster)], [[], []])

    await scene.reaches(warn.cluster, 'True', 'OIDCValidated')
    const degraded = await scene.reaches(warn.cluster, 'True', 'FallbackSucceeded', 'DegradedAuth')
    assert.match(degraded.message, /invalid_grant/)
    await eventually('a Warning tells of it', async () =>
      (await warnings(warn.cluster)).some((message) => message.includes('refresh token')),
    )

    // One that has been both.
    await scene.change(none.cluster, { spec: { oidcAuth: { fallbackPolicy: 'Warn' } } })
    await scene.reaches(none.cluster, 'True', 'FallbackSucceeded', 'DegradedAuth')

    for (const { secret, cluster } of [none, auto, warn]) {
      await offline(true, secret)
      await scene.reaches(cluster, 'True', 'OIDCValidated')
    }
    await scene.reaches(none.cluster, 'False', 'AuthRecovered', 'RefreshTokenExpired')
    await scene.reaches(none.cluster, 'False', 'AuthRecovered', 'DegradedAuth')
    await scene.reaches(warn.cluster, 'False', 'AuthRecovered', 'DegradedAuth')
    assert.equal((await (await scene.spokes.open(warn.cluster)).credential()).refused, undefined)
  })

  test('A75: a refused refresh token with nothing else, or nothing else allowed, closes the cluster until it is replaced', async () => {
    const nothingElse = { clientID: publicClientId }
    const notAllowed = { clientID: clientId, clientSecretRef, fallbackPolicy: 'None' as const }
    for (const more of [nothingElse, notAllowed]) {
      const secret = await offline(false, undefined, more.clientID)
      const cluster = await by({ refreshTokenSecretRef: scene.ref(secret), ...more })
      await scene.reaches(cluster, 'False', 'OIDCRefreshFailed')
      await offline(true, secret, more.clientID)
      await scene.reaches(cluster, 'True', 'OIDCValidated')
    }
  })

  test('the successor of a refresh token is kept in its Secret, and serves after a restart', async () => {
    issuer.settings.rotateRefreshTokens = true
    const secret = await offline(true)
    const refreshTokenSecretRef = scene.ref(secret)
    const cluster = await by({
      refreshTokenSecretRef,
      rotatedRefreshTokenKey: 'rotated',
      fallbackPolicy: 'None',
      clientSecretRef,
    })
    await scene.reaches(cluster, 'True', 'OIDCValidated')
    const rotated = async () => {
      const found = await scene.admin.of(secrets, scene.namespace).get(secret)
      return Buffer.from(found.data?.['rotated'] ?? '', 'base64').toString()
    }
    const first = await rotated()
    assert.notEqual(first, '')
    // Its own write does not have it asked for again.
    await scene.asked(cluster)
    assert.equal(await rotated(), first)
    scene.spokes.forget(cluster)
    await call(await scene.spokes.open(cluster))
    assert.notEqual(await rotated(), first)
    assert.equal(issuer.requests.at(-1)?.['refresh_token'], first)
    issuer.settings.rotateRefreshTokens = false
  })

  /** Clusters that share a rotating refresh token of this client, and how often it was shown. */
  async function sharing(clientID: string, many: number) {
    const fields = {
      clientID,
      clientSecretRef: scene.ref(await scene.secret({ 'client-secret': secretOf(clientID) })),
      refreshTokenSecretRef: scene.ref(await offline(true, undefined, clientID)),
      rotatedRefreshTokenKey: 'rotated',
      fallbackPolicy: 'None' as const,
    }
    const clusters = await Promise.all(Array.from({ length: many }, () => by(fields)))
    for (const cluster of clusters) await scene.reachesAtOnce(cluster, 'True', 'OIDCValidated')
    return { clusters, refreshes: () => issuer.requests.filter((form) => form['client_id'] === clientID).length }
  }

  test('three clusters and two hubs share one rotating refresh token, and each asks for one token only', async () => {
    issuer.settings.rotateRefreshTokens = true
    const { clusters, refreshes } = await sharing('several', 3)
    assert.equal(refreshes(), 3)
    const stop = scene.beside()
    await eventually('the second hub has its tokens', () => refreshes() === 6)
    // What each of them wrote has nobody made anew.
    for (const cluster of [...clusters, ...clusters]) {
      await scene.asked(cluster)
      await call(await scene.spokes.open(cluster))
      assert.equal((await scene.condition(cluster, 'Ready'))?.status, 'True')
    }
    assert.equal(refreshes(), 6)
    await stop()
    for (const cluster of clusters) await scene.remove(cluster)
    issuer.settings.rotateRefreshTokens = false
  })

  test('a token that lives no longer than the margin serves a whole look, and no look follows from its being kept', async () => {
    Object.assign(issuer.settings, { rotateRefreshTokens: true, tokenSeconds: 30 })
    const { clusters, refreshes } = await sharing('brief', 1)
    for (const cluster of [...clusters, ...clusters]) await scene.asked(cluster, 'stands')
    assert.equal(refreshes(), 1)
    await clock.advance('5s')
    for (const cluster of [...clusters, ...clusters]) await scene.asked(cluster, 'stands')
    assert.equal(refreshes(), 2)
    Object.assign(issuer.settings, { rotateRefreshTokens: false, tokenSeconds: 300 })
  })
})

interface Made {
  secret: string
  cluster: string
}
