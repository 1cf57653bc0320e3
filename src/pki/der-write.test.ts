import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasBit, readElement, readOid, tags } from './der.ts'
import { bitString, bits, element, integer, isOid, octetString, oid, sequence, time } from './der-write.ts'

const hex = (bytes: Buffer) => bytes.toString('hex')

test('lengths take as many bytes as they need', () => {
  assert.equal(hex(octetString(Buffer.of(0xab, 0xcd))), '0402abcd')
  for (const [size, head] of Object.entries({ 127: '047f', 128: '048180', 255: '0481ff', 256: '04820100' }))
    assert.equal(hex(octetString(Buffer.alloc(Number(size))).subarray(0, head.length / 2)), head)
})

test('whatever is written is read again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70_000, size: 'max' }), (bytes) => {
      const written = sequence(octetString(Buffer.from(bytes)))
      assert.deepEqual(readElement(readElement(written, tags.sequence).body, tags.octetString).body, Buffer.from(bytes))
    }),
    { numRuns: 50 },
  )
})

test('integers are positive: one whose first bit is set gets a zero in front', () => {
  const written = { 0: '020100', 2: '020102', 127: '02017f', 128: '02020080', 256: '02020100', 65535: '020300ffff' }
  for (const [value, bytes] of Object.entries(written)) assert.equal(hex(integer(Number(value))), bytes)
})

test('object identifiers are read as they were written', () => {
  const arc = fc.nat({ max: Number.MAX_SAFE_INTEGER - 80 })
  const identifiers = fc
    .tuple(fc.oneof(fc.tuple(fc.constantFrom(0, 1), fc.nat(39)), fc.tuple(fc.constant(2), arc)), fc.array(arc))
    .map(([top, rest]) => [...top, ...rest].join('.'))
  fc.assert(
    fc.property(identifiers, (text) => {
      assert.equal(isOid(text), true)
      assert.equal(readOid(readElement(oid(text), tags.oid)), text)
    }),
  )
})

test('what is no object identifier, or one too large to be read, is told', () => {
  for (const text of ['', '1', 'L', '1.', '.1', '3.1', '1.40', '0.99.1', '2.5.4.x', `2.25.${2 ** 64}`])
    assert.equal(isOid(text), false, text)
})

test('named bits end with the last that is set', () => {
  const written = { '': '030100', '0': '03020780', '0,2': '030205a0', '0,5,6': '03020186', '8': '0303070080' }
  for (const [set, bytes] of Object.entries(written))
    assert.equal(hex(bits(set === '' ? [] : set.split(',').map(Number))), bytes)
  const read = readElement(bits([0, 9]), tags.bitString)
  assert.deepEqual(
    [0, 1, 9].map((bit) => hasBit(read, bit)),
    [true, false, true],
  )
})

test('a bit string of bytes has no bits to spare', () => {
  assert.equal(hex(bitString(Buffer.of(0xff))), '030200ff')
})

test('a moment has two digits for its year from 1950 to 2049 and four outside of that, and no fractions', () => {
  const written = {
    '2049-12-31T23:59:59.999Z': [0x17, '491231235959Z'],
    '2050-01-01T00:00:00.000Z': [0x18, '20500101000000Z'],
    '1950-01-01T00:00:00.000Z': [0x17, '500101000000Z'],
    '1949-12-31T23:59:59.000Z': [0x18, '19491231235959Z'],
  } as const
  for (const [moment, [tag, text]] of Object.entries(written))
    assert.deepEqual(time(new Date(moment)), element(tag, Buffer.from(text)))
  assert.throws(() => time(new Date('+010000-01-01T00:00:00Z')), RangeError)
})
