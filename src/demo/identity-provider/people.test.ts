import assert from 'node:assert/strict'
import { request } from 'node:https'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { issueForServer, testAuthority } from '../../../test/support/control-plane/identities.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { systemClock } from '../../core/clock.ts'
import { startIdentityProvider } from './index.ts'

const alice = { username: 'alice', email: 'alice@example.com', name: 'Alice', groups: ['developers'] }
const grant = 'urn:ietf:params:oauth:grant-type:device_code'

async function provider(t: TestScope) {
  const authority = await testAuthority('demo-people')
  const running = await startIdentityProvider({
    certificate: await issueForServer(authority, { ipAddresses: ['127.0.0.1'] }),
    clients: [{ id: 'people', forPeople: true }],
    people: [alice],
    clock: systemClock,
  })
  teardown(t, async () => await running[Symbol.asyncDispose]())
  const call = (path: string, form?: Record<string, string>) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
      const options = { method: form ? 'POST' : 'GET', ca: authority.certPem, headers, agent: false }
      const sent = request(`${running.issuer}${path}`, options, async (answer) => {
        const text = Buffer.concat(await Array.fromAsync<Buffer>(answer)).toString()
        resolve({ status: answer.statusCode ?? 0, text })
      })
      sent.on('error', reject)
      sent.end(form && new URLSearchParams(form).toString())
    })
  const json = async (path: string, form?: Record<string, string>) => JSON.parse((await call(path, form)).text)
  const begin = () => json('/device/auth', { client_id: 'people', scope: 'openid email groups' })
  const poll = (code: string) => json('/token', { client_id: 'people', grant_type: grant, device_code: code })
  return { running, call, json, begin, poll }
}

test('somebody picks their account on the page, and the device that shows the code is theirs', async (t) => {
  const { running, call, json, begin, poll } = await provider(t)
  const document = await json('/.well-known/openid-configuration')
  assert.equal(document.device_authorization_endpoint, `${running.issuer}/device/auth`)
  const begun = await begin()
  assert.equal(begun.verification_uri, `${running.issuer}/device`)
  assert.equal((await poll(begun.device_code)).error, 'authorization_pending')
  const shown = await call(begun.verification_uri_complete.slice(running.issuer.length))
  assert.ok(shown.text.includes('alice@example.com, in developers'), shown.text)
  const picked = await call('/device', { user_code: begun.user_code.toLowerCase(), account: 'alice' })
  assert.deepEqual([picked.status, picked.text.includes('Alice is logged in')], [200, true])
  const tokens = await poll(begun.device_code)
  const { aud, email, preferred_username, groups, iss } = decodeJwt(tokens.access_token)
  assert.deepEqual([aud, email, preferred_username, groups], ['people', alice.email, 'alice', ['developers']])
  assert.equal(iss, running.issuer)
  const next = await json('/token', {
    client_id: 'people',
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  })
  assert.equal(decodeJwt(next.access_token)['email'], alice.email)
  const again = await call('/device', { user_code: begun.user_code, account: 'alice' })
  assert.deepEqual([again.status, again.text.includes('used already')], [400, true])
})

test('a code that nobody was shown is refused, and nothing of it is taken for markup', async (t) => {
  const { running, call, begin, poll } = await provider(t)
  assert.equal((await call('/device?user_code=<b>')).status, 400)
  assert.ok(!(await call('/device?user_code=<b>')).text.includes('<b>'))
  assert.equal((await call('/device', { user_code: 'AAAA-AAAA', account: 'alice' })).status, 400)
  const begun = await begin()
  await assert.rejects(running.logIn(begun.user_code, 'mallory'), /mallory/)
  await running.logIn(begun.user_code, 'alice')
  assert.ok((await poll(begun.device_code)).access_token)
  await assert.rejects(running.logIn(begun.user_code, 'alice'), /used/)
})
