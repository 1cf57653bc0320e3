import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../core/failure.ts'
import { DerError, readElement, tags } from './der.ts'
import type { Sans } from './sans.ts'
import { encodeSans, noSans, readSans } from './sans.ts'
import { x509 } from './testing/x509.ts'

function readBack(sans: Partial<Sans>): Sans {
  const names = encodeSans(sans)
  return names ? readSans(readElement(names, tags.sequence)) : noSans
}

const sans = fc.record(
  {
    dnsNames: fc.array(fc.domain(), { maxLength: 3 }),
    ipAddresses: fc.array(fc.ipV4(), { maxLength: 3 }),
    uris: fc.array(fc.webUrl(), { maxLength: 3 }),
    emails: fc.array(fc.emailAddress(), { maxLength: 3 }),
    otherKinds: fc.constant([]),
  },
  { noNullPrototype: true },
)

test('names of all kinds are read as they were written', () => {
  fc.assert(fc.property(sans, (written) => assert.deepEqual(readBack(written), written)))
})

const canonical = (ip: string) => new URL(`http://[${ip}]`).hostname.slice(1, -1)

test('another writer writes the same bytes', () => {
  fc.assert(
    fc.property(sans, fc.array(fc.ipV6(), { maxLength: 2 }), ({ dnsNames, ipAddresses, uris, emails }, ipV6) => {
      const addresses = [...ipAddresses, ...ipV6.map(canonical)]
      const theirs = new x509.SubjectAlternativeNameExtension([
        ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ...uris.map((value) => ({ type: 'url' as const, value })),
        ...emails.map((value) => ({ type: 'email' as const, value })),
      ])
      const ours = encodeSans({ dnsNames, ipAddresses: addresses, uris, emails })
      assert.deepEqual(ours ?? Buffer.of(0x30, 0), Buffer.from(theirs.value))
    }),
  )
})

test('IPv6 addresses come back the same, in canonical form', () => {
  fc.assert(
    fc.property(fc.ipV6(), (ip) => assert.deepEqual(readBack({ ipAddresses: [ip] }).ipAddresses, [canonical(ip)])),
  )
  assert.deepEqual(readBack({ ipAddresses: ['2001:DB8:0:0::1', '::ffff:1.2.3.4'] }).ipAddresses, [
    '2001:db8::1',
    '::ffff:102:304',
  ])
})

test('nothing to name makes no extension', () => {
  assert.equal(encodeSans({}), undefined)
})

const refused: Partial<Sans>[] = [
  { dnsNames: [''] },
  { dnsNames: ['a b'] },
  { dnsNames: ['.example.com'] },
  { dnsNames: ['a..b'] },
  { dnsNames: ['*'] },
  { dnsNames: ['a.*.b'] },
  { dnsNames: ['bücher.example'] },
  { dnsNames: ['a,DNS:b'] },
  { dnsNames: ['a.example\0.evil'] },
  { ipAddresses: ['10.0.0.0/8'] },
  { ipAddresses: ['256.0.0.1'] },
  { ipAddresses: ['fe80::1%eth0'] },
  { ipAddresses: ['localhost'] },
  { uris: ['/relative'] },
  { uris: ['http://a b/'] },
  { emails: ['nobody'] },
]
for (const sans of refused) {
  test(`${JSON.stringify(sans)} is refused`, () =>
    assert.throws(
      () => encodeSans(sans),
      (error) => isFailure(error, 'PKI_SAN_INVALID'),
    ))
}

test('addresses of a wrong length, text outside ASCII and unknown kinds are refused', () => {
  for (const hex of ['3005 8703 0a0000', '3003 8201 e4', '3003 8901 61']) {
    const names = readElement(Buffer.from(hex.replaceAll(' ', ''), 'hex'), tags.sequence)
    assert.throws(() => readSans(names), DerError)
  }
})
