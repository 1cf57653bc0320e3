import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../core/failure.ts'
import { DerError, readElement, tags } from './der.ts'
import { attributeOids } from './oids.ts'
import type { SubjectInput } from './subject.ts'
import { encodeSubject, readSubject } from './subject.ts'
import { loadX509 } from './x509.ts'

let x509: Awaited<ReturnType<typeof loadX509>>
before(async () => {
  x509 = await loadX509()
})

const encoded = (subject: SubjectInput) => Buffer.from(encodeSubject(x509, subject).toArrayBuffer())
const readBack = (subject: SubjectInput) => readSubject(readElement(encoded(subject), tags.sequence))

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
  ]
  for (const subject of refused) {
    assert.throws(
      () => encoded(subject),
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
