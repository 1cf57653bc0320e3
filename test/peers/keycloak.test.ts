/** A hub that gets into a real cluster by tokens of a real Keycloak, which the cluster trusts by the flags for OIDC. */
import assert from 'node:assert/strict'
import { afterEach, before, describe, test } from 'node:test'
import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'
import type { OidcAuth } from '../../src/apis/breakglass/oidc-fields.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { spokeConditions } from '../../src/fleet/spoke/names.ts'
import { spokeRbacManifests } from '../../src/fleet/spoke/rbac.ts'
import { uniqueName } from '../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import type { Keycloak } from '../support/keycloak.ts'
import { startKeycloak } from '../support/keycloak.ts'
import { clients, jane, realm, realmAudience, realmName } from '../support/keycloak-realm.ts'
import { peer } from '../support/peer.ts'
import type { ReachScene } from '../support/reach-scene.ts'
import { reachScene } from '../support/reach-scene.ts'
import { suiteScope } from '../support/suite-scope.ts'
import { whoAmI } from '../support/who-am-i.ts'

let whySkip: string | false = needsControlPlane.skip
const program = peer(
  {
    skip(reason = '') {
      whySkip = reason
    },
  },
  'kc.sh',
)
const { ready, permissionsVerified, refreshTokenExpired, degradedAuth } = spokeConditions

describe('beside a real Keycloak', { skip: whySkip }, () => {
  const suite = suiteScope()
  let keycloak: Keycloak
  let scene: ReachScene

  before(async () => {
    keycloak = await startKeycloak(suite, program ?? '')
    // Before the API server, which would otherwise look for it again only after ten seconds.
    await keycloak.manage('POST', '', realm)
    const plane = await startControlPlane(suite, {
      controllers: false,
      oidc: {
        issuerUrl: keycloak.issuer(realmName),
        clientId: realmAudience,
        caPem: keycloak.caPem,
        usernameClaim: 'preferred_username',
        usernamePrefix: 'keycloak:',
        groupsClaim: 'groups',
        groupsPrefix: 'keycloak:',
      },
    })
    // Often: what is tested is what the hub finds out by itself.
    const reach = { checkIntervalMs: 1_000, retryMs: { first: 500, most: 1_000 } }
    scene = await reachScene(suite, plane, { reach })
    const fleet = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'keycloak:fleet' }
    await applyManifests(scene.admin, spokeRbacManifests(fleet), new AbortController().signal)
  })

  // The hub looks at each of them every second.
  afterEach(async () => {
    const configs = scene.admin.of(ClusterConfig.resource, scene.namespace)
    for (const { metadata } of (await configs.list()).items) await configs.delete(metadata.name)
  })

  /** A ClusterConfig by this client, with what else is given; its name. */
  async function configFor(
    { client_id, client_secret }: { client_id: string; client_secret: string },
    more: Partial<OidcAuth> = {},
  ): Promise<string> {
    const { plane, secret, ref, config } = scene
    return await config({
      oidcAuth: {
        issuerURL: keycloak.issuer(realmName),
        certificateAuthority: keycloak.caPem,
        clientID: client_id,
        clientSecretRef: ref(await secret({ 'client-secret': client_secret })),
        server: plane.url,
        caSecretRef: ref(await secret({ 'ca.crt': plane.caPem })),
        ...more,
      },
    })
  }

  const userOn = async (name: string) => (await whoAmI((await scene.spokes.open(name)).kube)).username

  /** Of jane, for this client. */
  const login = (client: { client_id: string; client_secret: string }, scope: string) =>
    keycloak.ask(realmName, 'token', { grant_type: 'password', ...client, ...jane, scope })

  const offlineToken = async () => (await login(clients.delegate, 'openid offline_access'))['refresh_token'] ?? ''
  const revoke = (token: string) => keycloak.ask(realmName, 'revoke', { ...clients.delegate, token })

  test('by client credentials the cluster knows the hub as the service account of its client', async () => {
    const name = await configFor(clients.hub)
    await scene.reaches(name, 'True', 'OIDCValidated')
    await scene.reaches(name, 'True', 'PermissionsGranted', permissionsVerified)
    const { username, groups } = await whoAmI((await scene.spokes.open(name)).kube)
    assert.equal(username, 'keycloak:service-account-lanyard-hub')
    assert.ok(groups.includes('keycloak:fleet'), String(groups))
  })

  test('an IdentityProvider with a block for Keycloak gives the client and its secret', async () => {
    const { admin, plane, secret, ref, config } = scene
    const provider = uniqueName('keycloak')
    const certificateAuthority = keycloak.caPem
    await admin.of(IdentityProvider.resource).create({
      metadata: { name: provider },
      spec: {
        oidc: { authority: keycloak.issuer(realmName), clientID: 'people', certificateAuthority },
        groupSyncProvider: 'Keycloak',
        keycloak: {
          baseURL: keycloak.url,
          realm: realmName,
          clientID: clients.hub.client_id,
          clientSecretRef: ref(await secret({ 'client-secret': clients.hub.client_secret })),
          certificateAuthority,
        },
      },
    })
    const caSecretRef = ref(await secret({ 'ca.crt': plane.caPem }))
    const name = await config({ oidcFromIdentityProvider: { name: provider, server: plane.url, caSecretRef } })
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.equal(await userOn(name), 'keycloak:service-account-lanyard-hub')
  })

  test('a refresh token that was given is used until it is revoked, and a new one heals it', async () => {
    const { secret, ref } = scene
    const token = await offlineToken()
    const kept = await secret({ token })
    const name = await configFor(clients.delegate, { refreshTokenSecretRef: ref(kept), fallbackPolicy: 'None' })
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.equal(await userOn(name), 'keycloak:jane')
    await revoke(token)
    await scene.reaches(name, 'False', 'OIDCRefreshFailed')
    await scene.reaches(name, 'True', 'RefreshTokenRefused', refreshTokenExpired)
    await secret({ token: await offlineToken() }, kept)
    await scene.reaches(name, 'True', 'OIDCValidated')
    await scene.reaches(name, 'False', 'AuthRecovered', refreshTokenExpired)
  })

  test('with a warning, the client stands in for a refresh token that is revoked', async () => {
    const { secret, ref } = scene
    const token = await offlineToken()
    const refreshTokenSecretRef = ref(await secret({ token }))
    const name = await configFor(clients.delegate, { refreshTokenSecretRef, fallbackPolicy: 'Warn' })
    await scene.reaches(name, 'True', 'OIDCValidated')
    await revoke(token)
    await scene.reaches(name, 'True', 'FallbackSucceeded', degradedAuth)
    assert.equal((await scene.condition(name, ready))?.status, 'True')
    assert.equal(await userOn(name), 'keycloak:service-account-lanyard-delegate')
  })

  test('a token of somebody else is exchanged for one of the cluster', async () => {
    const { secret, ref } = scene
    const { access_token = '' } = await login(clients.portal, 'openid')
    const tokenExchange = { enabled: true, subjectTokenSecretRef: ref(await secret({ token: access_token })) }
    const name = await configFor(clients.exchanger, { tokenExchange })
    await scene.reaches(name, 'True', 'OIDCValidated')
    assert.equal(await userOn(name), 'keycloak:jane')
  })

  // Hence the docs leave actor tokens to other issuers. Where this fails, they may say more.
  test('an actor token is overlooked: nobody sees in the new token who acts', async () => {
    const { access_token: subject_token = '' } = await login(clients.portal, 'openid')
    const type = 'urn:ietf:params:oauth:token-type:access_token'
    const { access_token = '' } = await keycloak.ask(realmName, 'token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      ...clients.exchanger,
      ...{ subject_token, subject_token_type: type, actor_token: subject_token, actor_token_type: type },
    })
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())
    assert.deepEqual([claims.preferred_username, claims.act], ['jane', undefined])
  })

  test('a wrong secret of the client shows, and the right one heals it', async () => {
    const { secret, ref } = scene
    const kept = await secret({ 'client-secret': 'wrong' })
    const name = await configFor(clients.hub, { clientSecretRef: ref(kept) })
    await scene.reaches(name, 'False', 'OIDCTokenFetchFailed')
    await secret({ 'client-secret': clients.hub.client_secret }, kept)
    await scene.reaches(name, 'True', 'OIDCValidated')
  })

  test('a realm that is disabled gives no token, one that is gone is not discovered, and when it is back it heals', async () => {
    const refreshTokenSecretRef = scene.ref(await scene.secret({ token: await offlineToken() }))
    const name = await configFor(clients.hub)
    const delegated = await configFor(clients.delegate, { refreshTokenSecretRef, fallbackPolicy: 'None' })
    for (const one of [name, delegated]) await scene.reaches(one, 'True', 'OIDCValidated')
    await keycloak.manage('PUT', `/${realmName}`, { enabled: false })
    for (const one of [name, delegated]) await scene.reaches(one, 'False', 'OIDCTokenFetchFailed')
    // The refresh token itself is as good as before.
    assert.notEqual((await scene.condition(delegated, refreshTokenExpired))?.status, 'True')
    await keycloak.manage('PUT', `/${realmName}`, { enabled: true })
    for (const one of [name, delegated]) await scene.reaches(one, 'True', 'OIDCValidated')
    // By another name, which is faster than to make one: under this one there is none.
    await keycloak.manage('PUT', `/${realmName}`, { realm: 'elsewhere' })
    for (const one of [name, delegated]) await scene.reaches(one, 'False', 'OIDCDiscoveryFailed')
    await keycloak.manage('PUT', '/elsewhere', { realm: realmName })
    for (const one of [name, delegated]) await scene.reaches(one, 'True', 'OIDCValidated')
  })
})
