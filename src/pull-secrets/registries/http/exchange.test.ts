import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silenceOf } from './exchange.ts'

const error = (code?: string) => Object.assign(new Error('x'), { ...(code && { code }) })
const cases: [code: string | undefined, isConnected: boolean, why: string, wasSent: boolean][] = [
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', true, 'certificate-refused', false],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', true, 'certificate-refused', false],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', true, 'certificate-refused', false],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', true, 'reset', true],
  ['ECONNRESET', true, 'reset', true],
  ['ECONNREFUSED', false, 'unreachable', false],
  ['CERT_HAS_EXPIRED', false, 'unreachable', false],
  [undefined, true, 'reset', true],
]
for (const [code, isConnected, why, wasSent] of cases)
  test(`${code} ${isConnected ? 'after' : 'before'} the connection stood: ${why}`, () => {
    const silence = silenceOf(error(code), isConnected)
    assert.deepEqual([silence.why, silence.wasSent], [why, wasSent])
  })
