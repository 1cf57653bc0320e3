import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../../core/failure.ts'
import { Secret } from '../../../../core/secret.ts'
import { formatExecCredential, wantedVersion } from './exec-credential.ts'

const token = { token: Secret.of('k8s-aws-v1.aGk'), expiresAt: new Date('2026-01-01T00:14:00.999Z') }
const info = (apiVersion: unknown) =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } })

test('the credential has the token and its end, to the second and never later', () => {
  assert.deepEqual(JSON.parse(formatExecCredential(token, 'client.authentication.k8s.io/v1beta1')), {
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    spec: {},
    status: { expirationTimestamp: '2026-01-01T00:14:00Z', token: 'k8s-aws-v1.aGk' },
  })
})

test('it is of the version that whoever runs the plugin asks for, and v1beta1 where nobody does', () => {
  assert.equal(wantedVersion(info('client.authentication.k8s.io/v1')), 'client.authentication.k8s.io/v1')
  for (const text of [undefined, '', 'no JSON', '{}', 'null', info(1), info('client.authentication.k8s.io/v1beta1')])
    assert.equal(wantedVersion(text), 'client.authentication.k8s.io/v1beta1')
})

test('a version that does not exist any more is refused with those that do', () => {
  assert.throws(
    () => wantedVersion(info('client.authentication.k8s.io/v1alpha1')),
    (error) => isFailure(error, 'AWS_EXEC_INFO_INVALID') && /v1beta1 or .*\/v1$/.test(error.message),
  )
})
