import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DerError, expectTag, fields, hasBit, readBytes, readElement, readElements, readOid, tags } from './der.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const element = (text: string, tag: number) => readElement(hex(text), tag)

test('short and long lengths are read', () => {
  assert.deepEqual(element('04 02 abcd', tags.octetString).body, hex('abcd'))
  const long = Buffer.concat([hex('04 82 0100'), Buffer.alloc(256, 7)])
  assert.deepEqual(readElement(long, tags.octetString).body, Buffer.alloc(256, 7))
})

const refused = {
  'an indefinite length': '30 80 0000',
  'a length in more bytes than needed': '04 81 01 00',
  'a long length with a leading zero': `04 82 00 80 ${'00'.repeat(128)}`,
  'a length beyond the end': '04 05 00',
  'a length of five bytes': '04 85 0000000001 00',
  'a lone tag': '04',
  'a tag in several bytes': '1f 81 01 00',
  'a length that is cut off': '04 82 01',
}
for (const [name, bytes] of Object.entries(refused)) {
  test(`${name} is refused`, () => assert.throws(() => readElements(hex(bytes)), DerError))
}

test('bytes after the end, another tag and nothing at all are refused', () => {
  assert.throws(() => element('0400 00 00', tags.octetString), DerError)
  assert.throws(() => element('0400', tags.sequence), DerError)
  assert.throws(() => element('', tags.sequence), DerError)
  assert.throws(() => expectTag(undefined, tags.sequence), DerError)
})

test('a sequence must have as many fields as it should', () => {
  const pair = element('30 04 0500 0500', tags.sequence)
  assert.equal(fields(pair, 2).length, 2)
  assert.equal(fields(pair, 1, 3).length, 2)
  assert.throws(() => fields(pair, 3), DerError)
  assert.throws(() => fields(pair, 1), DerError)
})

test('object identifiers are read in dotted form', () => {
  const oids = {
    '06 03 550403': '2.5.4.3',
    '06 09 2a864886f70d01090e': '1.2.840.113549.1.9.14',
    '06 03 88 37 03': '2.999.3',
    '06 01 27': '0.39',
  }
  for (const [bytes, oid] of Object.entries(oids)) assert.equal(readOid(element(bytes, tags.oid)), oid)
})

test('object identifiers that are empty, cut off, padded or too large are refused', () => {
  for (const bytes of ['06 00', '06 02 55 84', '06 03 55 80 01', '06 0a 55 ffffffffffffffff7f']) {
    assert.throws(() => readOid(element(bytes, tags.oid)), DerError)
  }
})

test('bits are counted from the first', () => {
  const keyCertSign = element('03 02 02 04', tags.bitString)
  assert.deepEqual(
    [0, 4, 5, 6, 8].map((bit) => hasBit(keyCertSign, bit)),
    [false, false, true, false, false],
  )
})

test('a signature is a bit string of whole bytes', () => {
  assert.deepEqual(readBytes(element('03 03 00 abcd', tags.bitString)), hex('abcd'))
  assert.throws(() => readBytes(element('03 02 01 ab', tags.bitString)), DerError)
})

test('whatever the bytes, reading ends in elements that make them up or in a refusal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        const elements = readElements(Buffer.from(bytes))
        assert.deepEqual(Buffer.concat(elements.map(({ whole }) => whole)), Buffer.from(bytes))
      } catch (error) {
        assert.ok(error instanceof DerError)
      }
    }),
    { numRuns: 1000 },
  )
})
