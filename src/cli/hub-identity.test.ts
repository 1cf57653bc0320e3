import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isFailure } from '../core/failure.ts'
import { silentLog } from '../core/log.ts'
import { Secret } from '../core/secret.ts'
import type { Connection } from '../kube/connection.ts'
import { KubeFailure } from '../kube/failures.ts'
import type { Kube } from '../kube/kube.ts'
import { hubIdentity } from './hub-identity.ts'

const account = 'system:serviceaccount:hub:registration-controller-sa'

/** An API server to which whoever starts the hub is `user`, and which gives tokens of an hour by its own clock. */
function scene(user: string, headers?: Connection['headers']) {
  const clock = new FakeClock(new Date('2026-05-01T10:00:00Z'))
  const state = { granted: 0, failure: undefined as Error | undefined }
  const claims = (at: number) => ({
    iat: at,
    exp: at + 3_600,
    'kubernetes.io': { namespace: 'hub', serviceaccount: { name: 'registration-controller-sa', uid: 'u' } },
  })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const kube = {
    of: () => ({
      create: async () => ({ status: { userInfo: { username: user } } }),
      createSubresource: async () => {
        if (state.failure) throw state.failure
        state.granted += 1
        // Its clock is a day ahead.
        const at = Math.floor(clock.now().getTime() / 1_000) + 86_400
        return { status: { token: `${part({ n: state.granted })}.${part(claims(at))}.signature` } }
      },
    }),
  } as unknown as Kube
  const connection: Connection = {
    server: 'https://hub.example.com',
    tls: {},
    ...(headers && { headers }),
    credentials: async () => ({ authorization: Secret.of('of-the-starter') }),
  }
  const identity = hubIdentity({ kube, connection, namespace: 'hub', clock, log: silentLog })
  const shown = async (options?: { refresh?: boolean }) =>
    (await identity.connection.credentials?.(options))?.authorization?.reveal()
  return { clock, state, identity, shown }
}

test('F8d: its token is asked for once, renewed before it ends whatever clocks say, and replaced when it is refused', async () => {
  const { clock, state, shown } = scene('admin')
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => shown()))
  assert.ok(first !== undefined && first !== 'of-the-starter' && others.every((one) => one === first))
  await clock.advance('59m')
  assert.equal(await shown(), first)
  await clock.advance('31s')
  const second = await shown()
  assert.notEqual(second, first)
  assert.notEqual(await shown({ refresh: true }), second)
  assert.equal(state.granted, 3)
})

test('who is the account already goes on as they are; who only impersonates it does not', async () => {
  assert.equal(await scene(account).shown(), 'of-the-starter')
  const impersonating = scene(account, { 'Impersonate-User': account })
  assert.notEqual(await impersonating.shown(), 'of-the-starter')
  assert.equal(impersonating.identity.connection.headers, undefined)
  assert.notEqual(await scene('system:serviceaccount:other:registration-controller-sa').shown(), 'of-the-starter')
})

const refusal = (code: number) => new KubeFailure({ code }, { method: 'POST', path: '/token' })

test('what no second try would mend ends the wait at once, and trouble with the API server does not', async () => {
  const { clock, state, identity } = scene('admin')
  const stop = new AbortController()
  for (const [code, failure] of [
    [403, 'HUB_ACCOUNT_FORBIDDEN'],
    [404, 'HUB_ACCOUNT_MISSING'],
  ] as const) {
    state.failure = refusal(code)
    await assert.rejects(identity.settled(stop.signal), (error) => isFailure(error, failure))
    await clock.advance('1s')
  }
  state.failure = refusal(503)
  const waiting = identity.settled(stop.signal)
  await clock.advance('2s')
  state.failure = undefined
  await clock.advance('2s')
  await waiting
  assert.equal(state.granted, 1)
})
