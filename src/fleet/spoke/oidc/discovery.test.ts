import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { startScriptedIssuer } from '../../../../test/support/issuer.ts'
import { everywhere } from '../../../core/egress.ts'
import type { Metrics } from '../../../core/metrics.ts'
import { createMetrics } from '../../../core/metrics.ts'
import { discoveries } from './discovery.ts'
import { issuerFetches } from './fetch.ts'

const discoveriesOf = (deps: { clock: FakeClock; metrics?: Metrics }) =>
  discoveries({ ...deps, fetches: issuerFetches({ ...deps, egress: () => everywhere }) })

const failed = (detail: RegExp) => (error: unknown) => {
  const { code, message, cause } = error as { code: string; message: string; cause: unknown }
  assert.equal(code, 'SPOKE_DISCOVERY_FAILED')
  assert.match(message, detail)
  assert.equal(cause, undefined)
  return true
}

test('a document is asked for once, for all who name the same issuer and CA, and again after an hour', async (t) => {
  const clock = new FakeClock()
  const issuer = await startScriptedIssuer(t)
  const known = discoveriesOf({ clock })
  const found = await Promise.all(Array.from({ length: 20 }, () => known.get(issuer.issuer, issuer.caPem)))
  assert.equal(found[0]?.token_endpoint, `${issuer.issuer}/token`)
  await known.get(issuer.issuer, issuer.caPem)
  assert.deepEqual(issuer.paths, ['/.well-known/openid-configuration'])
  await clock.advance('1h')
  await known.get(issuer.issuer, issuer.caPem)
  known.forget(issuer.issuer, issuer.caPem)
  await known.get(issuer.issuer, issuer.caPem)
  assert.equal(issuer.paths.length, 3)
})

test('a failure is not remembered', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const metrics = await createMetrics()
  const known = discoveriesOf({ clock: new FakeClock(), metrics })
  issuer.discovery = { status: 404 }
  await assert.rejects(known.get(issuer.issuer, issuer.caPem), failed(/answered with status 404$/))
  issuer.discovery = undefined
  await known.get(issuer.issuer, issuer.caPem)
  const text = await metrics.text()
  assert.match(text, /lanyard_reach_discoveries_total\{outcome="found"\} 1/)
  assert.match(text, /lanyard_reach_discoveries_total\{outcome="failed"\} 1/)
})

test('who vouches for the issuer is verified, and what is wrong with its certificate is told', async (t) => {
  const [issuer, other] = [
    await startScriptedIssuer(t),
    await startScriptedIssuer(t, { dnsNames: ['idp.example.com'] }),
  ]
  const known = discoveriesOf({ clock: new FakeClock() })
  const untrusted = failed(/its certificate cannot be trusted: it is signed by an unknown authority/)
  await assert.rejects(known.get(issuer.issuer, undefined), untrusted)
  await assert.rejects(known.get(issuer.issuer, other.caPem), untrusted)
  await assert.rejects(known.get(other.issuer, other.caPem), failed(/cannot be trusted: it is for another host/))
  assert.deepEqual([issuer.paths, other.paths], [[], []])
  await known.get(issuer.issuer, issuer.caPem)
})

const answers: [what: string, script: Parameters<typeof respond>[0], detail: RegExp][] = [
  [
    'a redirect',
    { status: 302, headers: { location: 'https://127.0.0.1:1/' } },
    /a redirect \(302\), which is not followed/,
  ],
  ['no JSON', { body: '<html>', headers: { 'content-type': 'text/html' } }, /not JSON|not valid JSON/],
  ['broken JSON', { body: '{' }, /not valid JSON/],
  ['a list', { body: [] }, /its answer/],
  ['no issuer', { body: {} }, /its answer lacks/],
  ['an endless answer', { body: `"${'x'.repeat(300 * 1024)}"` }, /more than 256 KiB/],
  ['a broken connection', 'cut', /cannot be reached/],
  ['trouble', { status: 503 }, /status 503/],
]
const respond = (script: import('../../../../test/support/issuer.ts').Scripted) => script
for (const [what, script, detail] of answers)
  test(`${what} is no discovery document`, async (t) => {
    const issuer = await startScriptedIssuer(t)
    issuer.discovery = respond(script)
    const known = discoveriesOf({ clock: new FakeClock() })
    await assert.rejects(known.get(issuer.issuer, issuer.caPem), failed(detail))
  })

test('an issuer that hangs fails after ten seconds, and holds up nobody else', async (t) => {
  const clock = new FakeClock()
  const [hanging, other] = [await startScriptedIssuer(t), await startScriptedIssuer(t)]
  hanging.discovery = 'hang'
  const known = discoveriesOf({ clock })
  const outcome = assert.rejects(known.get(hanging.issuer, hanging.caPem), failed(/did not answer within 10 seconds/))
  await eventually('it was asked', () => hanging.paths.length === 1)
  await known.get(other.issuer, other.caPem)
  await clock.advance('10s')
  await outcome
})

test('who gives up waiting leaves the others waiting', async (t) => {
  const issuer = await startScriptedIssuer(t)
  issuer.discovery = 'hang'
  const clock = new FakeClock()
  const known = discoveriesOf({ clock })
  const impatient = new AbortController()
  const given = known.get(issuer.issuer, issuer.caPem, impatient.signal)
  const patient = known.get(issuer.issuer, issuer.caPem)
  impatient.abort(new Error('enough'))
  await assert.rejects(given, /enough/)
  const outcome = assert.rejects(patient, failed(/did not answer/))
  await clock.advance('10s')
  await outcome
})

test('a CA that is none is told as such', async (t) => {
  const issuer = await startScriptedIssuer(t)
  const known = discoveriesOf({ clock: new FakeClock() })
  const garbled = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  await assert.rejects(known.get(issuer.issuer, garbled), failed(/not valid PEM/))
})
