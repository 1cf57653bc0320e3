import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { silentLog } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import { serviceAccountAuthenticator } from './service-accounts.ts'

const { signal } = new AbortController()

/** A token that claims to be a service account's. Nothing signs it: the API server of the test knows which one is real. */
const claiming = (id: string) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return Secret.of(`${part({ alg: 'RS256' })}.${part({ sub: 'system:serviceaccount:a:b', jti: id })}.signature`)
}

function anApiServer(real: Secret) {
  const asked = new Map<string, number>()
  const request = async ({ body }: { body?: unknown }) => {
    const { token } = (body as { spec: { token: string } }).spec
    asked.set(token, (asked.get(token) ?? 0) + 1)
    const authenticated = token === real.reveal()
    return { status: { authenticated, audiences: ['us'], user: { username: 'system:serviceaccount:a:b' } } }
  }
  return { asked, kube: async () => ({ request }) as never }
}

test('made-up tokens, however many, push no proven one out of memory', async () => {
  const real = claiming('real')
  const { asked, kube } = anApiServer(real)
  const authenticate = serviceAccountAuthenticator({ kube, audience: 'us', clock: new FakeClock(), log: silentLog })
  const first = await authenticate(real, signal)
  assert.ok(first && 'identity' in first)
  for (let made = 0; made < 10_001; made += 1)
    assert.deepEqual(await authenticate(claiming(`made-up-${made}`), signal), { refused: 'wrong' })
  assert.deepEqual(await authenticate(real, signal), first)
  assert.equal(asked.get(real.reveal()), 1)
})

test('a token that was refused is asked about again after ten seconds, no sooner', async () => {
  const clock = new FakeClock()
  const wrong = claiming('wrong')
  const { asked, kube } = anApiServer(claiming('real'))
  const authenticate = serviceAccountAuthenticator({ kube, audience: 'us', clock, log: silentLog })
  for (let n = 0; n < 3; n += 1) await authenticate(wrong, signal)
  assert.equal(asked.get(wrong.reveal()), 1)
  await clock.advance('10s')
  await authenticate(wrong, signal)
  assert.equal(asked.get(wrong.reveal()), 2)
})
