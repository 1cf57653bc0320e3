/** Tokens of OpenID providers, told of by a structured configuration or by the options that came before it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { stringify } from 'yaml'
import type { Secret } from '../../../src/core/secret.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { tokenReviews } from '../../../src/kube/kinds.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { reviewSelf } from '../../support/self-review.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TokenIssuer } from '../../support/token-issuer.ts'
import { startTokenIssuer } from '../../support/token-issuer.ts'
import { whoAmI } from '../../support/who-am-i.ts'

/** One control plane for all of them: each provider is configured in a way of its own. */
const authenticators = {
  plain: {
    issuer: { audiences: ['kube'] },
    claimMappings: { username: { claim: 'sub', prefix: 'plain:' }, groups: { claim: 'groups', prefix: 'g:' } },
  },
  several: {
    issuer: { audiences: ['kube', 'fleet'], audienceMatchPolicy: 'MatchAny' },
    claimMappings: { username: { claim: 'email', prefix: '' }, uid: { claim: 'sub' } },
  },
  expressive: {
    issuer: { audiences: ['kube'] },
    claimMappings: {
      username: { expression: '"x:" + claims.sub' },
      groups: { expression: 'claims.?roles.orValue([])' },
      uid: { expression: 'claims.?id.orValue("none")' },
      extra: [
        { key: 'acme.io/team', valueExpression: 'claims.?team.orValue("")' },
        { key: 'acme.io/sites', valueExpression: 'claims.?sites.orValue([])' },
      ],
    },
  },
  strict: {
    issuer: { audiences: ['kube'] },
    claimMappings: { username: { claim: 'sub', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
    claimValidationRules: [
      { claim: 'hd', requiredValue: 'acme.io' },
      { expression: 'claims.exp - claims.iat <= 3600', message: 'a token may live for an hour' },
    ],
    userValidationRules: [
      { expression: "!user.username.startsWith('system:')", message: 'system: is reserved' },
      { expression: "user.groups.all(group, !group.startsWith('system:'))", message: 'groups of system: are reserved' },
    ],
  },
}

type Provider = keyof typeof authenticators

describe('a structured authentication configuration', needsControlPlane, () => {
  let endSuite: () => void | Promise<void> = () => {}
  const suite: TestScope = {
    after: (action) => {
      endSuite = action
    },
  }
  after(() => endSuite())

  let plane: OwnControlPlane
  let admin: KubeClient
  const issuers = new Map<Provider, TokenIssuer>()
  const issuer = (name: Provider) => issuers.get(name) ?? assert.fail(name)

  before(async () => {
    const jwt: object[] = []
    for (const [name, given] of Object.entries(authenticators)) {
      const started = await startTokenIssuer(suite)
      issuers.set(name as Provider, started)
      const { url, caPem: certificateAuthority } = started
      jwt.push({ ...given, issuer: { ...given.issuer, url, certificateAuthority } })
    }
    plane = await startControlPlane(suite, {
      controllers: false,
      authenticationConfig: stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthenticationConfiguration',
        jwt,
      }),
    })
    admin = kubeClient(suite, plane.connection())
  })

  const bearer = (t: TestScope, token: Secret) => kubeClient(t, plane.connection({ authorization: token }))
  const as = (t: TestScope, name: Provider, claims: Record<string, unknown>) => bearer(t, issuer(name).token(claims))

  /** What the server holds against a token, once it has heard from the provider. */
  const whyNot = (name: Provider, claims: Record<string, unknown>) =>
    eventually('the provider is known', async () => {
      const { status } = await admin.of(tokenReviews).create({ spec: { token: issuer(name).token(claims).reveal() } })
      assert.notEqual(status?.authenticated, true)
      return status?.error !== '[invalid bearer token, oidc: authenticator not initialized]' && status?.error
    })

  const userOf = (t: TestScope, name: Provider, claims: Record<string, unknown>) =>
    eventually('the provider is known', () => reviewSelf(as(t, name, claims)).catch(() => undefined))

  test('E15: claims are mapped to user and groups, with their prefixes', async (t) => {
    assert.deepEqual(await userOf(t, 'plain', { aud: 'kube', sub: 'jane', groups: ['dev', 'ops'] }), {
      username: 'plain:jane',
      groups: ['g:dev', 'g:ops', 'system:authenticated'],
    })
  })

  test('E15: a single group need not be in a list, and no group is fine', async (t) => {
    const one = await userOf(t, 'plain', { aud: 'kube', sub: 'jane', groups: 'dev' })
    assert.deepEqual(one.groups, ['g:dev', 'system:authenticated'])
    const none = await userOf(t, 'plain', { aud: 'kube', sub: 'jane' })
    assert.deepEqual(none.groups, ['system:authenticated'])
  })

  test('E15: the id of a token is told as that of the credential', async (t) => {
    const user = await userOf(t, 'plain', { aud: 'kube', sub: 'jane', jti: 'id-1' })
    assert.deepEqual(user.extra, { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] })
  })

  test('E15: a token for another audience is refused', async () => {
    assert.equal(
      await whyNot('plain', { aud: 'other', sub: 'jane' }),
      '[invalid bearer token, oidc: verify token: oidc: expected audience "kube" got ["other"]]',
    )
  })

  test('E15: of several audiences one is enough', async (t) => {
    const { username, uid } = await userOf(t, 'several', { aud: ['fleet', 'else'], email: 'j@x.io', sub: 'jane' })
    assert.deepEqual([username, uid], ['j@x.io', 'jane'])
    assert.equal(
      await whyNot('several', { aud: 'else', email: 'j@x.io', sub: 'jane' }),
      '[invalid bearer token, oidc: verify token: oidc: expected audience in ["fleet" "kube"] got ["else"]]',
    )
  })

  test('E15: an expired token is refused', async (t) => {
    await userOf(t, 'plain', { aud: 'kube', sub: 'jane' })
    assert.match(
      await whyNot('plain', { aud: 'kube', sub: 'jane', exp: 1 }),
      /^\[invalid bearer token, oidc: verify token: oidc: token is expired \(Token Expiry: 1970-01-01 00:00:01 \+0000 UTC\)\]$/,
    )
    await assert.rejects(whoAmI(as(t, 'plain', { aud: 'kube', sub: 'jane', exp: 1 })), isUnauthorized)
  })

  test('E15: a token that somebody else signed is refused', async (t) => {
    await userOf(t, 'plain', { aud: 'kube', sub: 'jane' })
    const forged = issuer('several').token({ iss: issuer('plain').url, aud: 'kube', sub: 'jane' })
    await assert.rejects(whoAmI(bearer(t, forged)), isUnauthorized)
  })

  test('E15: a token of a provider that is not configured is refused', async (t) => {
    const unknown = issuer('plain').token({ iss: 'https://idp.example.com', aud: 'kube', sub: 'jane' })
    await assert.rejects(whoAmI(bearer(t, unknown)), isUnauthorized)
  })

  test('E15: a token without the claim of the user is refused', async () => {
    assert.equal(
      await whyNot('several', { aud: 'kube', sub: 'jane' }),
      '[invalid bearer token, oidc: parse username claims "email": claim not present]',
    )
  })

  test('E15: an email that its provider has not verified is nobody', async (t) => {
    const claims = { aud: 'kube', email: 'j@x.io', sub: 'jane' }
    assert.equal((await userOf(t, 'several', { ...claims, email_verified: true })).username, 'j@x.io')
    assert.equal(
      await whyNot('several', { ...claims, email_verified: false }),
      '[invalid bearer token, oidc: email not verified]',
    )
  })

  test('E15: expressions make user, groups, uid and extra out of claims', async (t) => {
    const claims = { aud: 'kube', sub: 'jane', roles: ['dev', 'ops'], id: 'u-1', team: 'blue', sites: ['a', '', 'b'] }
    assert.deepEqual(await userOf(t, 'expressive', claims), {
      username: 'x:jane',
      uid: 'u-1',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'acme.io/team': ['blue'], 'acme.io/sites': ['a', 'b'] },
    })
    assert.deepEqual(await userOf(t, 'expressive', { aud: 'kube', sub: 'jane' }), {
      username: 'x:jane',
      uid: 'none',
      groups: ['system:authenticated'],
    })
  })

  test('E15: a claim that must have a value is checked', async (t) => {
    const claims = { aud: 'kube', sub: 'jane' }
    assert.equal((await userOf(t, 'strict', { ...claims, hd: 'acme.io' })).username, 'jane')
    assert.equal(
      await whyNot('strict', claims),
      '[invalid bearer token, oidc: required claim hd not present in ID token]',
    )
    assert.equal(
      await whyNot('strict', { ...claims, hd: 'other.io' }),
      '[invalid bearer token, oidc: required claim hd value does not match. Got = other.io, want = acme.io]',
    )
  })

  test('E15: rules over claims must hold', async () => {
    assert.equal(
      await whyNot('strict', { aud: 'kube', sub: 'jane', hd: 'acme.io', exp: 4_000_000_000 }),
      "[invalid bearer token, oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat <= 3600' failed: a token may live for an hour]",
    )
  })

  test('E15: rules over the user must hold', async () => {
    assert.equal(
      await whyNot('strict', { aud: 'kube', sub: 'system:admin', hd: 'acme.io' }),
      "[invalid bearer token, oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('system:')' failed: system: is reserved]",
    )
    assert.match(
      await whyNot('strict', { aud: 'kube', sub: 'jane', hd: 'acme.io', groups: ['dev', 'system:masters'] }),
      /failed: groups of system: are reserved\]$/,
    )
  })
})

describe('an OpenID provider given by options', needsControlPlane, () => {
  test('E15: without a prefix the user is named after the provider, unless it is an email', async (t) => {
    const issuer = await startTokenIssuer(t)
    const { url: issuerUrl, caPem } = issuer
    const plane = await startControlPlane(t, { controllers: false, oidc: { issuerUrl, clientId: 'kube', caPem } })
    const client = kubeClient(t, plane.connection({ authorization: issuer.token({ aud: 'kube', sub: 'jane' }) }))
    const user = await eventually('the provider is known', () => whoAmI(client).catch(() => undefined))
    assert.deepEqual(user, { username: `${issuerUrl}#jane`, groups: ['system:authenticated'] })
  })

  test('E15: the server starts while the provider is away', async (t) => {
    const plane = await startControlPlane(t, {
      controllers: false,
      oidc: { issuerUrl: 'https://127.0.0.1:1', clientId: 'kube' },
    })
    const admin = kubeClient(t, plane.connection())
    const claims = Buffer.from(JSON.stringify({ iss: 'https://127.0.0.1:1', aud: 'kube' })).toString('base64url')
    const { status } = await admin.of(tokenReviews).create({ spec: { token: `e30.${claims}.e30` } })
    assert.deepEqual(status, { user: {}, error: '[invalid bearer token, oidc: authenticator not initialized]' })
  })
})
