import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cellsOf,
  created,
  updated,
  whyNotCreated,
  whyNotUpdated,
  writeContext,
} from '../../../test/support/kind-rules.ts'
import { createSelfSigned, generateKey } from '../../pki/index.ts'
import { secrets } from './secret.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('plain text is folded into the data, and wins', () => {
  const secret = created(secrets, { data: { a: base64('1') }, stringData: { a: '2', b: 'ü' } })
  assert.deepEqual(secret['data'], { a: base64('2'), b: base64('ü') })
  assert.equal('stringData' in secret, false)
  assert.equal(secret['type'], 'Opaque')
})

test('the size is that of the bytes, not of their base64', () => {
  const most = 1024 * 1024
  assert.deepEqual(whyNotCreated(secrets, { data: { a: Buffer.alloc(most).toString('base64') } }), [])
  assert.deepEqual(whyNotCreated(secrets, { data: { a: Buffer.alloc(most + 1).toString('base64') } }), [
    'data: Too long: may not be more than 1048576 bytes',
  ])
})

test('a broken pull configuration is refused without a word of it', () => {
  const pull = (config: string) =>
    whyNotCreated(secrets, { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': config } })
  assert.deepEqual(pull('{}'), [])
  for (const config of ['hush', '"hush"', '["hush"]', '{"hush"', ''])
    assert.match(
      pull(config).join(),
      /^data\[\.dockerconfigjson\]: Invalid value: "<secret contents redacted>": (?!.*hush)/,
    )
})

test('type and, once immutable, data stay', () => {
  const old = created(secrets, { type: 'x/y', immutable: true, data: { a: '' } })
  assert.deepEqual(whyNotUpdated(secrets, old, { metadata: { ...old.metadata, labels: {} } }), [])
  assert.deepEqual(whyNotUpdated(secrets, old, { type: 'x/z', immutable: undefined, data: {} }), [
    'type: Invalid value: "x/z": field is immutable',
    'immutable: Forbidden: field is immutable when `immutable` is set',
    'data: Forbidden: field is immutable when `immutable` is set',
  ])
  assert.equal(updated(secrets, old, { data: { b: '' } })['type'], 'x/y')
})

test('a certificate whose key is another is warned of', async () => {
  const { certPem, keyPem } = await createSelfSigned({
    subject: { commonName: 'x' },
    clock: { now: () => writeContext.now },
    lifetimeMs: 60_000,
  })
  const warned = (crt: string, key: string) => {
    const stringData = { 'tls.crt': crt, 'tls.key': key }
    return secrets.rules?.warnings?.(created(secrets, { type: 'kubernetes.io/tls', stringData }))
  }
  assert.deepEqual(warned('x', 'y'), ['tls: failed to find any PEM data in certificate input'])
  assert.deepEqual(warned(certPem, 'y'), ['tls: failed to find any PEM data in key input'])
  assert.deepEqual(warned(certPem, generateKey().keyPem.reveal()), ['tls: private key does not match public key'])
  assert.deepEqual(warned(certPem, keyPem.reveal()), [])
})

test('a table counts keys', () => {
  assert.deepEqual(cellsOf(secrets, created(secrets, { data: { a: '', b: '' } })), { Type: 'Opaque', Data: 2 })
})
