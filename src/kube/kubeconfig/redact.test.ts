import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/support/processor-time.ts'
import { redact } from './redact.ts'
import { aCertificate } from './testing/fixtures.ts'

const { keyPem } = await aCertificate('me')

test('known secrets are hidden wherever they stand, the longer ones first', () => {
  assert.equal(redact('got abcdefgh and abcdefghij!', ['abcdefgh', 'abcdefghij']), 'got *** and ***!')
})

test('short values stay, for they are words', () => {
  assert.equal(redact('profile dev not found', ['dev']), 'profile dev not found')
})

test('what looks like a credential is hidden though nobody named it', () => {
  const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl`
  assert.ok(!redact(`invalid: ${jwt}`, []).includes('eyJ'))
  assert.ok(!redact(`using\n${keyPem}`, []).includes(keyPem.split('\n')[1] ?? ''))
  assert.equal(redact('Authorization: Bearer s3cr3t-t0ken', []), 'Authorization: Bearer ***')
  assert.equal(redact('client_secret=hunter2hunter2 rejected', []), 'client_secret=*** rejected')
  assert.equal(redact('{"access_token": "0123456789"}', []), '{"access_token": "***"}')
  assert.equal(redact(`got k8s-aws-v1${'aB3'.repeat(20)}`, []), 'got ***')
})

test('ordinary messages stay readable', () => {
  const said = [
    'Unable to locate credentials. You can configure credentials by running "aws configure".',
    'open /home/me/.cache/kube-login/very/long/path/of/some/plugin/v1.2.3/state.json: permission denied',
    'dial tcp 10.0.0.1:443: i/o timeout',
  ]
  for (const text of said) assert.equal(redact(text, []), text)
})

test('nothing that could drive a terminal gets through', () => {
  assert.equal(redact('\u001b[31mred\u001b[0m\u0007 \u202eevil\r\nnext\ttab', []), 'red evil\nnext\ttab')
})

test('of a long text the end is shown', () => {
  const shown = redact(`start${' word'.repeat(1_000)} the reason`, [])
  assert.ok(shown.endsWith('the reason'))
  assert.ok(shown.length < 1_010)
  assert.ok(!shown.includes('start'))
})

test('a mebibyte of anything is dealt with at once, and a secret that was cut does not show', () => {
  const tookMs = processorMs(() => {
    for (const unit of ['a-', ' ', '=', 'token= ', '\u001b[', 'key:"', '1a-', '-----BEGIN PRIVATE KEY-----'])
      redact(unit.repeat(2 ** 20 / unit.length), [])
  })
  assert.ok(tookMs < 2_000)
  assert.equal(redact(`${'canary-'.repeat(1_000)}x failed`, ['canary-'.repeat(1_000)]), 'failed')
})
