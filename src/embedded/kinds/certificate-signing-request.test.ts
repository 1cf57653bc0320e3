import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cellsOf, created, submitted, updated, whyNotCreated, writeContext } from '../../../test/support/kind-rules.ts'
import { createRequest, createSelfSigned, generateKey } from '../../pki/index.ts'
import type { ApiObject } from '../objects.ts'
import { certificateSigningRequests } from './certificate-signing-request.ts'
import { requestFlaw } from './csr-checks.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const time = '2026-01-02T03:04:05Z'
const approved = { type: 'Approved', status: 'True' }

let request = ''
let certificate = ''
const spec = (change: object = {}) => ({
  spec: { request, signerName: 'example.com/nobody', usages: ['client auth'], ...change },
})
const approval = (old: ApiObject, conditions: object[]) =>
  submitted(certificateSigningRequests, 'approval', old, { status: { conditions } })
const status = (old: ApiObject, change: object) =>
  submitted(certificateSigningRequests, 'status', old, { status: change })

before(async () => {
  request = base64(await createRequest({ keyPem: generateKey().keyPem, subject: { commonName: 'x' } }))
  const made = await createSelfSigned({
    subject: { commonName: 'x' },
    clock: { now: () => writeContext.now },
    lifetimeMs: 60_000,
  })
  certificate = base64(made.certPem)
})

test('who asks is what the server knows', () => {
  const csr = created(
    certificateSigningRequests,
    spec({ username: 'eve', uid: 'x', groups: ['g'], extra: { a: ['b'] } }),
  )
  assert.deepEqual(csr['spec'], {
    ...spec().spec,
    username: 'jane',
    uid: 'u-1',
    groups: ['dev', 'system:authenticated'],
    extra: { scope: ['all'] },
  })
  assert.deepEqual(csr['status'], {})
})

test('a request whose bytes were tampered with is refused', () => {
  const pem = Buffer.from(request, 'base64').toString()
  const body = pem.split('\n').slice(1, -2).join('')
  const der = Buffer.from(body, 'base64')
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1)
  const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
  assert.deepEqual(whyNotCreated(certificateSigningRequests, spec()), [])
  assert.equal(whyNotCreated(certificateSigningRequests, spec({ request: base64(forged) })).length, 1)
})

test('neither spec nor status change through the main resource', () => {
  const old = created(certificateSigningRequests, spec())
  const next = updated(certificateSigningRequests, old, { ...spec({ usages: ['any'] }), status: { certificate } })
  assert.deepEqual([next['spec'], next['status']], [old['spec'], {}])
})

test('a decision is stamped with its time', () => {
  const old = created(certificateSigningRequests, spec())
  const { object, errors } = approval(old, [approved])
  assert.deepEqual(errors, [])
  assert.deepEqual(object['status'], { conditions: [{ ...approved, lastUpdateTime: time, lastTransitionTime: time }] })
})

test('what is the same keeps the time since when it is', () => {
  const then = '2026-01-01T00:00:00Z'
  const old = created(certificateSigningRequests, spec())
  old['status'] = { conditions: [{ type: 'Odd', status: 'True', lastUpdateTime: then, lastTransitionTime: then }] }
  const { object } = status(old, { conditions: [{ type: 'Odd', status: 'True' }] })
  assert.deepEqual(object['status'], {
    conditions: [{ type: 'Odd', status: 'True', lastUpdateTime: time, lastTransitionTime: then }],
  })
})

test('status cannot decide, and keeps the words of who did', () => {
  const old = created(certificateSigningRequests, spec())
  assert.deepEqual(status(old, { conditions: [approved] }).errors, [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ])
  const decided = approval(old, [{ ...approved, reason: 'Mine' }]).object
  const { object, errors } = status(decided, { conditions: [{ ...approved, reason: 'Theirs' }], certificate })
  assert.deepEqual(errors, [])
  assert.deepEqual(
    (object['status'] as { conditions: object[] }).conditions,
    (decided['status'] as { conditions: object[] }).conditions,
  )
})

test('a certificate is one, and stays', () => {
  const old = created(certificateSigningRequests, spec())
  assert.equal(status(old, { certificate: base64('x') }).errors.length, 1)
  const issued = status(old, { certificate }).object
  assert.deepEqual(
    status(issued, { certificate: base64('x') }).errors.at(-1),
    'status.certificate: Forbidden: updates may not modify existing certificate content',
  )
  assert.deepEqual(approval(issued, [approved]).object['status'], {
    certificate,
    conditions: [{ ...approved, lastUpdateTime: time, lastTransitionTime: time }],
  })
})

test('a table tells how far it got', () => {
  const csr = created(certificateSigningRequests, spec({ expirationSeconds: 7200 }))
  assert.deepEqual(cellsOf(certificateSigningRequests, csr), {
    SignerName: 'example.com/nobody',
    Requestor: 'jane',
    RequestedDuration: '120m',
    Condition: 'Pending',
  })
  csr['status'] = { conditions: [{ type: 'Denied' }, { type: 'Failed' }], certificate }
  assert.equal(cellsOf(certificateSigningRequests, csr)['Condition'], 'Denied,Failed,Issued')
})

test('a request without an end is none', () => {
  const request = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\n').toString('base64')
  assert.equal(requestFlaw(request), 'PEM block type must be CERTIFICATE REQUEST')
})
