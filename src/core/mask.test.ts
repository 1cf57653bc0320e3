import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { processorMs } from '../../test/support/processor-time.ts'
import { maskText } from './mask.ts'

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string
const secretLines = pem.split('\n').slice(1, -2)
const jwt = `${part({ alg: 'ES256', kid: '1' })}.${part({ sub: 'system:serviceaccount:a:b' })}.c2lnbmF0dXJl`

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

test('a private key in PEM is masked and its surroundings stay', () => {
  const masked = maskText(`cannot parse ${pem} at line 3`)
  for (const line of secretLines) assert.doesNotMatch(masked, new RegExp(line.replace(/[+/]/g, '.')))
  assert.equal(masked, 'cannot parse -----BEGIN PRIVATE KEY-----***\n at line 3')
})

test('a private key that was cut off is masked to the end of its string', () => {
  const line = JSON.stringify({ before: 'x', key: pem.slice(0, 90), after: 'y' })
  assert.deepEqual(JSON.parse(maskText(line)), { before: 'x', key: '-----BEGIN PRIVATE KEY-----***', after: 'y' })
})

test('a legacy encrypted key with headers is masked whole', () => {
  const legacy =
    '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,00\n\nMHcCAQ\n-----END EC PRIVATE KEY-----'
  assert.equal(maskText(`<${legacy}>`), '<-----BEGIN EC PRIVATE KEY-----***>')
})

test('a key in base64 is masked, a certificate in base64 is public and stays', () => {
  const key = Buffer.from(pem).toString('base64')
  const certificate = Buffer.from('-----BEGIN CERTIFICATE-----\nMIIB\n').toString('base64')
  assert.equal(
    maskText(`client-key-data: ${key}\nclient-certificate-data: ${certificate}`),
    `client-key-data: ***\nclient-certificate-data: ${certificate}`,
  )
})

test('a key that comes after its certificate is masked in base64 as well, wherever it starts', () => {
  for (const comment of ['', 'a', 'ab']) {
    const certificate = `-----BEGIN CERTIFICATE-----\nMIIB${comment}\n-----END CERTIFICATE-----\n`
    assert.equal(maskText(Buffer.from(certificate + pem).toString('base64')), '***')
    assert.notEqual(maskText(Buffer.from(certificate + certificate).toString('base64')), '***')
  }
})

test('a backslash inside or at the end of a private key hides nothing from the mask', () => {
  const begin = '-----BEGIN PRIVATE KEY-----'
  assert.equal(maskText(`${begin}\nMIIcanary\\\nMORE\n-----END PRIVATE KEY-----.`), `${begin}***.`)
  assert.equal(maskText(`${begin}\nMIIcanary\\`), `${begin}***`)
})

test('a token at the start of a line is masked inside JSON too', () => {
  for (const before of ['\n', '\t', '\u001b', 'at=%20']) {
    assert.deepEqual(JSON.parse(maskText(JSON.stringify(`${before}${jwt}`))), `${before}***`)
    if (before !== 'at=%20')
      assert.deepEqual(JSON.parse(maskText(JSON.stringify(`${before}Bearer s3cr3t123`))), `${before}Bearer ***`)
  }
})

test('a long line that only looks suspicious costs little', () => {
  const pieces = [
    '-eyJ',
    'LS0tLS1CRUdJTi',
    '://a:',
    '-----BEGIN PRIVATE KEY-----\\',
    'Bearer ',
    '\\n',
    'k8s-aws-v1.',
    'x-amz-signature\\\\',
  ]
  for (const piece of pieces) {
    const tookMs = processorMs(() => void maskText(piece.repeat(100_000 / piece.length)))
    assert.ok(tookMs < 1_000, piece)
  }
})

test('tokens and passwords in common dress are masked', () => {
  assert.equal(maskText(`the token ${jwt} has expired`), 'the token *** has expired')
  assert.equal(maskText('authorization: Bearer sha256~abcdef-1234'), 'authorization: Bearer ***')
  assert.equal(maskText('Basic dXNlcjpwYXNz'), 'Basic ***')
  assert.equal(maskText('connect postgres://lanyard:hunter2@db:5432/x'), 'connect postgres://lanyard:***@db:5432/x')
  assert.equal(maskText('amqp://u:p@ss@host/a b@c'), 'amqp://u:***@host/a b@c')
})

test('a token for EKS is masked, alone and as a bearer', () => {
  const token = `k8s-aws-v1.${Buffer.from('https://sts.eu-west-1.amazonaws.com/?Action=x').toString('base64url')}`
  assert.equal(maskText(`the hub refused ${token}.`), 'the hub refused k8s-aws-v1.***.')
  assert.equal(maskText(`authorization: Bearer ${token}`), 'authorization: Bearer ***')
  assert.deepEqual(JSON.parse(maskText(JSON.stringify({ token, kept: 'x' }))), { token: 'k8s-aws-v1.***', kept: 'x' })
})

test('the session of AWS in a presigned URL or a header is masked, and what signs it', () => {
  const session = 'FwoGZXIvYXdzE+canary/=='
  const encoded = encodeURIComponent(session)
  const url = `https://sts.amazonaws.com/?Action=x&X-Amz-Security-Token=${encoded}&X-Amz-Date=1&X-Amz-Signature=00ff`
  const masked = 'https://sts.amazonaws.com/?Action=x&X-Amz-Security-Token=***&X-Amz-Date=1&X-Amz-Signature=***'
  assert.equal(maskText(`GET ${url} failed`), `GET ${masked} failed`)
  assert.deepEqual(JSON.parse(maskText(JSON.stringify({ url }))), { url: masked })
  const lines = (value: string) => `host:a\nx-amz-security-token:${value}\nX-Amz-Security-Token: ${value}\n\nhost`
  assert.equal(maskText(lines(session)), lines('***'))
  assert.deepEqual(JSON.parse(maskText(JSON.stringify(lines(session)))), lines('***'))
  const headers = { 'x-amz-security-token': session, 'X-Amz-Security-Token': [session], host: 'a' }
  const hiddenHeaders = { 'x-amz-security-token': '***', 'X-Amz-Security-Token': ['***'], host: 'a' }
  assert.deepEqual(JSON.parse(maskText(JSON.stringify(headers))), hiddenHeaders)
  assert.deepEqual(JSON.parse(JSON.parse(maskText(JSON.stringify(JSON.stringify(headers))))), hiddenHeaders)
  for (const text of ['{"x-amz-security-token":null}', 'x-amz-date;x-amz-security-token', 'see k8s-aws-v1'])
    assert.equal(maskText(text), text)
})

test('ordinary text stays as it is', () => {
  for (const text of [
    'https://hub:6443/apis',
    'the bearer of this',
    'basic constraints and bearer tokens',
    'see https://a.example/x@y',
    'eye',
  ])
    assert.equal(maskText(text), text)
})

test('a masked line of JSON is still JSON, whatever the strings hold', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      pem,
      pem.slice(0, 70),
      jwt,
      `Bearer ${jwt}`,
      'a://b:c@d',
      'x-amz-signature:',
      '\\',
      '"',
      '-----BEGIN PRIVATE KEY-----',
    ),
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), text), (fields) => {
      const masked = maskText(JSON.stringify(fields))
      assert.deepEqual(Object.keys(JSON.parse(masked)), Object.keys(fields))
      assert.ok(!masked.includes(jwt))
      assert.ok(!secretLines.some((line) => masked.includes(line)))
    }),
    { numRuns: 500 },
  )
})
