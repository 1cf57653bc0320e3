import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { JWK } from 'jose'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import type { Verdict } from './contract.ts'
import { jwtAuthenticator } from './jwt.ts'

type Algorithm = 'RS256' | 'ES256' | 'PS256'

/** An issuer on the loopback interface, whose keys can be changed and whose server can fail. */
async function anIssuer(t: TestContext, alg: Algorithm = 'ES256') {
  const keys: JWK[] = []
  const state = { fails: false, asked: 0 }
  const server = createServer((_, response) => {
    state.asked += 1
    if (state.fails) response.writeHead(500).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  server.unref()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const newKey = async () => {
    const { publicKey, privateKey } = await generateKeyPair(alg)
    const kid = `key-${keys.length}`
    keys.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' })
    return { kid, privateKey }
  }
  let key = await newKey()
  const settings = { issuerUrl: url, jwksUrl: `${url}/keys`, audience: 'us', identityClaim: 'email' }
  return {
    state,
    settings,
    rotate: async () => {
      key = await newKey()
    },
    token: async (claims: Record<string, unknown> = {}) => {
      const now = Math.floor(systemClock.now().getTime() / 1_000)
      const payload = { iss: url, aud: 'us', exp: now + 60, email: 'a@example.com', ...claims }
      return Secret.of(await new SignJWT(payload).setProtectedHeader({ alg, kid: key.kid }).sign(key.privateKey))
    },
  }
}

const { signal } = new AbortController()
const told = (verdict: Verdict | undefined) =>
  verdict && ('identity' in verdict ? verdict.identity.name : verdict.refused)

for (const alg of ['RS256', 'ES256'] as const)
  test(`a token signed by ${alg} is taken, and its keys are fetched once`, async (t) => {
    const issuer = await anIssuer(t, alg)
    const authenticate = jwtAuthenticator([issuer.settings], { clock: systemClock, log: silentLog })
    for (let n = 0; n < 3; n += 1)
      assert.equal(told(await authenticate(await issuer.token({ n }), signal)), 'a@example.com')
    assert.equal(issuer.state.asked, 1)
  })

test('another algorithm is refused, though the issuer has a key for it', async (t) => {
  const issuer = await anIssuer(t, 'PS256')
  const authenticate = jwtAuthenticator([issuer.settings], { clock: systemClock, log: silentLog })
  assert.equal(told(await authenticate(await issuer.token(), signal)), 'wrong')
})

test('keys that cannot be fetched say nothing about a token, and what was seen before stays good', async (t) => {
  const issuer = await anIssuer(t)
  const authenticate = jwtAuthenticator([issuer.settings], { clock: systemClock, log: silentLog })
  issuer.state.fails = true
  const token = await issuer.token()
  assert.equal(told(await authenticate(token, signal)), 'unavailable')
  issuer.state.fails = false
  assert.equal(told(await authenticate(token, signal)), 'a@example.com')
  issuer.state.fails = true
  assert.equal(told(await authenticate(token, signal)), 'a@example.com')
})

test('tokens of others are left to others', async (t) => {
  const issuer = await anIssuer(t)
  const authenticate = jwtAuthenticator([issuer.settings], { clock: systemClock, log: silentLog })
  assert.equal(await authenticate(await issuer.token({ iss: 'https://elsewhere.example.com' }), signal), undefined)
  assert.equal(await authenticate(Secret.of('no token'), signal), undefined)
  assert.equal(await authenticate(Secret.of('a.b.c'), signal), undefined)
})
