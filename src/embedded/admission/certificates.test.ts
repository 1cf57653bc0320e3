import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequest, generateKey } from '../../pki/index.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import { isAboutPath } from '../authorization/attributes.ts'
import { certificateApproval } from './certificate-approval.ts'
import { certificateSigning } from './certificate-signing.ts'
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts'
import { aWrite, kinds, outcome } from './testing/scene.ts'

/** Allows these verbs at these signers, and tells what it was asked. */
function authorizerOf(...allowed: string[]): Authorizer & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async authorize(attributes) {
      if (isAboutPath(attributes)) throw new Error('nobody asks about paths')
      const { verb, group, resource, name } = attributes
      asked.push(`${verb} ${resource}.${group} ${name}`)
      return allowed.includes(`${verb} ${name}`)
        ? { verdict: 'allow', reason: '' }
        : { verdict: 'no opinion', reason: '' }
    },
  }
}

const spec = { signerName: 'test.example/one' }
const change = (subresource: string, status: object = {}, before: object = {}) =>
  aWrite(kinds.requests, {
    operation: 'UPDATE',
    subresource,
    object: { spec, status },
    old: { spec, status: before },
  })
const forbidden = (why: string) =>
  `403 Forbidden: certificatesigningrequests.certificates.k8s.io "x" is forbidden: ${why}`

test('approving takes the right at the signer or at its domain', async () => {
  const write = change('approval')
  const nobody = authorizerOf('sign test.example/one')
  assert.equal(
    await outcome(certificateApproval(nobody).validate?.(write)),
    forbidden('user not permitted to approve requests with signerName "test.example/one"'),
  )
  assert.deepEqual(nobody.asked, [
    'approve signers.certificates.k8s.io test.example/one',
    'approve signers.certificates.k8s.io test.example/*',
  ])
  for (const right of ['approve test.example/one', 'approve test.example/*'])
    assert.equal(await outcome(certificateApproval(authorizerOf(right)).validate?.(write)), 'admitted')
  assert.equal(certificateApproval(nobody).concerns?.(change('status')), false)
})

test('signing takes the right at the signer, once something of the status changes', async () => {
  const step = certificateSigning(authorizerOf('approve test.example/one'))
  const conditions = [{ type: 'Failed', status: 'True' }]
  const certificate = 'abcd'
  const told = forbidden('user not permitted to sign requests with signerName "test.example/one"')
  assert.equal(await outcome(step.validate?.(change('status', { certificate }))), told)
  assert.equal(await outcome(step.validate?.(change('status', { conditions }))), told)
  assert.equal(await outcome(step.validate?.(change('status', { certificate }, { certificate }))), 'admitted')
  const signer = certificateSigning(authorizerOf('sign test.example/*'))
  assert.equal(await outcome(signer.validate?.(change('status', { certificate }))), 'admitted')
})

test('the signer of clients makes no masters', async () => {
  const { keyPem } = generateKey()
  const signerName = 'kubernetes.io/kube-apiserver-client'
  const asking = async (signer: string, ...organizations: string[]) => {
    const pem = await createRequest({ keyPem, subject: { commonName: 'a', organizations } })
    const request = Buffer.from(pem).toString('base64')
    return outcome(
      certificateSubjectRestriction.validate?.(
        aWrite(kinds.requests, { object: { spec: { signerName: signer, request } } }),
      ),
    )
  }
  assert.equal(
    await asking(signerName, 'b', 'system:masters'),
    forbidden('use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed'),
  )
  assert.equal(await asking(signerName, 'b'), 'admitted')
  assert.equal(await asking('test.example/one', 'system:masters'), 'admitted')
  const garbage = aWrite(kinds.requests, { object: { spec: { signerName, request: 'aGVsbG8=' } } })
  assert.match(await outcome(certificateSubjectRestriction.validate?.(garbage)), /is forbidden: failed to parse CSR: /)
})
