import assert from 'node:assert/strict'
import { createPublicKey, sign } from 'node:crypto'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { startHttpsServer } from '../../../test/support/https-server.ts'
import { silentLog } from '../../core/log.ts'
import { generateKey } from '../../pki/index.ts'
import { BearerToken } from './bearer-token.ts'
import type { JwtFields } from './file-schema.ts'
import { OidcIssuers } from './oidc-issuers.ts'

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A provider whose keys can be changed, and which can be away. */
async function startProvider(t: TestContext) {
  let keys = [{ kid: 'first', ...generateKey() }]
  const state = { isAway: false, name: undefined as string | undefined, asked: [] as string[] }
  const server = await startHttpsServer(t, ({ path }) => {
    state.asked.push(path)
    if (state.isAway) return undefined
    if (path === '/keys')
      return {
        keys: keys.map(({ kid, publicKeyPem }) => ({
          ...createPublicKey(publicKeyPem).export({ format: 'jwk' }),
          kid,
          alg: 'ES256',
          use: 'sig',
        })),
      }
    return { issuer: state.name ?? server.url, jwks_uri: `${server.url}/keys` }
  })
  const token = (claims: object = {}, at = 0, kid = keys[at]?.kid) => {
    const body = { iss: server.url, aud: 'kube', sub: 'jane', exp: 4_000_000_000, ...claims }
    const signed = `${encode({ alg: 'ES256', kid })}.${encode(body)}`
    const key = { key: keys[at]?.keyPem.reveal() ?? '', dsaEncoding: 'ieee-p1363' } as const
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }
  return {
    ...server,
    state,
    token,
    rotate: (kid: string) => {
      keys = [{ kid, ...generateKey() }]
    },
    authenticator: (more: object = {}): JwtFields => ({
      issuer: { url: server.url, audiences: ['kube'], certificateAuthority: server.caPem },
      claimMappings: { username: { claim: 'sub', prefix: '' } },
      ...more,
    }),
    askedFor: (path: string) => state.asked.filter((asked) => asked === path).length,
  }
}

async function scene(
  t: TestContext,
  prepare: (state: { isAway: boolean; name: string | undefined }) => void = () => {},
) {
  const provider = await startProvider(t)
  prepare(provider.state)
  const clock = new FakeClock()
  const issuers = new OidcIssuers({ clock, log: silentLog, audiences: ['api'] }, [provider.authenticator()])
  const stop = new AbortController()
  const running = issuers.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await running
  })
  const judge = (token: string, audiences = ['api']) => issuers.authenticate(new BearerToken(token), audiences)
  const asked = async (count: number) => {
    while (provider.state.asked.length < count) await new Promise((resolve) => setImmediate(resolve))
    await clock.settle(50)
  }
  const known = async () => {
    for (let verdict = await judge(provider.token()); !verdict || !('user' in verdict); ) {
      await clock.settle()
      verdict = await judge(provider.token())
    }
  }
  const whyNot = async (token: string) => {
    const verdict = await judge(token)
    return verdict && 'error' in verdict ? verdict.error : verdict
  }
  return { provider, clock, issuers, judge, asked, known, whyNot }
}

describe('OpenID providers', () => {
  test('a token of a known provider makes a user', async (t) => {
    const { provider, judge, known } = await scene(t)
    await known()
    assert.deepEqual(await judge(provider.token()), { user: { name: 'jane', groups: [] }, audiences: ['api'] })
    assert.equal(await judge(provider.token(), ['vault']), undefined)
    assert.equal(await judge(provider.token({ iss: 'https://other' })), undefined)
    assert.equal(await judge('opaque'), undefined)
  })

  test('a provider that is away is asked again every ten seconds, and its tokens are refused until then', async (t) => {
    const { provider, clock, whyNot, asked, known } = await scene(t, (state) => {
      state.isAway = true
    })
    await asked(1)
    assert.equal(await whyNot(provider.token()), 'oidc: authenticator not initialized')
    provider.state.isAway = false
    // Its answer may come later than its question was heard.
    while ((clock.nextDue?.getTime() ?? 0) - clock.now().getTime() !== 10_000) await clock.settle()
    await clock.advance('9s')
    assert.equal(provider.state.asked.length, 1)
    await clock.advance('1s')
    await known()
  })

  test('a provider that calls itself something else is not believed', async (t) => {
    const { provider, whyNot, asked } = await scene(t, (state) => {
      state.name = 'https://other'
    })
    await asked(1)
    assert.equal(await whyNot(provider.token()), 'oidc: authenticator not initialized')
  })

  test('tokens that are over, early, for others or not signed are refused', async (t) => {
    const { provider, known, whyNot } = await scene(t)
    await known()
    const early = Date.parse('2026-01-01T00:05:01Z') / 1000
    assert.equal(
      await whyNot(provider.token({ exp: 1 })),
      'oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:01 +0000 UTC)',
    )
    assert.match(String(await whyNot(provider.token({ exp: 'soon' }))), /token is expired/)
    assert.match(String(await whyNot(provider.token({ nbf: early }))), /before the nbf/)
    assert.equal(
      await whyNot(provider.token({ aud: ['a', 'b'] })),
      'oidc: verify token: oidc: expected audience "kube" got ["a" "b"]',
    )
    const [head, , signature] = provider.token().split('.')
    const forged = [head, provider.token({ sub: 'root' }).split('.')[1], signature].join('.')
    assert.match(String(await whyNot(forged)), /^oidc: verify token: failed to verify signature/)
    const [, body] = provider.token().split('.')
    assert.match(String(await whyNot([encode({ alg: 'HS256', kid: 'first' }), body, signature].join('.'))), /signature/)
  })

  test('a key that is new is asked for, at most once a second', async (t) => {
    const { provider, clock, known, judge, whyNot } = await scene(t)
    await known()
    assert.equal(provider.askedFor('/keys'), 1)
    for (let round = 0; round < 5; round++)
      assert.match(String(await whyNot(provider.token({ round }, 0, 'unheard-of'))), /signature/)
    assert.equal(provider.askedFor('/keys'), 1)
    provider.rotate('second')
    await clock.advance('1s')
    assert.ok('user' in ((await judge(provider.token())) ?? {}))
    assert.equal(provider.askedFor('/keys'), 2)
  })

  test('a key that was withdrawn counts for ten seconds at most, for tokens that were seen before', async (t) => {
    const { provider, clock, known, judge } = await scene(t)
    await known()
    const [seen, unseen] = [provider.token(), provider.token({ other: 1 })]
    assert.ok('user' in ((await judge(seen)) ?? {}))
    provider.rotate('second')
    await clock.advance('9s')
    await judge(provider.token())
    assert.ok('user' in ((await judge(seen)) ?? {}))
    assert.ok('error' in ((await judge(unseen)) ?? {}))
    await clock.advance('1s')
    assert.ok('error' in ((await judge(seen)) ?? {}))
  })

  test('providers can be replaced, and one that stays need not be asked again', async (t) => {
    const { provider, issuers, known, judge } = await scene(t)
    await known()
    const mapped = { claimMappings: { username: { claim: 'sub', prefix: 'new:' } } }
    issuers.replace([provider.authenticator(mapped)])
    assert.deepEqual(await judge(provider.token()), { user: { name: 'new:jane', groups: [] }, audiences: ['api'] })
    assert.equal(provider.askedFor('/.well-known/openid-configuration'), 1)
    issuers.replace([])
    assert.equal(await judge(provider.token()), undefined)
  })
})
