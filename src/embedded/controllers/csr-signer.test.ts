import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import { createRequest, generateKey, readCertificate } from '../../pki/index.ts'
import { csrSigner } from './csr-signer.ts'
import { controllerScene } from './testing/scene.ts'

const signerName = 'kubernetes.io/kube-apiserver-client'
const { keyPem } = generateKey()
const request = Buffer.from(await createRequest({ keyPem, subject: { commonName: 'jane' } })).toString('base64')
const approved = { conditions: [{ type: 'Approved', status: 'True' }] }

test('what was approved while nobody signed is signed at the start', async (t) => {
  const { clock, kube } = await controllerScene(t, (deps, informers) => {
    const spec = { request, signerName, usages: ['client auth'] }
    void deps.kube.of(certificateSigningRequests).create({ metadata: { name: 'a' }, spec, status: approved })
    return csrSigner(deps, informers)
  })
  // Signatures are made outside of the event loop, whose turns the clock counts.
  const certificate = await eventually('it is signed', async () => {
    await clock.settle(5)
    return (await kube.of(certificateSigningRequests).find('a'))?.status?.certificate
  })
  const { subject, notBefore, notAfter } = readCertificate(Buffer.from(certificate, 'base64').toString())
  assert.equal(subject.commonName, 'jane')
  assert.equal(notBefore.toISOString(), '2026-06-01T11:55:00.000Z')
  assert.equal(notAfter.toISOString(), '2027-06-01T11:55:00.000Z')
})

test('what is issued, denied or failed is not signed, and nothing is written', async (t) => {
  const { clock, kube } = await controllerScene(t, csrSigner)
  const requests = kube.of(certificateSigningRequests)
  const spec = { request, signerName, usages: ['client auth'] }
  const conditions = (...types: string[]) => types.map((type) => ({ type, status: 'True' }))
  await requests.create({ metadata: { name: 'issued' }, spec, status: { ...approved, certificate: 'eA==' } })
  await requests.create({ metadata: { name: 'denied' }, spec, status: { conditions: conditions('Denied') } })
  await requests.create({ metadata: { name: 'both' }, spec, status: { conditions: conditions('Approved', 'Denied') } })
  await requests.create({
    metadata: { name: 'failed' },
    spec,
    status: { conditions: conditions('Approved', 'Failed') },
  })
  await clock.settle(50)
  assert.equal(kube.count('update', 'patch'), 0)
})

test('a request that cannot be read is given up, once', async (t) => {
  const { clock, kube } = await controllerScene(t, csrSigner)
  const spec = { request: 'bm90aGluZw==', signerName, usages: ['client auth'] }
  await kube.of(certificateSigningRequests).create({ metadata: { name: 'odd' }, spec, status: approved })
  await clock.advance('1h')
  assert.equal(kube.count('update', 'patch'), 0)
})
