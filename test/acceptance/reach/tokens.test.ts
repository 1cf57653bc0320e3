/** How the hub gets tokens for clusters that trust an identity provider, and whom it tells its secrets. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import type { OidcAuth } from '../../../src/apis/breakglass/oidc-fields.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { ScriptedIssuer, TestIssuer } from '../../support/issuer.ts'
import { clientId, secretOf, startIssuer, startScriptedIssuer } from '../../support/issuer.ts'
import type { ReachScene } from '../../support/reach-scene.ts'
import { reachScene } from '../../support/reach-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

/** What the cluster takes tokens for. */
const audience = clientId
const accessToken = 'urn:ietf:params:oauth:token-type:access_token'

describe('tokens for clusters', needsControlPlane, () => {
  const suite = suiteScope()
  let issuer: TestIssuer
  let plane: OwnControlPlane
  let scene: ReachScene
  /** Of the Secrets that every cluster here has. */
  let clientSecretRef: { name: string; namespace: string }
  let caSecretRef: { name: string; namespace: string }

  before(async () => {
    const others = { aud: audience }
    issuer = await startIssuer(suite, {
      claims: { groups: ['hub'] },
      clients: { fixed: others, people: others, keycloak: others, override: others },
    })
    plane = await startControlPlane(suite, { controllers: false, oidc: issuer.trust(audience) })
    scene = await reachScene(suite, plane)
    clientSecretRef = scene.ref(await scene.secret({ 'client-secret': `${issuer.clientSecret}\n` }))
    caSecretRef = scene.ref(await scene.secret({ 'ca.crt': plane.caPem }))
  })

  const by = (more: Partial<OidcAuth> = {}, from: TestIssuer | ScriptedIssuer = issuer) => {
    const { audience: _, ...auth } = from.auth(plane.url)
    return scene.config({ oidcAuth: { ...auth, clientSecretRef, caSecretRef, ...more } })
  }
  const requestsOf = (client: string) => issuer.requests.filter((form) => form['client_id'] === client)
  const userOf = async (cluster: string) => whoAmI((await scene.spokes.open(cluster)).kube)

  test('A17: client credentials bring a token that opens the cluster, asked for as the contract says', async () => {
    const cluster = await by({ audience, scopes: ['groups', 'email'] })
    await scene.reaches(cluster, 'True', 'OIDCValidated')
    assert.deepEqual(requestsOf(clientId), [
      {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: issuer.clientSecret,
        scope: 'openid groups email',
        audience,
      },
    ])
    assert.deepEqual(await userOf(cluster), { username: issuer.user, groups: ['oidc:hub', 'system:authenticated'] })

    const secret = await scene.secret({ 'client-secret': secretOf('fixed') })
    const bare = await by({ clientID: 'fixed', clientSecretRef: scene.ref(secret) })
    await scene.reaches(bare, 'True', 'OIDCValidated')
    const [{ scope, audience: asked } = {}] = requestsOf('fixed')
    assert.deepEqual([scope, asked], ['openid', plane.url])
  })

  test('A20: nothing secret goes to a token endpoint that is not the issuer’s own', async (t) => {
    const elsewhere = await startScriptedIssuer(t)
    const wrong: [document: (issuer: string) => object, why: RegExp][] = [
      [() => ({ token_endpoint: `${elsewhere.issuer}/token` }), /another origin/],
      [(own) => ({ token_endpoint: `${own.replace('127.0.0.1', 'localhost')}/token` }), /another origin/],
      [(own) => ({ token_endpoint: `${own.replace('//', '//hub:word@')}/token` }), /user name or password/],
      [(own) => ({ token_endpoint: `${own}/token#here` }), /fragment/],
      [() => ({ token_endpoint: 'http://idp.example.com/token' }), /not https/],
      [() => ({ issuer: elsewhere.issuer }), /another issuer/],
    ]
    for (const [document, why] of wrong) {
      const crooked = await startScriptedIssuer(t)
      const sound = crooked.document
      crooked.document = { ...sound, ...document(crooked.issuer) }
      const cluster = await by({ audience, certificateAuthority: crooked.caPem + elsewhere.caPem }, crooked)
      assert.match((await scene.reaches(cluster, 'False', 'OIDCDiscoveryFailed')).message, why)
      assert.deepEqual(crooked.requests, [])
      crooked.document = sound
      await scene.asked(cluster)
      assert.equal(crooked.requests[0]?.['client_secret'], issuer.clientSecret)
    }
    assert.deepEqual(elsewhere.paths, [])
  })

  test('A24: a token is exchanged for one of the cluster, by what was told and no more', async () => {
    const subject = (await issuer.accessToken({ subject: 'jane', claims: { groups: ['ops'] } })).reveal()
    const subjectTokenSecretRef = scene.ref(await scene.secret({ token: `  ${subject}\n` }))
    const bare = await by({ tokenExchange: { enabled: true, subjectTokenSecretRef } })
    await scene.reaches(bare, 'True', 'OIDCValidated')
    assert.deepEqual(await userOf(bare), { username: 'oidc:jane', groups: ['oidc:ops', 'system:authenticated'] })
    const base = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: clientId,
      client_secret: issuer.clientSecret,
      subject_token: subject,
      subject_token_type: accessToken,
      requested_token_type: accessToken,
    }
    assert.deepEqual(issuer.requestsOf(base.grant_type), [base])

    const jwt = 'urn:ietf:params:oauth:token-type:jwt'
    const resource = 'https://west.example.com'
    const types = { subjectTokenType: jwt, requestedTokenType: jwt }
    const tokenExchange = { enabled: true, subjectTokenSecretRef, resource, ...types }
    const told = await by({ audience, scopes: ['groups', 'email'], tokenExchange })
    await scene.reaches(told, 'True', 'OIDCValidated')
    assert.deepEqual(issuer.requestsOf(base.grant_type).at(-1), {
      ...base,
      ...{ subject_token_type: jwt, requested_token_type: jwt },
      ...{ audience, resource, scope: 'groups email' },
    })
  })

  test('A25: who acts is shown where a Secret holds their token, and only there', async () => {
    const tokenOf = async (subject: string) => (await issuer.accessToken({ subject })).reveal()
    const [subject, actor] = [await tokenOf('june'), await tokenOf('robot')]
    const subjectTokenSecretRef = scene.ref(await scene.secret({ token: subject }))
    const actorTokenSecretRef = scene.ref(await scene.secret({ token: `${actor}\n` }))
    const requests = () => issuer.requests.filter((form) => form['subject_token'] === subject)

    const alone = await by({ tokenExchange: { enabled: true, subjectTokenSecretRef } })
    await scene.reaches(alone, 'True', 'OIDCValidated')
    const [first = {}] = requests()
    assert.deepEqual(['actor_token' in first, 'actor_token_type' in first], [false, false])

    const acting = await by({ tokenExchange: { enabled: true, subjectTokenSecretRef, actorTokenSecretRef } })
    await scene.reaches(acting, 'True', 'OIDCValidated')
    const last = requests().at(-1)
    assert.deepEqual([last?.['actor_token'], last?.['actor_token_type']], [actor, accessToken])
    assert.equal((await userOf(acting)).username, 'oidc:june')
  })

  test('A26: an IdentityProvider says who the issuer and the client are, unless the ClusterConfig does', async () => {
    const secretRefOf = async (client: string) => scene.ref(await scene.secret({ 'client-secret': secretOf(client) }))
    const oidc = { authority: issuer.issuer, clientID: 'people', certificateAuthority: issuer.caPem }
    const keycloak = {
      ...{ baseURL: issuer.issuer, realm: 'fleet', clientID: 'keycloak' },
      clientSecretRef: await secretRefOf('keycloak'),
    }
    const whole = await scene.provider({ oidc, groupSyncProvider: 'Keycloak', keycloak })
    const plain = await scene.provider({ oidc })
    const from = (name: string, more: object = {}) =>
      scene.config({ oidcFromIdentityProvider: { name, server: plane.url, caSecretRef, ...more } })
    const secrets = () => issuer.requests.map((form) => [form['client_id'], form['client_secret']])

    const cases: [cluster: Promise<string>, client: string, secret: string][] = [
      [from(whole), 'keycloak', 'keycloak'],
      [from(whole, { clientID: 'override', clientSecretRef: await secretRefOf('override') }), 'override', 'override'],
      [from(plain, { clientSecretRef: await secretRefOf('people') }), 'people', 'people'],
    ]
    for (const [cluster, client, secret] of cases) {
      await scene.reaches(await cluster, 'True', 'OIDCValidated')
      assert.ok(
        secrets().some((pair) => pair[0] === client && pair[1] === secretOf(secret)),
        client,
      )
    }
    // Each half by its own order: a client of one's own, with the secret of the provider.
    await scene.reaches(await from(whole, { clientID: 'override' }), 'False', 'OIDCTokenFetchFailed')
    assert.ok(secrets().some(([client, secret]) => client === 'override' && secret === secretOf('keycloak')))

    const missing = await from('nobody')
    assert.match((await scene.reaches(missing, 'False', 'ValidationFailed')).message, /nobody does not exist/)
    const cluster = await from(whole)
    await scene.reaches(cluster, 'True', 'OIDCValidated')
    const disable = (disabled: boolean) =>
      scene.admin.of(IdentityProvider.resource).patch(whole, { type: 'merge', body: { spec: { disabled } } })
    await disable(true)
    assert.match((await scene.reaches(cluster, 'False', 'ValidationFailed')).message, /is disabled/)
    await disable(false)
    await scene.reaches(cluster, 'True', 'OIDCValidated')
  })

  test('A73: an issuer with a CA of its own is verified against it, at discovery and at each token', async (t) => {
    await scene.reaches(await by({ audience }), 'True', 'OIDCValidated')
    const { certificateAuthority: _, ...unvouched } = issuer.auth(plane.url, audience)
    const cluster = await scene.config({ oidcAuth: { ...unvouched, clientSecretRef, caSecretRef } })
    const { message } = await scene.reaches(cluster, 'False', 'OIDCDiscoveryFailed')
    assert.match(message, /its certificate cannot be trusted: it is signed by an unknown authority/)
    await scene.change(cluster, { spec: { oidcAuth: { certificateAuthority: issuer.caPem } } })
    await scene.reaches(cluster, 'True', 'OIDCValidated')

    // The issuer is known already when somebody else takes its place.
    const scripted = await startScriptedIssuer(t)
    scripted.answer = () => ({ body: { access_token: 'for-once', token_type: 'Bearer', expires_in: 0 } })
    const other = await by({ audience }, scripted)
    await scene.reaches(other, 'False', 'ClusterUnreachable')
    await scripted.replaceCertificate()
    const seen = scripted.paths.length
    await scene.asked(other)
    const failed = await scene.condition(other, 'Ready')
    assert.equal(failed?.reason, 'OIDCTokenFetchFailed')
    assert.match(failed?.message ?? '', /its certificate cannot be trusted/)
    assert.equal(scripted.paths.length, seen)
  })
})
