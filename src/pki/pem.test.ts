import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { isFailure } from '../core/failure.ts'
import { joinPem, onlyBlocks, splitPem } from './pem.ts'

const label = fc.constantFrom('CERTIFICATE', 'PRIVATE KEY', 'EC PARAMETERS', 'CERTIFICATE REQUEST')
const der = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes))
const blocks = fc.array(fc.record({ label, der }, { noNullPrototype: true }), { maxLength: 4 })
/** What people and openssl write around blocks. */
const prose = fc.oneof(
  fc.string(),
  fc.constantFrom('-----', 'Example CA\n----------', 'Subject: CN=a', '---\nServer certificate'),
)
const newline = fc.constantFrom('\n', '\r\n', '\r')

const broken = (text: string) =>
  assert.throws(
    () => splitPem(text),
    (error) => isFailure(error, 'PKI_PEM_BROKEN'),
  )

test('blocks come out as they went in', () => {
  fc.assert(fc.property(blocks, (all) => assert.deepEqual(splitPem(joinPem(all)), all)))
})

test('text around blocks, line ends and indentation do not matter', () => {
  fc.assert(
    fc.property(blocks, prose, newline, (all, text, eol) => {
      const pem = all.map((block) => `${text}\n${joinPem([block])}`).join('')
      const written = `${pem}${text}`.replaceAll('\n', `${eol}  `)
      assert.deepEqual(splitPem(written), all)
    }),
  )
})

test('lines have 64 characters and the text ends with a newline', () => {
  const pem = joinPem([{ label: 'CERTIFICATE', der: Buffer.alloc(100) }])
  assert.deepEqual(
    pem.split('\n').map((line) => line.length),
    [27, 64, 64, 8, 25, 0],
  )
})

test('a text cut off anywhere inside its block is refused', () => {
  const pem = joinPem([{ label: 'CERTIFICATE', der: Buffer.from('a certificate, or so it says') }])
  for (let end = 11; end < pem.length - 1; end++) broken(pem.slice(0, end))
})

const brokenTexts = {
  'a block that ends under another label': '-----BEGIN A-----\nAAAA\n-----END B-----',
  'a block inside another': '-----BEGIN A-----\nAAAA\n-----BEGIN A-----\nAAAA\n-----END A-----',
  'an end without a beginning': '-----END A-----',
  'an empty block': '-----BEGIN A-----\n-----END A-----',
  'base64 with a foreign character': '-----BEGIN A-----\nAA*A\n-----END A-----',
  'base64 with wrong padding': '-----BEGIN A-----\nAAA\n-----END A-----',
  'a block written on one line': '-----BEGIN A-----AAAA-----END A-----',
  'a boundary with a dash too few': '-----BEGIN A----\nAAAA\n-----END A-----',
  'headers of an encrypted key':
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----',
}
for (const [name, text] of Object.entries(brokenTexts)) test(`${name} is refused`, () => broken(text))

test('the failure names the line', () => {
  assert.throws(() => splitPem('hello\n\n-----BEGIN A-----\nAAAA'), /line 3: A has no end/)
})

test('no failure repeats the text, which may be a key', () => {
  for (const text of [
    '-----BEGIN PRIVATE KEY-----\ncanary-canary\n-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\ncanary: canary\n-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----canary\n',
  ]) {
    assert.throws(
      () => splitPem(text),
      (error) =>
        !inspect(error)
          .replaceAll(/\n {4}at .*/g, '')
          .includes('canary'),
    )
  }
})

test('only blocks of the expected kind are taken, and at least one', () => {
  const block = (label: string) => joinPem([{ label, der: Buffer.of(1) }])
  const missing = (found: string) => (error: unknown) =>
    isFailure(error, 'PKI_PEM_MISSING') && error.params['found'] === found
  assert.deepEqual(onlyBlocks(block('A') + block('A'), 'A'), [Buffer.of(1), Buffer.of(1)])
  assert.throws(() => onlyBlocks('no block here', 'A'), missing('none'))
  assert.throws(() => onlyBlocks(block('A') + block('PRIVATE KEY'), 'A'), missing('PRIVATE KEY'))
})
