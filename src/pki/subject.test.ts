import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../core/failure.ts'
import { DerError, readElement, tags } from './der.ts'
import { attributeOids } from './oids.ts'
import type { SubjectInput } from './subject.ts'
import { encodeSubject, readSubject } from './subject.ts'
import { x509 } from './testing/x509.ts'

const readBack = (subject: SubjectInput) => readSubject(readElement(encodeSubject(subject), tags.sequence))

/** Everything that some notation of names gives a meaning to, and plain Unicode. */
const odd = fc.string({ unit: fc.constantFrom(...',+=";\\<>#: /\'*&@_\n\t\0\u00fcß漢😀\u202eaZ09'), minLength: 1 })
const value = fc.oneof(odd, fc.string({ unit: 'binary', minLength: 1 }))
const plain = { noNullPrototype: true }
const other = fc.record({ oid: fc.constantFrom('2.5.4.6', '2.5.4.7', attributeOids.email), value }, plain)
const subject = fc.record(
  {
    commonName: value,
    organizations: fc.array(value, { maxLength: 4 }),
    organizationalUnits: fc.array(value, { maxLength: 2 }),
    others: fc.array(other, { maxLength: 2 }),
  },
  plain,
)

test('whatever the characters, a subject is read as it was written, in its order', () => {
  fc.assert(
    fc.property(subject, (written) => assert.deepEqual(readBack(written), written)),
    { numRuns: 500 },
  )
})

test('another reader finds the same values, each with the kind of text that fits', () => {
  fc.assert(
    fc.property(subject, ({ commonName, organizations, organizationalUnits, others }) => {
      const name = new x509.Name(encodeSubject({ commonName, organizations, organizationalUnits, others }))
      assert.deepEqual(name.getField('CN'), [commonName])
      assert.deepEqual(name.getField('O'), organizations)
      assert.deepEqual(name.getField('OU'), organizationalUnits)
      for (const { oid, value } of others) assert.ok(name.getField(oid).includes(value))
    }),
    { numRuns: 300 },
  )
})

test('another writer writes the same bytes', () => {
  const typed = new x509.Name([
    { O: [{ printableString: 'a:b' }] },
    { OU: [{ utf8String: 'ü' }] },
    { CN: [{ utf8String: 'c_d' }] },
    { E: [{ ia5String: 'ops@example.com' }] },
  ])
  const ours = encodeSubject({
    commonName: 'c_d',
    organizations: ['a:b'],
    organizationalUnits: ['ü'],
    others: [{ oid: attributeOids.email, value: 'ops@example.com' }],
  })
  assert.deepEqual(ours, Buffer.from(typed.toArrayBuffer()))
})

test('text that looks like notation is text', () => {
  const commonName = '#0403616263, O="system:masters"+CN=admin\\, '
  const read = readBack({ commonName, organizations: ['O=system:masters', 'a,O=b'] })
  assert.equal(read.commonName, commonName)
  assert.deepEqual(read.organizations, ['O=system:masters', 'a,O=b'])
})

test('organizations keep their order and their repetitions', () => {
  assert.deepEqual(readBack({ commonName: 'a', organizations: ['z', 'a', 'z'] }).organizations, ['z', 'a', 'z'])
})

test('names longer than the 64 characters of X.520 are kept: Kubernetes has them', () => {
  const commonName = `system:open-cluster-management:cluster:${'c'.repeat(63)}:addon:${'a'.repeat(63)}:agent`
  assert.equal(readBack({ commonName }).commonName, commonName)
})

test('of several common names the last counts, as in Go', () => {
  const name = new x509.Name([{ CN: ['first'] }, { CN: ['last'] }])
  assert.equal(readSubject(readElement(Buffer.from(name.toArrayBuffer()), tags.sequence)).commonName, 'last')
})

test('values that cannot be in a name are refused', () => {
  const refused: SubjectInput[] = [
    { commonName: 'a', organizations: [''] },
    { commonName: '\ud800' },
    { commonName: 'a', others: [{ oid: 'L', value: 'b' }] },
    { commonName: 'a', others: [{ oid: '3.1', value: 'b' }] },
    { commonName: 'a', others: [{ oid: `2.25.${2 ** 64}`, value: 'b' }] },
  ]
  for (const subject of refused) {
    assert.throws(
      () => encodeSubject(subject),
      (error) => isFailure(error, 'PKI_SUBJECT_INVALID'),
    )
  }
})

/** A name of one common name whose value has this tag and these bytes. */
function nameWith(tag: number, bytes: number[]) {
  const wrap = (outer: number, body: Buffer) => Buffer.concat([Buffer.of(outer, body.length), body])
  const oid = Buffer.from('0603550403', 'hex')
  const attribute = wrap(tags.sequence, Buffer.concat([oid, wrap(tag, Buffer.from(bytes))]))
  return readElement(wrap(tags.sequence, wrap(tags.set, attribute)), tags.sequence)
}

test('older kinds of text are read', () => {
  assert.equal(readSubject(nameWith(0x1e, [0x6f, 0x22, 0x00, 0x61])).commonName, '漢a')
  assert.equal(readSubject(nameWith(0x14, [0xfc])).commonName, 'ü')
})

test('a byte order mark is part of the text', () => {
  assert.equal(readSubject(nameWith(0x0c, [0xef, 0xbb, 0xbf, 0x61])).commonName, '\ufeffa')
})

test('bytes that are not the text they claim to be are refused', () => {
  const claims: [number, number[]][] = [
    [0x0c, [0xc3]],
    [0x13, [0xe4]],
    [0x1e, [0x61]],
    [0x04, [0x61]],
  ]
  for (const [tag, bytes] of claims) assert.throws(() => readSubject(nameWith(tag, bytes)), DerError)
})
