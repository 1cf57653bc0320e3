import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCanary, assertNoCanary } from '../../../../../test/support/canary.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { after } from '../../../../core/clock.ts'
import { isFailure } from '../../../../core/failure.ts'
import { Secret } from '../../../../core/secret.ts'
import type { CredentialDeps } from './credentials.ts'
import { asRole, ownCredentials } from './credentials.ts'
import type { Answer } from './post.ts'

const canary = aCanary()
const webRole = 'arn:aws:iam::222222222222:role/ocm-managed-cluster-1'
const hubRole = 'arn:aws:iam::111111111111:role/ocm-hub-1'
const podEnv = { AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token', AWS_ROLE_ARN: webRole }
const keysEnv = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: canary }

const grant = (expiresAt: Date): Answer => ({
  status: 200,
  text: `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA1</AccessKeyId>
    <SecretAccessKey>a&amp;b&#x2b;&#99;</SecretAccessKey><SessionToken>${canary}</SessionToken>
    <Expiration>${expiresAt.toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
})
const refusal = (status: number, code: string, message = 'why', at?: Date): Answer => ({
  status,
  text: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
  ...(at && { at }),
})

function scene(env: Record<string, string>, ...answers: (Answer | Error)[]) {
  const clock = new FakeClock()
  const asked: { headers: Readonly<Record<string, string>>; params: Record<string, string> }[] = []
  const deps: CredentialDeps = {
    env,
    clock,
    endpoint: new URL('https://sts.eu-central-1.amazonaws.com/'),
    region: 'eu-central-1',
    readFile: async () => `${canary}\n`,
    defaultChain: async () => {
      throw Object.assign(new Error('Could not load credentials from any providers'), {
        name: 'CredentialsProviderError',
      })
    },
    async post(_url, headers, body) {
      asked.push({ headers, params: Object.fromEntries(new URLSearchParams(body)) })
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer instanceof Error) throw answer
      return answer ?? grant(after(clock.now(), 3_600_000))
    },
  }
  const { signal } = new AbortController()
  const whoAmI = () => ownCredentials(deps, signal)
  return { clock, asked, deps, signal, whoAmI, beHub: async () => asRole(hubRole, await whoAmI(), deps, signal) }
}

/** The failure that this ends in, with nothing secret in it. */
async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (failed: unknown) => failed,
  )
  assert.ok(isFailure(error), String(error))
  assertNoCanary({ failure: `${error.message} ${JSON.stringify(error.params)} ${error.stack}` }, canary)
  return error
}

test('keys in the environment are taken as they are, and nobody is asked', async () => {
  const { whoAmI, asked } = scene({ ...podEnv, ...keysEnv, AWS_SESSION_TOKEN: 'session' })
  const { credentials, caller } = await whoAmI()
  assert.equal(credentials.accessKeyId, 'AKIAEXAMPLE')
  assert.equal(credentials.secretAccessKey.reveal(), canary)
  assert.equal(credentials.sessionToken?.reveal(), 'session')
  assert.match(caller, /AKIAEXAMPLE/)
  assert.equal(asked.length, 0)
})

test('a pod shows its web identity, unsigned and in the body, and gets a session of its role', async () => {
  const { whoAmI, asked } = scene(podEnv)
  const { credentials, caller } = await whoAmI()
  assert.equal(caller, webRole)
  assert.equal(credentials.secretAccessKey.reveal(), 'a&b+c')
  assert.deepEqual(credentials.expiresAt, new Date('2026-01-01T01:00:00Z'))
  assert.equal(asked[0]?.headers['authorization'], undefined)
  assert.deepEqual(asked[0]?.params, {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: webRole,
    RoleSessionName: 'lanyard',
    WebIdentityToken: canary,
  })
})

test('the role on the hub is asked for with a signature, by the session of the pod', async () => {
  const { beHub, asked } = scene(podEnv)
  assert.equal((await beHub()).caller, hubRole)
  const [, { headers, params } = assert.fail()] = asked
  assert.deepEqual([params['Action'], params['RoleArn']], ['AssumeRole', hubRole])
  assert.equal(headers['x-amz-security-token'], canary)
  assert.match(headers['authorization'] ?? '', /Credential=ASIA1\/20260101\/eu-central-1\/sts\/aws4_request/)
})

test('only without keys and web identity is the default chain of the SDK asked', async () => {
  const { deps, signal } = scene({ AWS_PROFILE: 'dev' })
  const sdk = { accessKeyId: 'AKIASDK', secretAccessKey: Secret.of('x') }
  const found = await ownCredentials({ ...deps, defaultChain: async () => sdk }, signal)
  assert.deepEqual([found.credentials, found.caller], [sdk, 'the AWS profile dev'])
})

test('without any credentials the failure tells how to get some', async () => {
  const error = await failureOf(scene({}).whoAmI())
  assert.equal(error.code, 'AWS_CREDENTIALS_MISSING')
  assert.match(error.message, /eks\.amazonaws\.com\/role-arn.*AWS_PROFILE/)
})

test('half of a pair of variables is a failure that names the other half', async () => {
  const { AWS_SECRET_ACCESS_KEY, AWS_ACCESS_KEY_ID } = keysEnv
  for (const [env, missing] of [
    [{ AWS_SECRET_ACCESS_KEY }, 'AWS_ACCESS_KEY_ID'],
    [{ AWS_ACCESS_KEY_ID }, 'AWS_SECRET_ACCESS_KEY'],
    [{ AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/token' }, 'AWS_ROLE_ARN'],
  ] as const)
    assert.equal((await failureOf(scene(env).whoAmI())).params['missing'], missing)
})

test('a token file that is missing or empty is named', async () => {
  const { deps, signal } = scene(podEnv)
  const missing = Object.assign(new Error('no'), { code: 'ENOENT' })
  for (const [readFile, problem] of [
    [() => Promise.reject(missing), 'ENOENT'],
    [async () => ' \n', 'it is empty'],
  ] as const) {
    const error = await failureOf(ownCredentials({ ...deps, readFile }, signal))
    assert.deepEqual(
      [error.code, error.params['path'], error.params['problem']],
      ['AWS_WEB_IDENTITY_UNREADABLE', '/var/run/token', problem],
    )
  }
})

for (const { answer, code } of [
  { answer: refusal(400, 'ExpiredTokenException'), code: 'AWS_WEB_IDENTITY_EXPIRED' },
  {
    answer: refusal(400, 'InvalidIdentityToken', `No OpenIDConnect provider for ${canary}`),
    code: 'AWS_WEB_IDENTITY_REJECTED',
  },
  { answer: refusal(403, 'AccessDenied', 'Not authorized'), code: 'AWS_WEB_ROLE_REFUSED' },
  { answer: refusal(400, 'ValidationError', 'Roles'), code: 'AWS_STS_REFUSED' },
])
  test(`a web identity that STS refuses with ${/<Code>(\w+)/.exec(answer.text)?.[1]} ends in ${code}`, async () => {
    assert.equal((await failureOf(scene(podEnv, answer).whoAmI())).code, code)
  })

for (const { answer, code } of [
  { answer: refusal(403, 'AccessDenied', 'User: x is not authorized'), code: 'AWS_ROLE_REFUSED' },
  { answer: refusal(403, 'ExpiredToken'), code: 'AWS_CREDENTIALS_EXPIRED' },
  { answer: refusal(403, 'InvalidClientTokenId'), code: 'AWS_CREDENTIALS_REJECTED' },
  {
    answer: refusal(403, 'SignatureDoesNotMatch', `canonical x-amz-security-token:${canary}`),
    code: 'AWS_CREDENTIALS_REJECTED',
  },
  { answer: refusal(403, 'SignatureDoesNotMatch', 'x', new Date('2026-01-01T00:05:01Z')), code: 'AWS_CLOCK_SKEW' },
  {
    answer: refusal(403, 'SignatureDoesNotMatch', 'x', new Date('2026-01-01T00:05:00Z')),
    code: 'AWS_CREDENTIALS_REJECTED',
  },
  { answer: refusal(403, 'AccessDenied', 'x', new Date('2026-01-01T01:00:00Z')), code: 'AWS_ROLE_REFUSED' },
  { answer: refusal(403, 'RegionDisabledException'), code: 'AWS_STS_REFUSED' },
])
  test(`a role that STS refuses with ${/<Code>(\w+)/.exec(answer.text)?.[1]}, answered at ${answer.at?.toISOString() ?? 'an unknown time'}, ends in ${code}`, async () => {
    assert.equal((await failureOf(scene(keysEnv, answer).beHub())).code, code)
  })

test('a refused role is told with who asked for it and what AWS said', async () => {
  const { message } = await failureOf(scene(keysEnv, refusal(403, 'AccessDenied', 'not &lt;yet&gt;')).beHub())
  assert.match(message, /the key AKIAEXAMPLE .* may not assume .*role\/ocm-hub-1 \(AccessDenied: not <yet>\)/)
})

test('a clock that is wrong is told by how much and in which direction', async () => {
  const { message } = await failureOf(
    scene(keysEnv, refusal(403, 'RequestExpired', '', new Date('2025-12-31T23:50:00Z'))).beHub(),
  )
  assert.match(message, /600 s ahead of/)
})

test('STS that throttles or fails for a moment is asked again, three times in all', async () => {
  const { clock, beHub, asked } = scene(
    keysEnv,
    refusal(400, 'Throttling'),
    refusal(503, 'X'),
    grant(new Date('2026-01-01T01:00:00Z')),
  )
  const found = beHub()
  await clock.advance('2s')
  assert.equal((await found).caller, hubRole)
  assert.equal(asked.length, 3)
})

test('STS that cannot be reached is told with its address, after three tries', async () => {
  const { clock, beHub, asked } = scene(keysEnv, Object.assign(new Error('no'), { code: 'ENOTFOUND' }))
  const failed = failureOf(beHub())
  await clock.advance('2s')
  const { code, message } = await failed
  assert.equal(code, 'AWS_STS_UNREACHABLE')
  assert.match(message, /sts\.eu-central-1\.amazonaws\.com cannot be asked \(ENOTFOUND\)/)
  assert.equal(asked.length, 3)
})

test('a page of something else than STS is no credential', async () => {
  const { clock, beHub } = scene(keysEnv, { status: 200, text: '<html>Please log in</html>' })
  const failed = failureOf(beHub())
  await clock.advance('2s')
  assert.match((await failed).message, /not STS/)
})

test('STS that does not answer is given up after ten seconds a try', async () => {
  const { clock, deps, signal } = scene(keysEnv)
  const silent: CredentialDeps['post'] = (_url, _headers, _body, until) =>
    new Promise((_, reject) => until.addEventListener('abort', () => reject(until.reason)))
  const own = await ownCredentials(deps, signal)
  const failed = failureOf(asRole(hubRole, own, { ...deps, post: silent }, signal))
  await clock.advance('40s')
  assert.match((await failed).message, /no answer within 10 s/)
})
