import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { after } from '../../../../core/clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import { tokenSource } from './token-source.ts'

const options = {
  region: 'eu-central-1',
  clusterName: 'hub',
  roleArn: 'arn:aws:iam::111111111111:role/ocm-hub-1',
}
const env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }

function scene() {
  const clock = new FakeClock()
  const sts = { asked: 0, refuses: false, lifeMs: 3_600_000 }
  const tokens = tokenSource(options, {
    env,
    clock,
    readFile: () => Promise.reject(new Error('not asked for')),
    async post() {
      sts.asked += 1
      if (sts.refuses) return { status: 403, text: '<Error><Code>AccessDenied</Code><Message>no</Message></Error>' }
      const text = `<AccessKeyId>ASIA${sts.asked}</AccessKeyId><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${after(clock.now(), sts.lifeMs).toISOString()}</Expiration>`
      return { status: 200, text }
    },
  })
  return { clock, sts, tokens }
}

const isRefused = (error: unknown) => isFailure(error, 'AWS_ROLE_REFUSED')

test('a token is used until a minute before its end, and then another one is signed without asking STS again', async () => {
  const { clock, sts, tokens } = scene()
  const first = await tokens.token()
  await clock.advance('12m')
  assert.equal(await tokens.token(), first)
  await clock.advance('1m')
  const second = await tokens.token()
  assert.notEqual(second.token.reveal(), first.token.reveal())
  assert.deepEqual(second.expiresAt, new Date('2026-01-01T00:27:00Z'))
  assert.equal(sts.asked, 1)
})

test('a session is replaced while it is still good for a whole token', async () => {
  const { clock, sts, tokens } = scene()
  for (let minute = 0; minute < 180; minute += 1) {
    const { expiresAt } = await tokens.token()
    assert.ok(expiresAt > clock.now())
    await clock.advance('1m')
  }
  assert.equal(sts.asked, 4)
})

test('many who ask at once cause one question', async () => {
  const { sts, tokens } = scene()
  const all = await Promise.all(Array.from({ length: 50 }, () => tokens.token()))
  assert.equal(new Set(all).size, 1)
  assert.equal(sts.asked, 1)
})

test('a token that the hub refused is replaced with one of a new session, but not within ten seconds', async () => {
  const { clock, sts, tokens } = scene()
  const first = await tokens.token()
  await clock.advance('9s')
  assert.equal(await tokens.token({ refresh: true }), first)
  await clock.advance('1s')
  assert.notEqual(await tokens.token({ refresh: true }), first)
  assert.equal(sts.asked, 2)
})

test('after a failure STS is left alone for five seconds', async () => {
  const { clock, sts, tokens } = scene()
  sts.refuses = true
  await assert.rejects(tokens.token(), isRefused)
  await clock.advance('4s')
  await assert.rejects(tokens.token(), isRefused)
  assert.equal(sts.asked, 1)
  sts.refuses = false
  await clock.advance('1s')
  await tokens.token()
  assert.equal(sts.asked, 2)
})

test('a token that is still good is used while no other can be had, unless the hub refused it', async () => {
  const { clock, sts, tokens } = scene()
  sts.lifeMs = 900_000
  const first = await tokens.token()
  sts.refuses = true
  await clock.advance('13.5m')
  assert.equal(await tokens.token(), first)
  await clock.advance('5s')
  await assert.rejects(tokens.token({ refresh: true }), isRefused)
  await clock.advance('1m')
  await assert.rejects(tokens.token(), isRefused)
})

test('a clock that was set back makes another token: the old one is of the future', async () => {
  const { clock, tokens } = scene()
  const first = await tokens.token()
  await clock.jumpTo(new Date('2025-12-31T23:00:00Z'))
  assert.notEqual(await tokens.token(), first)
})

test('whoever does not wait any longer leaves the others their answer', async () => {
  const { tokens } = scene()
  const leaving = new AbortController()
  const [left, stayed] = [tokens.token({ signal: leaving.signal }), tokens.token()]
  leaving.abort()
  await assert.rejects(left, { name: 'AbortError' })
  await stayed
})

test('when nobody waits any more STS is not asked on, and the next who comes asks anew', async () => {
  const clock = new FakeClock()
  const stopped: AbortSignal[] = []
  const tokens = tokenSource(options, {
    env,
    clock,
    readFile: () => assert.fail(),
    post: (_url, _headers, _body, signal) => {
      stopped.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  for (let time = 1; time <= 2; time += 1) {
    const leaving = new AbortController()
    const left = tokens.token({ signal: leaving.signal })
    await clock.settle()
    leaving.abort()
    await assert.rejects(left, { name: 'AbortError' })
    assert.deepEqual([stopped.length, stopped.at(-1)?.aborted], [time, true])
  }
})

for (const { where, endpoint, signedFor } of [
  { where: 'of a VPC', endpoint: 'https://vpce-1-2.sts.eu-west-1.vpce.amazonaws.com', signedFor: 'eu-west-1' },
  { where: 'without a region in its name', endpoint: 'https://sts.example.com', signedFor: options.region },
])
  test(`an endpoint ${where} is asked for the role, and the token names the public one all the same`, async () => {
    const asked: [string, string | undefined][] = []
    const deps = {
      env,
      clock: new FakeClock(),
      readFile: () => assert.fail(),
      post: async (url: URL, { authorization = '' }: Readonly<Record<string, string>>) => {
        asked.push([url.origin, authorization.split('/')[2]])
        const text =
          '<AccessKeyId>A</AccessKeyId><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration>'
        return { status: 200, text }
      },
    }
    const urlOf = async (more: object = {}) => {
      const { token } = await tokenSource({ ...options, endpoint: new URL(endpoint) }, { ...deps, ...more }).token()
      return new URL(Buffer.from(token.reveal().slice('k8s-aws-v1.'.length), 'base64url').toString())
    }
    const url = await urlOf()
    assert.deepEqual(asked, [[endpoint, signedFor]])
    assert.equal(url.origin, 'https://sts.eu-central-1.amazonaws.com')
    assert.equal(url.searchParams.get('X-Amz-Credential')?.split('/')[2], 'eu-central-1')
    assert.equal((await urlOf({ namedSts: new URL('http://127.0.0.1:4566') })).origin, 'http://127.0.0.1:4566')
  })

const granted = (until: Date, id = 'ASIA') =>
  `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${until.toISOString()}</Expiration>`

test('the web identity of a pod is read anew for each session: the kubelet replaces the file', async () => {
  const clock = new FakeClock()
  const file = { text: 'first' }
  const shown: (string | null)[] = []
  const tokens = tokenSource(options, {
    env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'arn:aws:iam::222222222222:role/r' },
    clock,
    readFile: async () => file.text,
    async post(_url, _headers, body) {
      const asked = new URLSearchParams(body)
      if (asked.get('Action') === 'AssumeRoleWithWebIdentity') shown.push(asked.get('WebIdentityToken'))
      return { status: 200, text: granted(after(clock.now(), 3_600_000)) }
    },
  })
  await tokens.token()
  file.text = 'second'
  await clock.advance('50m')
  await tokens.token()
  file.text = 'third'
  await clock.advance('11s')
  await tokens.token({ refresh: true })
  assert.deepEqual(shown, ['first', 'second', 'third'])
})

test('STS is asked where the environment says, and named in the token as that of the region', async () => {
  const clock = new FakeClock()
  const hosts: string[] = []
  const tokens = tokenSource(options, {
    env: { ...env, AWS_ENDPOINT_URL: 'https://all.example.com', AWS_ENDPOINT_URL_STS: 'https://sts.example.com' },
    clock,
    readFile: () => Promise.reject(new Error('not asked for')),
    async post({ host }) {
      hosts.push(host)
      return { status: 200, text: granted(after(clock.now(), 3_600_000)) }
    },
  })
  const { token } = await tokens.token()
  assert.deepEqual(hosts, ['sts.example.com'])
  const [, named = ''] = token.reveal().split('.')
  assert.equal(new URL(Buffer.from(named, 'base64url').toString()).host, 'sts.eu-central-1.amazonaws.com')
})
