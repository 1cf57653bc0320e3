import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { hookKubeconfig } from '../../../test/support/authorization-hook.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { createLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { generateKey } from '../../pki/index.ts'
import type { AuthenticationDeps } from './authenticator.ts'
import { createAuthenticator } from './authenticator.ts'
import { authorityAt, issueDer } from './testing/client-authority.ts'
import { bootstrapSecret, FakeStore } from './testing/objects.ts'

const issuer = 'https://kubernetes.default.svc'
const [id, secret] = ['abc123', '0123456789abcdef']

async function scene(more: Partial<AuthenticationDeps> = {}) {
  const [clock, store] = [new FakeClock(), new FakeStore()]
  const clientCa = await authorityAt(clock.now())
  const lines: string[] = []
  const log = createLog({ level: 'debug', clock, destination: { write: (line) => lines.push(line) } })
  const authenticator = await createAuthenticator({
    store,
    clock,
    random: systemRandom,
    log,
    clientCaPem: clientCa.certPem,
    serviceAccounts: { ...generateKey(), issuer },
    noteUse: async () => {},
    ...more,
  })
  const { metadata } = store.put('serviceaccounts', { name: 'robot', namespace: 'work' })
  const bound = { namespace: 'work', serviceaccount: { name: 'robot', uid: metadata.uid } }
  const { token } = authenticator.tokens.issue({ bound, audiences: [issuer], lifeSeconds: 600 })
  store.put('secrets', { name: `bootstrap-token-${id}`, namespace: 'kube-system' }, bootstrapSecret(id, secret))
  const certificate = await issueDer(
    clientCa,
    { commonName: 'jane', organizations: ['dev'] },
    { notBefore: clock.now() },
  )
  const foreign = await issueDer(
    await authorityAt(clock.now(), 'other'),
    { commonName: 'joe' },
    { notBefore: clock.now() },
  )
  const nameOf = async (presented: { certificate?: Buffer; token?: string; authorization?: string }, path = '/') => {
    const { certificate, token, authorization = token && `Bearer ${token}` } = presented
    return (await authenticator.authenticate({ certificate, authorization }, path)).name
  }
  return { clock, store, authenticator, token, certificate, foreign, lines, nameOf }
}

const refused = { code: 401, message: 'Unauthorized' }

describe('who somebody is', () => {
  test('is told by a certificate first, then by a token', async () => {
    const { certificate, foreign, token, nameOf } = await scene()
    assert.equal(await nameOf({ certificate }), 'jane')
    assert.equal(await nameOf({ certificate, token: 'nonsense' }), 'jane')
    assert.equal(await nameOf({ token }), 'system:serviceaccount:work:robot')
    assert.equal(await nameOf({ certificate: foreign, token }), 'system:serviceaccount:work:robot')
    assert.equal(await nameOf({ token: `${id}.${secret}` }), `system:bootstrap:${id}`)
  })

  test('is refused where credentials are bad, and anonymous where there are none', async () => {
    const { foreign, nameOf } = await scene()
    await assert.rejects(nameOf({ certificate: foreign }), refused)
    await assert.rejects(nameOf({ certificate: foreign, token: 'nonsense' }), refused)
    await assert.rejects(nameOf({ token: 'nonsense' }), refused)
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Bearer  x', 'Basic x', 'x'])
      assert.equal(await nameOf({ authorization }), 'system:anonymous')
    await assert.rejects(nameOf({ authorization: 'bearer x' }), refused)
  })

  test('is authenticated, unless anonymous', async () => {
    const { authenticator, certificate, token } = await scene()
    const groupsOf = async (presented: Parameters<typeof authenticator.authenticate>[0]) =>
      (await authenticator.authenticate(presented, '/')).groups
    assert.deepEqual(await groupsOf({ certificate }), ['dev', 'system:authenticated'])
    assert.deepEqual(await groupsOf({ authorization: `Bearer ${token}` }), [
      'system:serviceaccounts',
      'system:serviceaccounts:work',
      'system:authenticated',
    ])
    assert.deepEqual(await groupsOf({}), ['system:unauthenticated'])
  })

  test('is reviewed with all that was said about a token', async () => {
    const { authenticator, token, store } = await scene()
    assert.deepEqual(await authenticator.review('nonsense'), { error: 'invalid bearer token' })
    assert.ok('user' in (await authenticator.review(token, [])))
    store.remove('serviceaccounts', 'work', 'robot')
    assert.deepEqual(await authenticator.review(token), {
      error: '[invalid bearer token, serviceaccounts "robot" not found]',
    })
  })

  test('does not leave tokens in the log', async () => {
    const { token, nameOf, lines } = await scene()
    await nameOf({ token })
    await assert.rejects(nameOf({ token: `${token.slice(0, -4)}AAAA` }))
    await assert.rejects(nameOf({ token: 'open-sesame' }))
    assert.equal(lines.length, 2)
    for (const part of token.split('.')) assert.ok(!lines.join().includes(part))
    assert.ok(!lines.join().includes('open-sesame'))
  })
})

const config = (document: object) =>
  stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', ...document })

function configIn(t: TestContext, document: object) {
  const file = join(tempDir(t), 'auth.yaml')
  const write = (next: object) => writeFileSync(file, config(next))
  write(document)
  return { file, write }
}

const jwt = (url: string) => ({
  issuer: { url, audiences: ['kube'] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
})

const tokenOf = (iss: string) => `e30.${Buffer.from(JSON.stringify({ iss, aud: 'kube' })).toString('base64url')}.e30`

describe('an authentication configuration in a file', () => {
  test('can close the door to strangers, or all doors but some', async (t) => {
    const closed = await scene({ config: configIn(t, { anonymous: { enabled: false } }).file })
    await assert.rejects(closed.nameOf({}, '/livez'), refused)
    const some = await scene({
      config: configIn(t, { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }).file,
    })
    assert.equal(await some.nameOf({}, '/livez'), 'system:anonymous')
    await assert.rejects(some.nameOf({}, '/livez/ping'), refused)
  })

  test('is taken over when it changes; what cannot be used is told once and changes nothing', async (t) => {
    const { file, write } = configIn(t, { jwt: [jwt('https://127.0.0.1:1')] })
    const { authenticator, clock, lines } = await scene({ config: file })
    const stop = new AbortController()
    const running = authenticator.run(stop.signal)
    const unknown = { error: 'invalid bearer token' }
    const awaited = { error: '[invalid bearer token, oidc: authenticator not initialized]' }
    assert.deepEqual(await authenticator.review(tokenOf('https://127.0.0.1:1')), awaited)

    write({ jwt: 'nonsense' })
    const told = () => lines.filter((line) => line.includes('left as it was')).length
    await authenticator.reload()
    await authenticator.reload()
    assert.equal(told(), 1)
    assert.deepEqual(await authenticator.review(tokenOf('https://127.0.0.1:1')), awaited)

    write({ jwt: [jwt('https://127.0.0.1:2')] })
    for (let turn = 0; turn < 1000 && !lines.some((line) => line.includes('taken over')); turn++)
      await clock.advance('5s')
    assert.deepEqual(await authenticator.review(tokenOf('https://127.0.0.1:1')), unknown)
    assert.deepEqual(await authenticator.review(tokenOf('https://127.0.0.1:2')), awaited)
    stop.abort()
    await running
  })

  test('that cannot be used, or is not there, is a failure at the start', async (t) => {
    await assert.rejects(scene({ config: configIn(t, { jwt: [{}] }).file }), { code: 'AUTHENTICATION_CONFIG_INVALID' })
    await assert.rejects(scene({ config: configIn(t, { jwt: [jwt(issuer)] }).file }), /disallowed issuers/)
    await assert.rejects(scene({ config: join(tempDir(t), 'none') }), { code: 'AUTHENTICATION_CONFIG_UNREADABLE' })
    const oidc = { issuerUrl: 'https://idp', clientId: 'kube' }
    await assert.rejects(scene({ oidc, config: configIn(t, {}).file }), { code: 'AUTHENTICATION_OIDC_TWICE' })
  })
})

test('F13e: tokens that the webhook is asked about take no other address its turn, and nobody who needs no webhook', async (t) => {
  const server = createServer((socket) => void socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void server.close())
  const { port } = server.address() as AddressInfo
  const { authenticator, ...known } = await scene({
    tokenWebhook: hookKubeconfig(t, `https://127.0.0.1:${port}`, ''),
  })
  const ask = (address: string, token: string) =>
    authenticator.authenticate({ authorization: `Bearer ${token}`, address }, '/api')
  const stop = new AbortController()
  const running = authenticator.run(stop.signal)
  const waiting = Array.from({ length: 1_000 }, (_, index) =>
    ask('10.0.0.1', `unknown-${index}`).catch(() => 'refused'),
  )
  await assert.rejects(ask('10.0.0.1', 'one-more'), { code: 429 })
  const other = ask('10.0.0.2', 'unknown').catch(({ code }: { code: number }) => code)
  assert.equal((await ask('10.0.0.1', known.token)).name, 'system:serviceaccount:work:robot')
  stop.abort()
  await running
  assert.equal(await other, 503)
  await Promise.all(waiting)
})
