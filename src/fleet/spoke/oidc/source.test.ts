import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { eventually } from '../../../../test/support/eventually.ts'
import type { Scripted, ScriptedIssuer } from '../../../../test/support/issuer.ts'
import { startScriptedIssuer } from '../../../../test/support/issuer.ts'
import { isFailure } from '../../../core/failure.ts'
import { createMetrics } from '../../../core/metrics.ts'
import { keyAt, tokenScene, wayTo } from './testing/scene.ts'

const failed =
  (code: string, detail = /./) =>
  (error: unknown) =>
    isFailure(error, code) && detail.test(error.message) && error.cause === undefined
const refusal = (error: string, status = 400, error_description?: string): Scripted => ({
  status,
  body: { error, ...(error_description !== undefined && { error_description }) },
})
const granted = (access_token: string, more: object = {}): Scripted => ({
  body: { access_token, token_type: 'Bearer', expires_in: 300, ...more },
})
const given = { refresh: { token: keyAt('offline', 'token') } }

test('a request carries what the contract says, its secret without the blanks around it', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { sources } = tokenScene()
  const { value, grant } = await sources.of(wayTo(issuer, { scopes: ['groups'] })).current()
  assert.deepEqual([value.reveal(), grant], ['token-1', 'client_credentials'])
  assert.deepEqual(issuer.requests, [
    {
      grant_type: 'client_credentials',
      client_id: issuer.clientId,
      client_secret: 'hunter2-of-the-hub',
      scope: 'openid groups',
      audience: 'https://west.example.com:6443',
    },
  ])
})

test('a token is used until 30 seconds before its end, and asked for once however many wait', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, sources } = tokenScene()
  const source = sources.of(wayTo(issuer))
  await Promise.all(Array.from({ length: 50 }, () => source.current()))
  await clock.advance('269s')
  assert.equal((await source.current()).value.reveal(), 'token-1')
  await clock.advance('1s')
  const tokens = await Promise.all(Array.from({ length: 50 }, () => source.current()))
  assert.deepEqual([...new Set(tokens.map(({ value }) => value.reveal()))], ['token-2'])
  assert.equal(issuer.requests.length, 2)
  assert.equal(issuer.paths.filter((path) => path.includes('well-known')).length, 1)
})

test('a token without an end of its own serves for a moment, and not for another', async (t) => {
  const issuer = await startScriptedIssuer(t)
  issuer.answer = () => ({ body: { access_token: 'opaque', token_type: 'Bearer' } })
  const { clock, sources } = tokenScene()
  const source = sources.of(wayTo(issuer))
  await source.current()
  await source.current()
  assert.equal(issuer.requests.length, 1)
  await clock.advance('5s')
  await source.current()
  assert.equal(issuer.requests.length, 2)
})

test('a token that a cluster refuses is replaced once, however many heard the refusal', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, sources } = tokenScene()
  const source = sources.of(wayTo(issuer))
  await source.current()
  const replaced = await Promise.all(Array.from({ length: 20 }, () => source.current({ refresh: true })))
  assert.deepEqual([...new Set(replaced.map(({ value }) => value.reveal()))], ['token-2'])
  assert.equal((await source.current({ refresh: true })).value.reveal(), 'token-2')
  await clock.advance('10s')
  assert.equal((await source.current({ refresh: true })).value.reveal(), 'token-3')
})

test('an issuer that refuses is asked again after a second, and not before', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, sources } = tokenScene()
  const sound = issuer.answer
  issuer.answer = () => refusal('invalid_client', 401)
  const source = sources.of(wayTo(issuer))
  for (const _ of [1, 2, 3])
    await assert.rejects(source.current(), failed('SPOKE_TOKEN_REFUSED', /by client_credentials: invalid_client$/))
  assert.equal(issuer.requests.length, 1)
  issuer.answer = sound
  await clock.advance('1s')
  assert.equal((await source.current()).value.reveal(), 'token-1')
})

test('F11h: a failure repeats only the OAuth code of a refusal, and no code that OAuth does not have', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const jwt = `eyJhbGciOiJub25lIn0.${'eyJzdWIiOiJ4In0'}.c2lnbmF0dXJl`
  issuer.answer = ({ client_secret }) =>
    refusal('invalid_request', 400, `wrong: ${client_secret}\u001b[31m ${jwt} ${'long '.repeat(100)}`)
  const refused = async () => {
    const error = await tokenScene()
      .sources.of(wayTo(issuer))
      .current()
      .catch((caught: unknown) => caught)
    assert.ok(isFailure(error, 'SPOKE_TOKEN_REFUSED'))
    assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2|eyJ|wrong|long|canary/)
    return error.message
  }
  assert.match(await refused(), /by client_credentials: invalid_request$/)
  issuer.answer = () => refusal('canary of a code', 400, 'canary of a description')
  assert.match(await refused(), /it answered with status 400 and an error code that OAuth does not have$/)
})

test('an answer that cannot be used shows no token in what is thrown', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, sources } = tokenScene()
  const source = sources.of(wayTo(issuer))
  const odd = [{ token_type: 'mac' }, { token_type: undefined }, { expires_in: 'soon' }, { refresh_token: 7 }]
  for (const more of odd) {
    issuer.answer = () => granted('canary-of-a-token', more)
    const error = await source.current().catch((caught: unknown) => caught)
    assert.ok(isFailure(error, 'SPOKE_TOKEN_REFUSED'), inspect(error))
    assert.doesNotMatch(inspect(error, { depth: 9 }), /canary/)
    await clock.advance('1s')
  }
})

test('redirects are not followed: nobody else is told the secret', async (t) => {
  const [issuer, other] = [await startScriptedIssuer(t), await startScriptedIssuer(t)]
  issuer.answer = () => ({ status: 307, headers: { location: `${other.issuer}/token` } })
  const source = tokenScene().sources.of(wayTo(issuer, { issuerCa: issuer.caPem + other.caPem }))
  await assert.rejects(source.current(), failed('SPOKE_TOKEN_REFUSED', /a redirect \(307\), which is not followed/))
  assert.deepEqual(other.paths, [])
})

test('nothing secret is sent where the discovery document is not sound', async (t) => {
  const [issuer, other] = [await startScriptedIssuer(t), await startScriptedIssuer(t)]
  issuer.document = { ...issuer.document, token_endpoint: `${other.issuer}/token` }
  const source = tokenScene().sources.of(wayTo(issuer, { issuerCa: issuer.caPem + other.caPem }))
  await assert.rejects(source.current(), failed('SPOKE_DISCOVERY_FAILED', /another origin/))
  assert.deepEqual([issuer.requests, other.paths], [[], []])
})

test('the refresh token of an answer renews; refused, the first grant takes over in the same call', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, sources } = tokenScene()
  let refuses = false
  issuer.answer = ({ grant_type, refresh_token }) => {
    if (grant_type === 'client_credentials') return granted('by-secret', { refresh_token: 'R1' })
    return refuses ? refusal('invalid_grant') : granted(`by-${refresh_token}`, { id_token: 'not.a.token' })
  }
  const source = sources.of(wayTo(issuer))
  const next = async () => {
    const { value, grant, refused } = await source.current()
    await clock.advance('270s')
    return [value.reveal(), grant, refused]
  }
  assert.deepEqual(await next(), ['by-secret', 'client_credentials', undefined])
  assert.deepEqual(await next(), ['by-R1', 'refresh_token', undefined])
  assert.deepEqual(await next(), ['by-R1', 'refresh_token', undefined])
  refuses = true
  assert.deepEqual(await next(), ['by-secret', 'client_credentials', undefined])
  assert.deepEqual(issuer.requests.at(-2), {
    grant_type: 'refresh_token',
    client_id: issuer.clientId,
    client_secret: 'hunter2-of-the-hub',
    refresh_token: 'R1',
  })
})

for (const [what, answer] of Object.entries({
  'trouble with the issuer': { status: 500 },
  'a refusal': refusal('invalid_grant'),
}))
  test(`${what} at a renewal leaves the first grant`, async (t) => {
    const issuer = await startScriptedIssuer(t)
    const { clock, sources } = tokenScene()
    issuer.answer = ({ grant_type }) =>
      grant_type === 'refresh_token' ? answer : granted('by-secret', { refresh_token: 'R1' })
    const source = sources.of(wayTo(issuer))
    await source.current()
    await clock.advance('270s')
    assert.equal((await source.current()).grant, 'client_credentials')
  })

test('a refresh token that was given goes first, also without a secret of the client', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0\n')
  const { clientSecret: _, ...way } = wayTo(issuer, given)
  assert.equal((await sources.of(way).current()).grant, 'refresh_token')
  assert.deepEqual(issuer.requests, [{ grant_type: 'refresh_token', client_id: issuer.clientId, refresh_token: 'R0' }])
})

for (const fallback of ['None', 'Auto', 'Warn'] as const)
  test(`a refused refresh token with fallback ${fallback}`, async (t) => {
    const issuer = await startScriptedIssuer(t)
    const { secrets, sources } = tokenScene()
    secrets.set('offline/token', 'R0')
    issuer.answer = ({ grant_type }) =>
      grant_type === 'refresh_token' ? refusal('invalid_grant', 400, 'Token is not active') : granted('by-secret')
    const asked = sources.of(wayTo(issuer, { ...given, fallback })).current()
    if (fallback === 'None')
      return await assert.rejects(asked, failed('SPOKE_REFRESH_REFUSED', /refuses the refresh token: invalid_grant/))
    const { value, grant, refused } = await asked
    assert.deepEqual([value.reveal(), grant], ['by-secret', 'client_credentials'])
    assert.equal(refused, 'invalid_grant')
  })

test('a refused refresh token with nothing else is the end of it, until it is replaced', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0')
  issuer.answer = ({ refresh_token }) => (refresh_token === 'R0' ? refusal('invalid_grant') : granted('anew'))
  const { clientSecret: _, ...way } = wayTo(issuer, given)
  const source = sources.of(way)
  await assert.rejects(source.current(), failed('SPOKE_REFRESH_REFUSED'))
  secrets.set('offline/token', 'R9')
  await clock.advance('1s')
  assert.equal((await source.current()).value.reveal(), 'anew')
})

test('trouble with the issuer, or a refusal of something else, does not make a given refresh token a refused one', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0')
  const source = sources.of(wayTo(issuer, { ...given, fallback: 'None' }))
  const others = ['invalid_scope', 'unsupported_grant_type', 'unauthorized_client'].map((error) => refusal(error))
  for (const answer of [{ status: 503 }, refusal('slow_down', 429), 'cut' as const, ...others]) {
    issuer.answer = () => answer
    await assert.rejects(source.current(), failed('SPOKE_TOKEN_REFUSED', /by refresh_token/))
    await clock.advance('1s')
  }
})

test('a refused refresh token is tried again at each renewal, so that one made good again is noticed', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0')
  let refuses = true
  issuer.answer = ({ grant_type }) => {
    if (grant_type !== 'refresh_token') return granted('by-secret', { refresh_token: 'mine' })
    return refuses ? refusal('invalid_grant') : granted('by-refresh')
  }
  const source = sources.of(wayTo(issuer, { ...given, fallback: 'Warn' }))
  assert.equal((await source.current()).refused, 'invalid_grant')
  await clock.advance('270s')
  assert.equal((await source.current()).refused, 'invalid_grant')
  refuses = false
  await clock.advance('270s')
  const { value, refused } = await source.current()
  assert.deepEqual([value.reveal(), refused], ['by-refresh', undefined])
})

const rotating = { refresh: { token: keyAt('offline', 'token'), rotatedKey: 'rotated' } }

test('the successor of a refresh token is kept, used first, and its predecessor is the last resort', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0')
  const good = new Set(['R0'])
  issuer.answer = ({ refresh_token = '' }) => {
    if (!good.has(refresh_token)) return refusal('invalid_grant')
    const successor = `R${Number(refresh_token.slice(1)) + 1}`
    good.delete(refresh_token)
    good.add(successor)
    return granted(`by-${refresh_token}`, { refresh_token: successor })
  }
  const value = async (source = sources.of(wayTo(issuer, rotating))) => (await source.current()).value.reveal()
  const source = sources.of(wayTo(issuer, rotating))
  assert.equal(await value(source), 'by-R0')
  assert.equal(secrets.get('offline/rotated'), 'R1')
  await clock.advance('270s')
  assert.equal(await value(source), 'by-R1')
  // After a restart.
  assert.equal(await value(), 'by-R2')
  // Another replica used it: what is in memory is old, the Secret is not.
  await clock.advance('270s')
  assert.equal(await value(source), 'by-R3')
  assert.equal(issuer.requests.filter(({ refresh_token }) => refresh_token === 'R2').length, 1)
  // Somebody obtained a new one by hand.
  good.clear()
  good.add('R50')
  secrets.set('offline/token', 'R50')
  assert.equal(await value(), 'by-R50')
  assert.deepEqual(
    issuer.requests.slice(-2).map(({ refresh_token }) => refresh_token),
    ['R4', 'R50'],
  )
  assert.equal(secrets.get('offline/rotated'), 'R51')
})

test('a successor that could not be kept is kept later, and used meanwhile', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const scene = tokenScene()
  scene.secrets.set('offline/token', 'R0')
  let last = 0
  issuer.answer = ({ refresh_token }) =>
    refresh_token === `R${last}` ? granted('x', { refresh_token: `R${++last}` }) : refusal('invalid_grant')
  const source = scene.sources.of(wayTo(issuer, { ...rotating, fallback: 'None' }))
  scene.keepFails = new Error('the hub is away')
  await source.current()
  assert.equal(scene.secrets.has('offline/rotated'), false)
  scene.keepFails = undefined
  await scene.clock.advance('270s')
  await source.current()
  assert.equal(scene.secrets.get('offline/rotated'), 'R2')
})

/** An issuer that takes each refresh token once, and gives `R<n+1>` for `R<n>`. Shown again, it spoils all. */
function takesEachOnce(issuer: ScriptedIssuer): void {
  let good = 'R0'
  issuer.answer = ({ refresh_token = '' }) => {
    const isGood = refresh_token === good
    good = isGood ? `R${Number(refresh_token.slice(1)) + 1}` : 'none'
    return isGood ? granted(`by-${refresh_token}`, { refresh_token: good }) : refusal('invalid_grant')
  }
}

test('clusters that share a rotating refresh token take turns', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0')
  takesEachOnce(issuer)
  const way = wayTo(issuer, { ...rotating, fallback: 'None' })
  const tokens = await Promise.all([1, 2, 3, 4].map(() => sources.of(way).current()))
  assert.deepEqual(tokens.map(({ value }) => value.reveal()).toSorted(), ['by-R0', 'by-R1', 'by-R2', 'by-R3'])
  assert.equal(secrets.get('offline/rotated'), 'R4')
})

test('an issuer that hangs holds up those that share the Secret, until its deadline, and nobody else', async (t) => {
  const [hanging, sound] = [await startScriptedIssuer(t), await startScriptedIssuer(t)]
  const { clock, secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0').set('other/token', 'R0')
  hanging.answer = () => 'hang'
  takesEachOnce(sound)
  const first = assert.rejects(sources.of(wayTo(hanging, rotating)).current(), failed('SPOKE_TOKEN_REFUSED'))
  await eventually('it was asked', () => hanging.requests.length === 1)
  const second = sources.of(wayTo(sound, rotating)).current()
  const elsewhere = { refresh: { token: keyAt('other', 'token'), rotatedKey: 'rotated' } }
  const { clientSecret: _, ...other } = wayTo(await startScriptedIssuer(t), elsewhere)
  assert.equal((await sources.of(other).current()).grant, 'refresh_token')
  assert.equal(sound.requests.length, 0)
  await clock.advance('10s')
  await first
  assert.equal((await second).value.reveal(), 'by-R0')
})

test('a successor that another process kept meanwhile is found before the first token is tried', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { secrets, sources } = tokenScene()
  secrets.set('offline/token', 'R0').set('offline/rotated', 'R1')
  issuer.answer = ({ refresh_token }) => {
    if (refresh_token === 'R2') return granted('by-R2')
    secrets.set('offline/rotated', 'R2')
    return refusal('invalid_grant')
  }
  const { value } = await sources.of(wayTo(issuer, { ...rotating, fallback: 'None' })).current()
  assert.equal(value.reveal(), 'by-R2')
  assert.deepEqual(
    issuer.requests.map(({ refresh_token }) => refresh_token),
    ['R1', 'R2'],
  )
})

test('a successor that could not be kept outlives its source, but not the token it succeeds', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const scene = tokenScene()
  scene.secrets.set('offline/token', 'R0')
  takesEachOnce(issuer)
  const token = async () => {
    const { value } = await scene.sources.of(wayTo(issuer, { ...rotating, fallback: 'None' })).current()
    return value.reveal()
  }
  scene.keepFails = new Error('the hub is away')
  assert.equal(await token(), 'by-R0')
  assert.equal(await token(), 'by-R1')
  scene.keepFails = undefined
  assert.equal(await token(), 'by-R2')
  assert.equal(scene.secrets.get('offline/rotated'), 'R3')

  scene.keepFails = new Error('the hub is away')
  assert.equal(await token(), 'by-R3')
  scene.keepFails = undefined
  scene.secrets.set('offline/token', 'of somebody else').delete('offline/rotated')
  issuer.answer = ({ refresh_token }) => granted(`by-${refresh_token}`)
  assert.equal(await token(), 'by-of somebody else')
  assert.equal(scene.secrets.has('offline/rotated'), false)
})

test('an exchange shows the subject and the actor as their Secrets have them at the time', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { clock, secrets, sources } = tokenScene()
  const type = 'urn:ietf:params:oauth:token-type:access_token'
  secrets.set('subject/token', ' S1\n').set('actor/token', '\tA1 ')
  const exchange = { subject: keyAt('subject', 'token'), subjectType: type, requestedType: type, actorType: type }
  const source = sources.of(wayTo(issuer, { exchange: { ...exchange, actor: keyAt('actor', 'token') } }))
  assert.equal((await source.current()).grant, 'token_exchange')
  assert.deepEqual(issuer.requests, [
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: issuer.clientId,
      client_secret: 'hunter2-of-the-hub',
      subject_token: 'S1',
      subject_token_type: type,
      requested_token_type: type,
      actor_token: 'A1',
      actor_token_type: type,
    },
  ])
  secrets.set('subject/token', 'S2')
  issuer.answer = ({ subject_token }) => refusal('invalid_request', 400, `no good: ${subject_token}`)
  await clock.advance('270s')
  await assert.rejects(source.current(), failed('SPOKE_TOKEN_REFUSED', /by token_exchange: invalid_request$/))
})

test('a source tells whether it is the discovery document that it waits for', async (t) => {
  const issuer = await startScriptedIssuer(t)
  issuer.discovery = 'hang'
  const { clock, sources } = tokenScene()
  const source = sources.of(wayTo(issuer))
  assert.equal(source.isDiscovering(), false)
  const first = assert.rejects(source.current(), failed('SPOKE_DISCOVERY_FAILED'))
  await eventually('it was asked', () => issuer.paths.length === 1)
  assert.equal(source.isDiscovering(), true)
  await clock.advance('10s')
  await first
  issuer.discovery = undefined
  issuer.answer = () => 'hang'
  await clock.advance('1s')
  const second = assert.rejects(source.current(), failed('SPOKE_TOKEN_REFUSED'))
  await eventually('a token was asked for', () => issuer.requests.length === 1)
  assert.equal(source.isDiscovering(), false)
  await clock.advance('10s')
  await second
})

test('an issuer that hangs holds up no other cluster, and who gives up leaves the others waiting', async (t) => {
  const [hanging, other] = [await startScriptedIssuer(t), await startScriptedIssuer(t)]
  hanging.answer = () => 'hang'
  const { clock, sources } = tokenScene()
  const source = sources.of(wayTo(hanging))
  const impatient = new AbortController()
  const given = source.current({ signal: impatient.signal })
  const patient = assert.rejects(source.current(), failed('SPOKE_TOKEN_REFUSED', /did not answer within 10 seconds/))
  await eventually('it was asked', () => hanging.requests.length === 1)
  impatient.abort(new Error('enough'))
  await assert.rejects(given, /enough/)
  assert.equal((await sources.of(wayTo(other)).current()).value.reveal(), 'token-1')
  await clock.advance('10s')
  await patient
  assert.equal(hanging.requests.length, 1)
})

test('requests are counted by grant and outcome', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const metrics = await createMetrics()
  const { sources } = tokenScene(metrics)
  await sources.of(wayTo(issuer)).current()
  for (const answer of [refusal('invalid_client', 401), { status: 502 }] as const) {
    issuer.answer = () => answer
    await assert.rejects(sources.of(wayTo(issuer)).current())
  }
  const text = await metrics.text()
  for (const outcome of ['granted', 'refused', 'failed'])
    assert.match(
      text,
      new RegExp(`lanyard_reach_token_requests_total\\{grant="client_credentials",outcome="${outcome}"\\} 1`),
    )
})

test('an empty secret is told as such, and nothing is sent', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const { secrets, sources } = tokenScene()
  secrets.set('client/client-secret', ' \n')
  await assert.rejects(sources.of(wayTo(issuer)).current(), failed('SPOKE_INVALID', /hub\/client holds nothing/))
  assert.deepEqual(issuer.paths, [])
})
