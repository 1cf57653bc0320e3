import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FieldRequirement } from './field-selector.ts'
import { checkFields, exactField, matchesFields, parseFieldSelector } from './field-selector.ts'
import { SelectorFailure } from './label-selector.ts'

const toldOf = ({ field, equals, value }: FieldRequirement) => `${field} ${equals ? 'is' : 'is not'} ${value}`

test('what Kubernetes understands is understood, in the order of terms', () => {
  const table: [text: string, ...requirements: string[]][] = [
    [''],
    [','],
    ['=='],
    ['!='],
    ['metadata.name=a', 'metadata.name is a'],
    ['metadata.name==a', 'metadata.name is a'],
    ['metadata.name!=a', 'metadata.name is not a'],
    ['metadata.name=', 'metadata.name is '],
    ['b=1,,a=2,', 'a is 2', 'b is 1'],
    ['a=x\\,y\\=z\\\\', 'a is x,y=z\\'],
    ['a=!b', 'a is !b'],
    ['a = b', 'a  is  b'],
    ['a\\=b', 'a\\ is b'],
    ['=b', ' is b'],
  ]
  for (const [text, ...requirements] of table)
    assert.deepEqual(parseFieldSelector(text).map(toldOf), requirements, text)
})

test('what Kubernetes does not understand is refused in its words', () => {
  const table: [text: string, message: string][] = [
    ['foo', "invalid selector: 'foo'; can't understand 'foo'"],
    ['a!b', "invalid selector: 'a!b'; can't understand 'a!b'"],
    ['metadata.name=a\\=b,foo', "invalid selector: 'metadata.name=a\\=b,foo'; can't understand 'foo'"],
    ['metadata.name=a\\x,b', "invalid selector: 'metadata.name=a\\x,b'; can't understand 'b'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a===b', 'invalid field selector: unescaped character in value: 61'],
    ['a=b!=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ]
  for (const [text, message] of table) assert.throws(() => parseFieldSelector(text), new SelectorFailure(message), text)
})

test('fields that a kind does not have are refused, the first in order', () => {
  const refusal = (text: string, areCommon: boolean) => () =>
    checkFields(parseFieldSelector(text), { names: ['metadata.name', 'metadata.namespace'], areCommon })
  refusal('metadata.namespace=a,metadata.name!=b', true)()
  const common = '"bar" is not a known field selector: only "metadata.name", "metadata.namespace"'
  assert.throws(refusal('foo=b,bar=c', true), new SelectorFailure(common))
  assert.throws(refusal('foo=b,bar=c', false), new SelectorFailure('field label not supported: bar'))
  const quoted = '"a\\\\" is not a known field selector: only "metadata.name", "metadata.namespace"'
  assert.throws(refusal('a\\=b', true), new SelectorFailure(quoted))
})

test('all requirements have to hold', () => {
  const selects = (text: string) =>
    matchesFields(parseFieldSelector(text), (field) => ({ a: '1', b: '2' })[field] ?? '')
  assert.deepEqual(['a=1', 'a=1,b!=1', 'a!=2', 'c=', 'a=2', 'a=1,b=1', 'a!=1', 'c!='].map(selects), [
    ...[true, true, true, true],
    ...[false, false, false, false],
  ])
})

test('the value a field must have is told only where there is one', () => {
  assert.equal(exactField(parseFieldSelector('a=1,b!=2'), 'a'), '1')
  assert.equal(exactField(parseFieldSelector('a=1,b!=2'), 'b'), undefined)
  assert.equal(exactField([], 'a'), undefined)
})

test('what is printed is read back as it was', () => {
  const field = fc.stringMatching(/^[a-zA-Z.]{1,8}$/)
  const value = fc.oneof(fc.string({ maxLength: 6 }), fc.stringMatching(/^[\\,=!a]{0,6}$/))
  const term = fc.record({ field, equals: fc.boolean(), value })
  fc.assert(
    fc.property(fc.array(term, { maxLength: 5 }), (requirements) => {
      const terms = requirements.map(
        ({ field: name, equals, value: wanted }) => `${name}${equals ? '=' : '!='}${wanted.replace(/[\\,=]/g, '\\$&')}`,
      )
      const read = parseFieldSelector(terms.join(','))
      assert.deepEqual(new Set(read.map(toldOf)), new Set(requirements.map(toldOf)))
      assert.equal(read.length, requirements.length)
    }),
  )
})
