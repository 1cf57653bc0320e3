import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { request } from 'node:https'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { TestIssuer } from '../../../test/support/issuer.ts'
import { publicClientId, startIssuer } from '../../../test/support/issuer.ts'

interface Answer {
  status: number
  body: Record<string, string | number>
}

function call(issuer: TestIssuer, path: string, form?: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
    const options = { method: form ? 'POST' : 'GET', ca: issuer.caPem, headers, agent: false }
    const sent = request(`${issuer.issuer}${path}`, options, async (answer) => {
      const text = Buffer.concat(await Array.fromAsync<Buffer>(answer)).toString()
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) })
    })
    sent.on('error', reject)
    sent.end(form && new URLSearchParams(form).toString())
  })
}

const own = (issuer: TestIssuer) => ({ client_id: issuer.clientId, client_secret: issuer.clientSecret })
const ask = (issuer: TestIssuer, form: Record<string, string>) => call(issuer, '/token', { ...own(issuer), ...form })
const claimsOf = ({ body }: Answer) => decodeJwt(String(body['access_token']))
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const exchange = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token_type: accessTokenType }

test('it tells of itself as OpenID Connect has it', async (t) => {
  const issuer = await startIssuer(t)
  const { body } = await call(issuer, '/.well-known/openid-configuration')
  assert.equal(body['issuer'], issuer.issuer)
  assert.equal(body['token_endpoint'], `${issuer.issuer}/token`)
  const keys = await call(issuer, new URL(String(body['jwks_uri'])).pathname)
  const [key] = keys.body['keys'] as unknown as Record<string, string>[]
  assert.deepEqual([key?.['kty'], key?.['alg'], key?.['d']], ['RSA', 'RS256', undefined])
})

test('a client gets a token for the audience it asks for, with the claims it was given', async (t) => {
  const clock = new FakeClock()
  const issuer = await startIssuer(t, { claims: { groups: ['hub'], preferred_username: 'hub' }, clock })
  const form = { grant_type: 'client_credentials', scope: 'openid groups', audience: 'west' }
  const answer = await ask(issuer, form)
  assert.deepEqual([answer.status, answer.body['expires_in'], answer.body['token_type']], [200, 300, 'Bearer'])
  const { iss, sub, aud, iat, exp, groups, preferred_username } = claimsOf(answer)
  const now = clock.now().getTime() / 1000
  assert.deepEqual([iss, sub, aud, iat, exp], [issuer.issuer, issuer.clientId, 'west', now, now + 300])
  assert.deepEqual([groups, preferred_username], [['hub'], 'hub'])
  assert.deepEqual(issuer.requests, [{ ...form, ...own(issuer) }])
})

test('a URL is an audience like any other, and so is a resource', async (t) => {
  const issuer = await startIssuer(t)
  for (const by of ['audience', 'resource']) {
    const answer = await ask(issuer, { grant_type: 'client_credentials', [by]: 'https://127.0.0.1:6443' })
    assert.equal(claimsOf(answer).aud, 'https://127.0.0.1:6443')
  }
})

test('a wrong secret is refused', async (t) => {
  const issuer = await startIssuer(t)
  const form = { grant_type: 'client_credentials', client_id: issuer.clientId, client_secret: 'wrong' }
  const { status, body } = await call(issuer, '/token', form)
  assert.deepEqual([status, body['error']], [401, 'invalid_client'])
})

test('a refresh token brings tokens until it is revoked', async (t) => {
  const issuer = await startIssuer(t)
  const token = await issuer.offlineToken({ client: issuer.clientId, subject: 'jane', audience: 'west' })
  const form = { grant_type: 'refresh_token', refresh_token: token.reveal() }
  for (const _ of [1, 2]) {
    const { sub, aud } = claimsOf(await ask(issuer, form))
    assert.deepEqual([sub, aud], ['jane', 'west'])
  }
  await issuer.revoke(token)
  const { status, body } = await ask(issuer, form)
  assert.deepEqual([status, body['error']], [400, 'invalid_grant'])
})

test('a client without a secret may refresh, and nothing else', async (t) => {
  const issuer = await startIssuer(t)
  const token = await issuer.offlineToken({ client: publicClientId })
  const form = { client_id: publicClientId, grant_type: 'refresh_token', refresh_token: token.reveal() }
  assert.equal((await call(issuer, '/token', form)).status, 200)
  const own = await call(issuer, '/token', { client_id: publicClientId, grant_type: 'client_credentials' })
  assert.equal(own.status, 400)
  assert.equal((await ask(issuer, { grant_type: 'refresh_token', refresh_token: token.reveal() })).status, 400)
})

test('a rotated refresh token is good once, and brings the next one', async (t) => {
  const issuer = await startIssuer(t)
  issuer.settings.rotateRefreshTokens = true
  const token = await issuer.offlineToken({ client: issuer.clientId })
  const first = await ask(issuer, { grant_type: 'refresh_token', refresh_token: token.reveal() })
  const next = { grant_type: 'refresh_token', refresh_token: String(first.body['refresh_token']) }
  assert.notEqual(next.refresh_token, token.reveal())
  assert.equal((await ask(issuer, next)).status, 200)
  assert.equal((await ask(issuer, next)).body['error'], 'invalid_grant')
})

test('if told so, client credentials bring a refresh token for the same', async (t) => {
  const issuer = await startIssuer(t, { claims: { groups: ['hub'] } })
  const form = { grant_type: 'client_credentials', audience: 'west' }
  assert.equal((await ask(issuer, form)).body['refresh_token'], undefined)
  issuer.settings.giveRefreshTokens = true
  const { body } = await ask(issuer, form)
  const { sub, aud, groups } = claimsOf(
    await ask(issuer, { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) }),
  )
  assert.deepEqual([sub, aud, groups], [issuer.clientId, 'west', ['hub']])
})

test('an exchanged token is of the subject, names the actor and is for whom it was asked', async (t) => {
  const issuer = await startIssuer(t)
  const subject = await issuer.accessToken({ subject: 'jane', claims: { groups: ['ops'] } })
  const actor = await issuer.accessToken({ subject: 'robot' })
  const answer = await ask(issuer, {
    ...exchange,
    subject_token: subject.reveal(),
    actor_token: actor.reveal(),
    actor_token_type: accessTokenType,
    audience: 'west',
  })
  assert.deepEqual([answer.status, answer.body['issued_token_type']], [200, accessTokenType])
  const { sub, act, aud, groups, client_id } = claimsOf(answer)
  assert.deepEqual([sub, act, aud, groups], ['jane', { sub: 'robot' }, 'west', ['ops']])
  assert.equal(client_id, issuer.clientId)
  const alone = claimsOf(await ask(issuer, { ...exchange, subject_token: subject.reveal(), resource: 'https://w.io' }))
  assert.deepEqual([alone.sub, alone['act'], alone.aud], ['jane', undefined, 'https://w.io'])
})

test('an exchange that RFC 8693 does not allow is refused', async (t) => {
  const clock = new FakeClock()
  const issuer = await startIssuer(t, { clock })
  const other = await startIssuer(t, { clock })
  const subject = (await issuer.accessToken({ subject: 'jane' })).reveal()
  const foreign = (await other.accessToken({ subject: 'jane' })).reveal()
  const good = { ...exchange, subject_token: subject }
  const wrong: Record<string, string>[] = [
    { ...exchange, subject_token: '' },
    { grant_type: exchange.grant_type, subject_token: subject },
    { ...good, subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' },
    { ...good, subject_token: 'not-a-token' },
    { ...good, subject_token: foreign },
    { ...good, actor_token: subject },
    { ...good, actor_token_type: accessTokenType },
    { ...good, actor_token: 'not-a-token', actor_token_type: accessTokenType },
    { ...good, requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
  ]
  for (const form of wrong) {
    const { status, body } = await ask(issuer, form)
    assert.deepEqual([status, body['error']], [400, 'invalid_request'], JSON.stringify(form))
  }
  assert.equal((await ask(issuer, good)).status, 200)
  await clock.advance('301s')
  assert.equal((await ask(issuer, good)).body['error'], 'invalid_request')
})

test('it prints nothing', () => {
  const script = `
    import { publicClientId, startIssuer } from './test/support/issuer.ts'
    const ends = []
    const issuer = await startIssuer({ after: (end) => ends.push(end) })
    issuer.settings.giveRefreshTokens = true
    issuer.settings.rotateRefreshTokens = true
    const { request } = await import('node:https')
    const ask = (path, form) => new Promise((resolve) => {
      const sent = request(issuer.issuer + path, { method: form ? 'POST' : 'GET', ca: issuer.caPem, agent: false,
        headers: form ? { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://example.com' } : {} },
        (answer) => answer.resume().on('end', resolve))
      sent.end(form && new URLSearchParams({ client_id: issuer.clientId, client_secret: issuer.clientSecret, ...form }).toString())
    })
    for (const path of ['/.well-known/openid-configuration', '/jwks', '/auth?client_id=x', '/nothing']) await ask(path)
    await ask('/token', { grant_type: 'client_credentials', audience: 'a', scope: 'openid' })
    await ask('/token', { grant_type: 'client_credentials', client_secret: 'wrong' })
    await ask('/token', { grant_type: 'unknown' })
    await ask('/token', { grant_type: 'refresh_token', refresh_token: 'unknown' })
    const token = await issuer.offlineToken({ client: issuer.clientId })
    await ask('/token', { grant_type: 'refresh_token', refresh_token: token.reveal() })
    await ask('/token/revocation', { token: token.reveal() })
    for (const end of ends) await end()
  `
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
})
