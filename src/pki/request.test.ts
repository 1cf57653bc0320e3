import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../core/failure.ts'
import { Secret } from '../core/secret.ts'
import { generateKey } from './keys.ts'
import { joinPem, splitPem } from './pem.ts'
import { createRequest, readRequest } from './request.ts'
import { crypto, x509 } from './testing/x509.ts'

const { keyPem, publicKeyPem } = generateKey()
const agent = {
  commonName: 'system:open-cluster-management:west:agent-1',
  organizations: ['system:open-cluster-management:west', 'system:open-cluster-management:managed-clusters'],
}

/** A request as no decent program writes it. */
async function oddRequest(
  params: Partial<Parameters<typeof x509.Pkcs10CertificateRequestGenerator.create>[0]>,
  hash = 'SHA-256',
) {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    { keys, signingAlgorithm: { name: 'ECDSA', hash }, ...params },
    crypto,
  )
  return joinPem([{ label: 'CERTIFICATE REQUEST', der: Buffer.from(request.rawData) }])
}

const invalid = (error: unknown) => isFailure(error, 'PKI_REQUEST_INVALID')

test('a request says whom it is for and proves the key', async () => {
  const request = readRequest(await createRequest({ keyPem, subject: agent }))
  assert.deepEqual(request, {
    subject: { ...agent, organizationalUnits: [], others: [] },
    sans: { dnsNames: [], ipAddresses: [], uris: [], emails: [], otherKinds: [] },
    publicKeyPem,
    signatureValid: true,
  })
})

test('alternative names of every kind are kept', async () => {
  const sans = {
    dnsNames: ['work.addon.open-cluster-management.io', '*.example.com'],
    ipAddresses: ['127.0.0.1', '2001:db8::1'],
    uris: ['spiffe://fleet/west'],
    emails: ['ops@example.com'],
  }
  const request = readRequest(await createRequest({ keyPem, subject: agent, sans }))
  assert.deepEqual(request.sans, { ...sans, otherKinds: [] })
})

test('another reader finds the signature good and the same names', async () => {
  const text = fc.string({ unit: 'binary', minLength: 1 })
  const asked = fc.record({
    commonName: text,
    organizations: fc.array(text, { maxLength: 3 }),
    organizationalUnits: fc.array(text, { maxLength: 2 }),
    dnsNames: fc.array(fc.domain(), { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ dnsNames, ...subject }) => {
      const read = new x509.Pkcs10CertificateRequest(await createRequest({ keyPem, subject, sans: { dnsNames } }))
      const names = [...read.extensions].flatMap((one) =>
        new x509.SubjectAlternativeNameExtension(one.rawData).names.toJSON(),
      )
      assert.equal(await read.verify(crypto), true)
      assert.deepEqual(read.subjectName.getField('CN'), [subject.commonName])
      assert.deepEqual(read.subjectName.getField('O'), subject.organizations)
      assert.deepEqual(read.subjectName.getField('OU'), subject.organizationalUnits)
      assert.deepEqual(
        names,
        dnsNames.map((value) => ({ type: 'dns', value })),
      )
      assert.equal(read.extensions.length, dnsNames.length > 0 ? 1 : 0)
      assert.deepEqual(Buffer.from(read.publicKey.rawData), splitPem(publicKeyPem)[0]?.der)
    }),
  )
})

test('keys of other kinds sign requests too', async () => {
  const privateKeys = [
    generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
    generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    generateKeyPairSync('ed25519').privateKey,
  ]
  for (const key of privateKeys) {
    const pem = Secret.of(key.export({ type: 'pkcs8', format: 'pem' }).toString())
    assert.equal(readRequest(await createRequest({ keyPem: pem, subject: agent })).signatureValid, true)
  }
})

test('a key that cannot sign is named', async () => {
  const { privateKey } = generateKeyPairSync('x25519')
  const pem = Secret.of(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  await assert.rejects(createRequest({ keyPem: pem, subject: agent }), /kind x25519/)
})

test('a request without a common name is not made', async () => {
  await assert.rejects(createRequest({ keyPem, subject: { commonName: '' } }), /the common name is empty/)
})

test('a changed request is junk or has a wrong signature, whichever byte was changed', async () => {
  const [block] = splitPem(await createRequest({ keyPem, subject: agent, sans: { dnsNames: ['a.example'] } }))
  const der = block?.der ?? Buffer.alloc(0)
  fc.assert(
    fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(der)
      changed[at] = (changed[at] ?? 0) ^ change
      try {
        assert.equal(readRequest(joinPem([{ label: 'CERTIFICATE REQUEST', der: changed }])).signatureValid, false)
      } catch (error) {
        if (!isFailure(error)) throw error
      }
    }),
    { numRuns: 2000 },
  )
})

test('a request under another label, two requests and no request are refused', async () => {
  const pem = await createRequest({ keyPem, subject: agent })
  assert.throws(() => readRequest(pem + pem), invalid)
  assert.throws(() => readRequest(joinPem([{ label: 'CERTIFICATE REQUEST', der: Buffer.from('junk') }])), invalid)
  for (const text of ['', pem.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')]) {
    assert.throws(
      () => readRequest(text),
      (error) => isFailure(error, 'PKI_PEM_MISSING'),
    )
  }
})

test('two common names are refused: readers disagree which one is the user', async () => {
  const pem = await oddRequest({ name: [{ CN: ['system:admin'] }, { CN: ['system:nobody'] }] })
  assert.throws(() => readRequest(pem), /more than one common name/)
})

test('organizations inside one part of the name, as Go writes them, are each read', async () => {
  const request = readRequest(await oddRequest({ name: [{ O: ['a', 'b'] }, { CN: ['c'] }] }))
  assert.deepEqual(request.subject.organizations, ['a', 'b'])
})

test('extensions asked for twice are refused', async () => {
  const dns = (value: string) => new x509.SubjectAlternativeNameExtension([{ type: 'dns', value }])
  const twice = [dns('a.example'), dns('b.example')]
  const attribute = new x509.ExtensionsAttribute([dns('c.example')])
  const [doubled, split] = [
    await oddRequest({ name: 'CN=a', extensions: twice }),
    await oddRequest({ name: 'CN=a', extensions: twice.slice(0, 1), attributes: [attribute] }),
  ]
  assert.throws(() => readRequest(doubled), /an extension twice/)
  assert.throws(() => readRequest(split), /extensions twice/)
})

test('kinds of alternative names that are not read are told', async () => {
  const names = [
    { type: 'dn' as const, value: 'CN=system:admin' },
    { type: 'upn' as const, value: 'admin@example.com' },
  ]
  const request = readRequest(
    await oddRequest({ name: 'CN=a', extensions: [new x509.SubjectAlternativeNameExtension(names)] }),
  )
  assert.deepEqual(request.sans.otherKinds, ['directoryName', 'otherName'])
})

test('a signature with SHA-1 is refused by name', async () => {
  const pem = await oddRequest({ name: 'CN=a' }, 'SHA-1')
  assert.throws(
    () => readRequest(pem),
    (error) => isFailure(error, 'PKI_REQUEST_ALGORITHM') && error.params['algorithm'] === '1.2.840.10045.4.1',
  )
})

test('a request signed by another key than its own is told', async () => {
  const keys = () => crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const [own, other] = [await keys(), await keys()]
  const pem = await oddRequest({ name: 'CN=a', keys: { publicKey: own.publicKey, privateKey: other.privateKey } })
  assert.equal(readRequest(pem).signatureValid, false)
})
