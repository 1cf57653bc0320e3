import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExecCredential } from './exec-output.ts'
import { failures } from './failures.ts'
import { aCertificate, failureOf } from './testing/fixtures.ts'

const apiVersion = 'client.authentication.k8s.io/v1'
const [pair, other] = [await aCertificate('me'), await aCertificate('other')]

const bad = (problem: string) =>
  failures.KUBECONFIG_EXEC_BAD_OUTPUT({ source: '/c', field: 'users[0].user.exec', command: 'plugin', problem })
const read = (document: unknown) =>
  parseExecCredential(typeof document === 'string' ? document : JSON.stringify(document), apiVersion, bad)
const credential = (status: unknown) => ({ kind: 'ExecCredential', apiVersion, status })
const problemOf = async (document: unknown) =>
  String(
    (await failureOf(() => read(document), 'KUBECONFIG_EXEC_BAD_OUTPUT', 'canary', other.keyPem)).params['problem'],
  )

test('a token with an end is read', () => {
  const { token, expiresAt, certificate } = read(
    credential({ token: 'T', expirationTimestamp: '2026-01-01T01:00:00+01:00', clientKeyData: null }),
  )
  assert.equal(token?.reveal(), 'T')
  assert.equal(expiresAt?.toISOString(), '2026-01-01T00:00:00.000Z')
  assert.equal(certificate, undefined)
})

test('a certificate with its key is read', () => {
  const { token, certificate, expiresAt } = read(
    credential({ clientCertificateData: pair.certPem, clientKeyData: pair.keyPem }),
  )
  assert.deepEqual([certificate?.certPem, certificate?.keyPem.reveal()], [pair.certPem, pair.keyPem])
  assert.deepEqual([token, expiresAt], [undefined, undefined])
})

test('a plugin may print YAML, as client-go reads it too', () => {
  const { token } = read(`kind: ExecCredential\napiVersion: ${apiVersion}\nstatus:\n  token: "1"\n`)
  assert.equal(token?.reveal(), '1')
})

test('what cannot be used is told by its field and not shown', async () => {
  assert.equal(await problemOf(''), 'it is not JSON')
  assert.equal(await problemOf('{"status": {"token": "canary"'), 'it is not JSON')
  assert.equal(await problemOf('canary'), 'document must be a mapping')
  assert.equal(await problemOf({ kind: 'Token', token: 'canary' }), 'kind must be ExecCredential')
  assert.equal(
    await problemOf({ ...credential({ token: 'canary' }), apiVersion: 'client.authentication.k8s.io/v1beta1' }),
    `apiVersion must be ${apiVersion}, as in the kubeconfig`,
  )
  assert.equal(await problemOf(credential(undefined)), 'status is missing')
  assert.match(await problemOf(credential({})), /^status needs token, or /)
  assert.match(await problemOf(credential({ token: 'canary\n' })), /^status\.token holds characters/)
  assert.match(await problemOf(credential({ token: 'canary', clientKeyData: pair.keyPem })), /needs both of/)
  assert.match(
    await problemOf(credential({ clientCertificateData: pair.certPem, clientKeyData: other.keyPem })),
    /client key \(status\.clientKeyData\) does not belong/,
  )
  assert.match(
    await problemOf(credential({ clientCertificateData: pair.certPem, clientKeyData: 'canary' })),
    /^status\.clientKeyData: holds no PEM private key/,
  )
  for (const expirationTimestamp of ['tomorrow', '2026', 1767225600])
    assert.match(await problemOf(credential({ token: 'canary', expirationTimestamp })), /must be an RFC 3339 time/)
})
