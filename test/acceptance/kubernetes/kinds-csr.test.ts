/** certificates.k8s.io/v1: who asks, for what, and who decides. Signing is the business of a controller. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import type { Stored } from '../../../src/kube/objects.ts'
import { generateKey, publicKeyOf } from '../../../src/pki/index.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aSigningRequest } from '../../support/kind-samples.ts'
import { base64, clusterWide, kindScene, whyInvalid } from '../../support/kind-scene.ts'

type Csr = CertificateSigningRequest
type Condition = NonNullable<NonNullable<Csr['status']>['conditions']>[number]

const approved: Condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'by a test' }
const denied: Condition = { type: 'Denied', status: 'True', reason: 'Test', message: 'by a test' }

async function scene(t: TestContext, spec: Partial<Csr['spec']> = {}) {
  const { kube, plane } = await kindScene(t)
  const collection = kube.of(certificateSigningRequests)
  const created = await clusterWide(t, collection, await aSigningRequest(uniqueName('csr'), spec))
  const submit = async (subresource: 'approval' | 'status', status: Csr['status'], on: Stored<Csr> = created) =>
    await collection.update({ ...on, metadata: { name: on.metadata.name }, status: status ?? {} }, { subresource })
  return { kube, plane, collection, created, submit }
}

const why = async (t: TestContext, spec: Partial<Csr['spec']>): Promise<string> => {
  const { kube } = await kindScene(t)
  const request = await aSigningRequest('sample', spec)
  return await whyInvalid(kube.of(certificateSigningRequests).create(request, { dryRun: true }))
}

describe('certificate signing requests', needsControlPlane, () => {
  test('E13: a CertificateSigningRequest says who made it, whatever the client says', async (t) => {
    const { created } = await scene(t, { username: 'eve', uid: 'u', groups: ['g'], extra: { a: ['b'] } })
    const { username, uid, groups, extra } = created.spec
    assert.deepEqual(
      [username, uid, groups],
      ['kubernetes-admin', undefined, ['system:masters', 'system:authenticated']],
    )
    assert.equal(extra?.['a'], undefined)
    assert.deepEqual(created.status, {})
  })

  test('E13: a CertificateSigningRequest holds a certificate request in PEM', async (t) => {
    const request = base64(publicKeyOf(generateKey().keyPem))
    const told = 'PEM block type must be CERTIFICATE REQUEST'
    assert.equal(await why(t, { request }), `spec.request: Invalid value: "${request}": ${told}`)
    assert.equal(await why(t, { request: base64('x') }), `spec.request: Invalid value: "${base64('x')}": ${told}`)
  })

  test('E13: the signer of a CertificateSigningRequest is a domain and a path', async (t) => {
    const about = (signerName: string) => why(t, { signerName })
    const path = 'spec.signerName'
    assert.equal(await about(''), `${path}: Required value`)
    assert.equal(
      await about('nobody'),
      `${path}: Invalid value: "nobody": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    )
    assert.equal(
      await about('local/nobody'),
      `${path}: Invalid value: "local": should be a domain with at least two segments separated by dots`,
    )
    assert.equal(
      await about('kubernetes.io/legacy-unknown'),
      `${path}: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version`,
    )
    assert.match(
      await about('A_.com/x'),
      /^spec\.signerName: Invalid value: "A_\.com": validating label "A_": a lowercase RFC 1123 label/,
    )
    assert.match(
      await about('a.com/X'),
      /^spec\.signerName: Invalid value: "X": validating label "X": a lowercase RFC 1123 subdomain/,
    )
  })

  test('E13: the usages of a CertificateSigningRequest are known ones, each once', async (t) => {
    assert.equal(await why(t, { usages: [] }), 'spec.usages: Required value')
    assert.equal(
      await why(t, { usages: ['client auth', 'client auth'] }),
      'spec.usages[1]: Duplicate value: "client auth"',
    )
    assert.equal(
      await why(t, { usages: ['mischief'] }),
      'spec.usages[0]: Unsupported value: "mischief": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"',
    )
  })

  test('E13: a CertificateSigningRequest asks for ten minutes at least', async (t) => {
    assert.equal(
      await why(t, { expirationSeconds: 599 }),
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)',
    )
    assert.equal((await scene(t, { expirationSeconds: 600 })).created.spec.expirationSeconds, 600)
  })

  test('E13: neither spec nor status of a CertificateSigningRequest change through the main resource', async (t) => {
    const { collection, created } = await scene(t)
    const changed = await collection.patch(created.metadata.name, {
      type: 'merge',
      body: {
        spec: { usages: ['any'], username: 'eve' },
        status: { conditions: [approved] },
        metadata: { labels: { a: 'b' } },
      },
    })
    assert.deepEqual([changed.spec, changed.status, changed.metadata.labels], [created.spec, {}, { a: 'b' }])
  })

  test('E13: approval sets conditions and their times, and nothing else', async (t) => {
    const { created, submit } = await scene(t)
    const after = await submit(
      'approval',
      { conditions: [approved], certificate: base64('x') },
      { ...created, spec: { ...created.spec, usages: ['any'] } },
    )
    assert.deepEqual(after.spec, created.spec)
    assert.equal(after.status?.certificate, undefined)
    const [condition, ...more] = after.status?.conditions ?? []
    assert.deepEqual(
      { ...condition, lastUpdateTime: '', lastTransitionTime: '' },
      { ...approved, lastUpdateTime: '', lastTransitionTime: '' },
    )
    assert.match(condition?.lastUpdateTime ?? '', /^20\d\d-.*:\d\dZ$/)
    assert.match(condition?.lastTransitionTime ?? '', /^20\d\d-.*:\d\dZ$/)
    assert.equal(more.length, 0)
  })

  test('E13: approval and denial exclude one another, hold for good and are never half true', async (t) => {
    const { submit } = await scene(t)
    const path = 'status.conditions'
    assert.equal(
      await whyInvalid(submit('approval', { conditions: [approved, denied] })),
      `${path}: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive`,
    )
    assert.equal(
      await whyInvalid(submit('approval', { conditions: [{ ...approved, status: 'False' }] })),
      `${path}[0].status: Unsupported value: "False": supported values: "True"`,
    )
    assert.equal(
      await whyInvalid(submit('approval', { conditions: [{ type: '', status: '' }, approved, approved] })),
      `[${path}[0].type: Required value, ${path}[0].status: Required value, ${path}[2].type: Duplicate value: "Approved"]`,
    )
    await submit('approval', { conditions: [denied] })
    assert.equal(
      await whyInvalid(submit('approval', { conditions: [] })),
      `${path}: Forbidden: updates may not remove a condition of type "Denied"`,
    )
  })

  test('E13: status takes certificates and other conditions, and no decision', async (t) => {
    const { submit, plane } = await scene(t)
    await submit('approval', { conditions: [approved] })
    const path = 'status.conditions'
    assert.equal(
      await whyInvalid(submit('status', { conditions: [approved, denied] })),
      `[${path}: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive, ${path}: Forbidden: updates may not add a condition of type "Denied"]`,
    )
    assert.equal(
      await whyInvalid(submit('status', { conditions: [] })),
      `${path}: Forbidden: updates may not remove a condition of type "Approved"`,
    )
    const certificate = base64(plane.caPem)
    const failed = { type: 'Failed', status: 'True' }
    const after = await submit('status', { conditions: [{ ...approved, reason: 'Other' }, failed], certificate })
    assert.equal(after.status?.certificate, certificate)
    assert.deepEqual(
      after.status?.conditions?.map(({ type, reason }) => [type, reason]),
      [
        ['Approved', 'Test'],
        ['Failed', undefined],
      ],
    )
  })

  test('E13: status takes nothing but certificates for one, and takes one once', async (t) => {
    const { submit, plane } = await scene(t)
    const about = (pem: string) => whyInvalid(submit('status', { certificate: base64(pem) }))
    const path = 'status.certificate'
    assert.equal(
      await about('x'),
      `${path}: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block`,
    )
    assert.equal(
      await about(publicKeyOf(generateKey().keyPem)),
      `${path}: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "PUBLIC KEY"`,
    )
    await submit('status', { certificate: base64(plane.caPem) })
    assert.equal(
      await whyInvalid(submit('status', { certificate: base64(plane.caPem + plane.caPem) })),
      `${path}: Forbidden: updates may not modify existing certificate content`,
    )
  })

  test('E13: certificate signing requests are selected by their signer', async (t) => {
    const { collection, created } = await scene(t, { signerName: `example.com/${uniqueName('signer')}` })
    const { items } = await collection.list({ fieldSelector: `spec.signerName=${created.spec.signerName}` })
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      [created.metadata.name],
    )
  })
})
