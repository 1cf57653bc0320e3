import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elementText, keyElement, valueElement } from './elements.ts'
import { has, setOf } from './fields.ts'
import { parseFields, printFields, readFields } from './fields-v1.ts'

test('fields are written in order: names, keys, values by their size, indices', () => {
  const set = setOf(
    ['i:10'],
    ['i:9'],
    ['v:10'],
    ['v:9'],
    ['v:"a"'],
    ['v:true'],
    ['k:{"port":443,"protocol":"TCP"}'],
    ['k:{"port":80,"protocol":"UDP"}'],
    ['k:{"port":80,"protocol":"TCP"}'],
    ['f:b'],
    ['f:a'],
  )
  assert.deepEqual(Object.keys(printFields(set)), [
    'f:a',
    'f:b',
    'k:{"port":80,"protocol":"TCP"}',
    'k:{"port":80,"protocol":"UDP"}',
    'k:{"port":443,"protocol":"TCP"}',
    'v:9',
    'v:10',
    'v:"a"',
    'v:true',
    'i:9',
    'i:10',
  ])
})

test('a field that is in the set with others below it is marked by a dot', () => {
  const set = setOf(['f:a'], ['f:a', 'f:b'], ['f:c', 'f:d'])
  assert.deepEqual(printFields(set), { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': { 'f:d': {} } })
})

test('what a client wrote is brought into form, and elements of unknown kinds are left out', () => {
  const set = parseFields({ 'f:l': { 'k:{ "b": 1, "a": "<" }': {}, 'v: "x"': {}, 'q:later': {} } })
  assert.deepEqual(printFields(set), { 'f:l': { 'k:{"a":"\\u003c","b":1}': {}, 'v:"x"': {} } })
})

test('nonsense is refused', () => {
  for (const nonsense of [
    'x',
    null,
    { f: {} },
    { nonsense: {} },
    { 'k:{': {} },
    { 'k:5': {} },
    { 'i:x': {} },
    { 'f:a': 1 },
  ])
    assert.throws(() => parseFields(nonsense), SyntaxError)
})

test('what was printed is read without a second look', () => {
  const printed = { 'f:a': { '.': {}, 'f:b': {} }, 'f:c': { 'v:1': {} } }
  assert.deepEqual(printFields(readFields(printed)), printed)
  assert.ok(has(readFields(printed), ['f:a']) && !has(readFields(printed), ['f:c']))
})

test('keys and values are escaped as Kubernetes escapes them, and shown as they are', () => {
  assert.equal(valueElement('a<b>&é\u2028'), 'v:"a\\u003cb\\u003e\\u0026é\\u2028"')
  assert.equal(keyElement({ b: 1, a: 'x' }), 'k:{"a":"x","b":1}')
  assert.equal(valueElement({ b: [1, null], a: 'x' }), 'v:{"a":"x","b":[1,null]}')
  assert.equal(elementText(valueElement('<')), '[="<"]')
  assert.equal(elementText(keyElement({ port: 80, protocol: 'TCP' })), '[port=80,protocol="TCP"]')
  assert.deepEqual(['f:a', 'i:3'].map(elementText), ['.a', '[3]'])
})
