import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hubRoleTrust } from './documents.ts'
import { isSameDocument, readDocument } from './same-document.ts'

const hub = { arn: '', partition: 'aws', region: 'us-west-2', account: '123456789012', name: 'hub' }
const spoke = { arn: '', partition: 'aws', region: 'eu-west-1', account: '567890123456', name: 'spoke' }
const trust = hubRoleTrust(hub, spoke)
const statement = trust.Statement[0]
const deletedId = 'AROAEXAMPLEEXAMPLE123'

const same: [string, unknown, unknown][] = [
  ['the order of keys', { a: '1', b: { c: '2', d: '3' } }, { b: { d: '3', c: '2' }, a: '1' }],
  ['the order of actions', { Action: ['a', 'b'] }, { Action: ['b', 'a'] }],
  ['a list of one', { Action: ['a'], Resource: 'r' }, { Action: 'a', Resource: ['r'] }],
  ['a statement without a list', { Statement: [{ Effect: 'Allow' }] }, { Statement: { Effect: 'Allow' } }],
  ['the order of statements', { Statement: [{ a: 'x' }, { b: 'y' }] }, { Statement: [{ b: 'y' }, { a: 'x' }] }],
  ['what is there twice', { Action: ['a', 'a', 'b'] }, { Action: ['a', 'b'] }],
  ['true and "true"', { Bool: { 'aws:SecureTransport': true } }, { Bool: { 'aws:SecureTransport': 'true' } }],
]
for (const [what, one, other] of same)
  test(`${what} makes no difference`, () => {
    assert.ok(isSameDocument(one, other))
    assert.ok(isSameDocument(other, one))
  })

const different: [string, unknown][] = [
  ['another action', { ...trust, Statement: [{ ...statement, Action: 'sts:*' }] }],
  ['one action more', { ...trust, Statement: [{ ...statement, Action: ['sts:AssumeRole', 'sts:TagSession'] }] }],
  ['a statement more', { ...trust, Statement: [statement, { ...statement, Principal: { AWS: '*' } }] }],
  ['no condition', { ...trust, Statement: [{ ...statement, Condition: undefined }] }],
  ['a condition less', { ...trust, Statement: [{ ...statement, Condition: { StringEquals: {} } }] }],
  ['another effect', { ...trust, Statement: [{ ...statement, Effect: 'Deny' }] }],
  ['another version', { ...trust, Version: '2008-10-17' }],
  ['a principal that became an id', { ...trust, Statement: [{ ...statement, Principal: { AWS: deletedId } }] }],
  ['nothing', undefined],
  ['no document', 'text'],
]
for (const [what, other] of different)
  test(`${what} is another document`, () => {
    assert.ok(!isSameDocument(trust, other))
    assert.ok(!isSameDocument(other, trust))
  })

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', 'c'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('value')),
  ),
})).value

/** The same document, written otherwise. */
function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) {
    const members = value.map(rewritten).reverse()
    return members.length === 1 ? members[0] : members
  }
  if (typeof value !== 'object' || value === null) return [value]
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, rewritten(member)]),
  )
}

test('a document is the same however it is written, and another one once a text in it is', () => {
  fc.assert(
    fc.property(value, (document) => {
      assert.ok(isSameDocument(document, rewritten(document)))
      const text = JSON.stringify(document)
      if (text.includes('"a"')) assert.ok(!isSameDocument(document, JSON.parse(text.replaceAll('"a"', '"A"'))))
    }),
  )
})

test('what IAM answers is decoded, and what is no document is undefined', () => {
  assert.ok(isSameDocument(readDocument(encodeURIComponent(JSON.stringify(trust))), trust))
  assert.ok(isSameDocument(readDocument(JSON.stringify(trust)), trust))
  assert.deepEqual(readDocument(JSON.stringify({ a: '100%25' })), { a: '100%25' })
  for (const text of ['', '%', '%7B', 'text', '{']) assert.equal(readDocument(text), undefined, text)
})
