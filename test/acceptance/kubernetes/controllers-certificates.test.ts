/** What comes of certificate requests once they are approved. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { isConflict } from '../../../src/kube/failures.ts'
import { certificateSigningRequests } from '../../../src/kube/kinds.ts'
import type { RequestInput } from '../../../src/pki/index.ts'
import { createRequest, generateKey, keyMatches, readCertificate } from '../../../src/pki/index.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const clientSigner = 'kubernetes.io/kube-apiserver-client'
const kubeletSigner = 'kubernetes.io/kube-apiserver-client-kubelet'
const servingSigner = 'kubernetes.io/kubelet-serving'
const minuteMs = 60_000

interface Wanted extends Partial<Omit<RequestInput, 'keyPem'>> {
  signerName?: string
  usages?: string[]
  expirationSeconds?: number
}

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const requests = admin.of(certificateSigningRequests)
  const { keyPem } = generateKey()
  const submit = async (wanted: Wanted = {}) => {
    const { subject = { commonName: 'jane' }, sans = {}, signerName = clientSigner, ...rest } = wanted
    const request = Buffer.from(await createRequest({ keyPem, subject, sans })).toString('base64')
    const { usages = ['client auth'], ...more } = rest
    const name = uniqueName('request')
    await requests.create({ metadata: { name }, spec: { request, signerName, usages, ...more } })
    teardown(t, async () => void (await requests.delete(name)))
    return name
  }
  /** What a kubelet may have anyway, a controller may have approved already. */
  const decide = (name: string, type: 'Approved' | 'Denied') =>
    eventually(`it is ${type}`, async () => {
      const csr = await requests.get(name)
      if (csr.status?.conditions?.some((condition) => condition.type === type)) return csr
      const conditions = [{ type, status: 'True', reason: 'Test', message: 'by a test' }]
      const decided = { ...csr, status: { ...csr.status, conditions } }
      return requests.update(decided, { subresource: 'approval' }).catch((error) => {
        if (!isConflict(error)) throw error
      })
    })
  const settled = (name: string) =>
    eventually('the signer has answered', async () => {
      const { status } = await requests.get(name)
      return status?.certificate || failureIn(status) ? status : undefined
    })
  const outcome = async (wanted: Wanted = {}) => {
    const name = await submit(wanted)
    await decide(name, 'Approved')
    return settled(name)
  }
  const issued = async (wanted: Wanted = {}) => {
    const { certificate = '', conditions } = await outcome(wanted)
    assert.notEqual(certificate, '', JSON.stringify(conditions))
    const pem = Buffer.from(certificate, 'base64').toString()
    return { pem, ...readCertificate(pem) }
  }
  const refused = async (wanted: Wanted = {}) => {
    const status = await outcome(wanted)
    assert.equal(status.certificate, undefined)
    return failureIn(status)
  }
  return { plane, admin, requests, keyPem, submit, decide, settled, issued, refused }
}

type Status = CertificateSigningRequest['status']

const failureIn = (status: Status) => status?.conditions?.find(({ type }) => type === 'Failed')

const aboutMs = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 30_000, `${actual} is not about ${expected}`)

describe('the signer of client certificates', needsControlPlane, () => {
  test('E18: signs what is approved, and the API server knows its holder', async (t) => {
    const { plane, keyPem, issued } = await start(t)
    const { pem, subject, isCa, usages } = await issued({
      subject: { commonName: 'jane', organizations: ['team-a', 'team-b'] },
      usages: ['digital signature', 'key encipherment', 'client auth'],
    })
    assert.deepEqual([subject.commonName, subject.organizations.toSorted()], ['jane', ['team-a', 'team-b']])
    assert.deepEqual([isCa, usages], [false, ['client']])
    assert.ok(keyMatches(pem, keyPem))
    const jane = kubeClient(t, plane.connection({ certificate: { certPem: pem, keyPem } }))
    const { username, groups = [] } = await whoAmI(jane)
    assert.deepEqual([username, groups.toSorted()], ['jane', ['system:authenticated', 'team-a', 'team-b']])
  })

  test('E18: does nothing before somebody approves, nor when somebody denies', async (t) => {
    const { requests, submit, decide, issued } = await start(t)
    const [pending, denied] = [await submit(), await submit()]
    await decide(denied, 'Denied')
    await issued()
    for (const name of [pending, denied]) {
      const { status } = await requests.get(name)
      assert.deepEqual([status?.certificate, failureIn(status)], [undefined, undefined])
    }
  })

  test('E18: back-dates by five minutes', async (t) => {
    const { issued } = await start(t)
    const { notBefore } = await issued()
    aboutMs(notBefore.getTime(), Date.now() - 5 * minuteMs)
  })

  test('E18: honours expirationSeconds; a short life counts from now', async (t) => {
    const { issued } = await start(t)
    for (const seconds of [600, 3_600, 8 * 3_600 - 1]) {
      const { notBefore, notAfter } = await issued({ expirationSeconds: seconds })
      assert.equal(notAfter.getTime() - notBefore.getTime(), seconds * 1_000 + 5 * minuteMs)
    }
  })

  test('E18: honours expirationSeconds; a life of eight hours and more counts from where it is back-dated to', async (t) => {
    const { issued } = await start(t)
    for (const seconds of [8 * 3_600, 86_400]) {
      const { notBefore, notAfter } = await issued({ expirationSeconds: seconds })
      assert.equal(notAfter.getTime() - notBefore.getTime(), seconds * 1_000)
    }
  })

  test('E18: refuses less than 600 seconds', async (t) => {
    const { submit } = await start(t)
    const { code, reason, message } = await refusalOf(submit({ expirationSeconds: 599 }))
    assert.deepEqual([code, reason], [422, 'Invalid'])
    assert.match(
      message,
      /spec\.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds \(10 minutes\)$/,
    )
  })

  test('E18: grants a year at most, and no more than its own authority has', async (t) => {
    const { issued } = await start(t)
    const [byDefault, asked] = [await issued(), await issued({ expirationSeconds: 2_000_000_000 })]
    const yearMs = 365 * 86_400_000
    for (const { notBefore, notAfter } of [byDefault, asked])
      assert.ok(notAfter.getTime() - notBefore.getTime() <= yearMs)
    aboutMs(byDefault.notAfter.getTime(), asked.notAfter.getTime())
    assert.ok(byDefault.notAfter.getTime() - Date.now() > 86_400_000)
  })

  test('E18: writes certificates that are no authorities, with the usages that were asked for', async (t) => {
    const { issued } = await start(t)
    const all = await issued({ usages: ['client auth', 'digital signature', 'key encipherment'] })
    assert.deepEqual(extensionsOf(all.pem), {
      basicConstraints: 'critical',
      keyUsage: 'critical 05a0',
      extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'],
      hasAuthorityKeyId: true,
    })
    const bare = await issued({ usages: ['client auth'] })
    assert.equal(extensionsOf(bare.pem).keyUsage, undefined)
    const signing = await issued({ usages: ['client auth', 'digital signature'] })
    assert.equal(extensionsOf(signing.pem).keyUsage, 'critical 0780')
    assert.equal(new Set([all, bare, signing].map(({ serial }) => serial)).size, 3)
  })

  test('E18: keeps the alternative names of the request', async (t) => {
    const { issued } = await start(t)
    const sans = {
      dnsNames: ['a.example'],
      ipAddresses: ['192.0.2.1'],
      uris: ['spiffe://a.example/b'],
      emails: ['a@a.example'],
    }
    assert.deepEqual((await issued({ sans })).sans, { ...sans, otherKinds: [] })
  })

  test('E18: says of a request with other usages that it failed, and why', async (t) => {
    const { refused } = await start(t)
    const failed = await refused({ usages: ['client auth', 'server auth'] })
    const { lastUpdateTime, lastTransitionTime, ...rest } = failed ?? {}
    assert.deepEqual(rest, {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'invalid usage for client certificate: server auth',
    })
    assert.ok(lastUpdateTime && lastTransitionTime)
    assert.equal(
      (await refused({ usages: ['digital signature'] }))?.message,
      'missing required usage for client certificate: client auth',
    )
  })

  test('E18: leaves requests of other signers alone', async (t) => {
    const { requests, submit, decide, issued } = await start(t)
    const foreign = await submit({ signerName: 'test.example/signer' })
    await decide(foreign, 'Approved')
    await issued()
    const { status } = await requests.get(foreign)
    assert.deepEqual([status?.certificate, failureIn(status)], [undefined, undefined])
  })
})

describe('the signers of kubelets', needsControlPlane, () => {
  const node = { commonName: 'system:node:a', organizations: ['system:nodes'] }
  const clientUsages = ['client auth', 'digital signature']
  const servingUsages = ['server auth', 'digital signature']
  const dns = { dnsNames: ['a.example'] }

  test('E18: a kubelet gets a client certificate without alternative names', async (t) => {
    const { issued, refused } = await start(t)
    const wanted = { signerName: kubeletSigner, subject: node, usages: clientUsages }
    assert.deepEqual((await issued(wanted)).usages, ['client'])
    assert.ok(await issued({ ...wanted, usages: [...clientUsages, 'key encipherment'] }))
    const messages = (...changes: Wanted[]) =>
      Promise.all(changes.map(async (change) => (await refused({ ...wanted, ...change }))?.message))
    assert.deepEqual(
      await messages(
        { subject: { ...node, organizations: ['others'] }, sans: dns },
        { subject: { ...node, commonName: 'a' }, sans: dns },
        { sans: { emails: ['a@a.example'] } },
        { sans: { ipAddresses: ['192.0.2.1'] } },
        { sans: { uris: ['spiffe://a.example'] } },
        { subject: { ...node, commonName: 'a' }, usages: ['client auth'] },
        { usages: ['client auth'] },
      ),
      [
        'subject organization is not system:nodes',
        'DNS subjectAltNames are not allowed',
        'Email subjectAltNames are not allowed',
        'IP subjectAltNames are not allowed',
        'URI subjectAltNames are not allowed',
        'subject common name does not begin with system:node:',
        'usages did not match [client auth digital signature key encipherment]',
      ],
    )
  })

  test('a kubelet’s client certificate needs nobody to approve it where its asker may have it', async (t) => {
    const { requests, submit, settled } = await start(t)
    const name = await submit({ signerName: kubeletSigner, subject: node, usages: clientUsages })
    assert.ok((await settled(name)).certificate)
    const { status } = await requests.get(name)
    assert.deepEqual(
      status?.conditions?.map(({ type, reason, message }) => [type, reason, message]),
      [['Approved', 'AutoApproved', 'Auto approving kubelet client certificate after SubjectAccessReview.']],
    )
  })

  test('E18: a kubelet gets a serving certificate for names and addresses', async (t) => {
    const { issued, refused } = await start(t)
    const wanted = { signerName: servingSigner, subject: node, usages: servingUsages, sans: dns }
    assert.deepEqual((await issued(wanted)).usages, ['server'])
    const changes: Wanted[] = [
      { sans: {} },
      { sans: { ...dns, emails: ['a@a.example'] } },
      { sans: { ...dns, uris: ['spiffe://a.example'] } },
      { usages: clientUsages, subject: { ...node, commonName: 'a' } },
      { subject: { ...node, commonName: 'a' } },
    ]
    const messages = changes.map(async (change) => (await refused({ ...wanted, ...change }))?.message)
    assert.deepEqual(await Promise.all(messages), [
      'DNS or IP subjectAltName is required',
      'Email subjectAltNames are not allowed',
      'URI subjectAltNames are not allowed',
      'usages did not match [digital signature key encipherment server auth]',
      'subject common name does not begin with system:node:',
    ])
  })
})

/** Of DER: an object identifier, perhaps TRUE for critical, and the value in an octet string. */
function extensionsOf(pem: string) {
  const certificate = new X509Certificate(pem)
  const hex = certificate.raw.toString('hex')
  const after = (oid: string) => {
    const at = hex.indexOf(oid)
    return at < 0 ? undefined : hex.slice(at + oid.length)
  }
  const critical = '0101ff'
  const constraints = after('0603551d13') ?? ''
  const usage = after('0603551d0f')
  return {
    basicConstraints: constraints.startsWith(`${critical}04023000`) ? 'critical' : constraints.slice(0, 20),
    keyUsage:
      usage && `${usage.startsWith(critical) ? 'critical ' : ''}${/03020(\w{3})/.exec(usage)?.[1]?.padStart(4, '0')}`,
    extendedKeyUsage: certificate.keyUsage,
    hasAuthorityKeyId: after('0603551d23') !== undefined,
  }
}
