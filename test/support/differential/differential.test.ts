import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { Comparer } from './compare.ts'
import { dice } from './dice.ts'
import { generate } from './generate.ts'
import { kinds } from './kinds/all.ts'
import { knownDifferences } from './known.ts'
import { Memory } from './memory.ts'
import { differencesPage } from './page.ts'
import { OrderedTwins } from './twins.ts'

test('the page of differences is the list of known differences', () => {
  const path = resolve(import.meta.dirname, '../../../docs/embedded-differences.md')
  const advice = 'run: node test/support/differential/write-page.ts'
  assert.equal(readFileSync(path, 'utf8'), differencesPage(knownDifferences), advice)
})

test('a seed makes the same requests every time, and another seed others', () => {
  const first = (seed: number) => JSON.stringify([...generate(seed, kinds).take(200)])
  assert.equal(first(7), first(7))
  assert.notEqual(first(7), first(8))
  assert.equal(dice(1).below(1_000), dice(1).below(1_000))
})

const anObject = (uid: string, resourceVersion: string, name = 'a') => ({ metadata: { name, uid, resourceVersion } })
const [oneUid, otherUid, thirdUid] = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-0000-0000-0000-000000000000`)

test('uids and revisions are equal when they stand for the same thing', () => {
  const comparer = new Comparer()
  assert.deepEqual(comparer.compare(anObject(oneUid!, '5'), anObject(otherUid!, '9')), [])
  assert.deepEqual(comparer.compare(anObject(oneUid!, '6'), anObject(otherUid!, '12')), [])
  const [other] = comparer.compare(anObject(oneUid!, '6'), anObject(thirdUid!, '12'))
  assert.equal(other?.where, 'metadata.uid')
  const [older] = comparer.compare(anObject(oneUid!, '7'), anObject(otherUid!, '11'))
  assert.equal(older?.where, 'metadata.resourceVersion')
})

test('a list says how far its plane was, whatever was written besides', () => {
  const comparer = new Comparer()
  comparer.compare(anObject(oneUid!, '5'), anObject(otherUid!, '9'))
  const list = (resourceVersion: string) => ({ items: [], metadata: { resourceVersion } })
  assert.deepEqual(comparer.compare(list('5'), list('30')), [])
  assert.equal(comparer.compare(list('4'), list('30'))[0]?.where, '.metadata.resourceVersion')
})

test('a time of this run may be another one, in the same form', () => {
  const comparer = new Comparer()
  const now = new Date().toISOString()
  assert.deepEqual(comparer.compare({ at: now }, { at: new Date(Date.parse(now) - 5).toISOString() }), [])
  assert.equal(comparer.compare({ at: now }, { at: now.replace(/\.\d+/, '') }).length, 1)
  assert.equal(comparer.compare({ at: '2020-01-01T00:00:00Z' }, { at: '2020-01-01T00:00:01Z' }).length, 1)
})

test('revisions that were paired keep their order', () => {
  const twins = new OrderedTwins()
  assert.deepEqual([twins.areSame(1, 10), twins.areSame(3, 30), twins.areSame(2, 20)], [true, true, true])
  assert.deepEqual([twins.areSame(2, 21), twins.areSame(4, 29), twins.areSame(4, 31)], [false, false, true])
})

test('references are filled in from what a plane has answered', () => {
  const memory = new Memory()
  const request = { id: 1, about: '/x/a', method: 'POST', path: '/x' }
  memory.learn(request, anObject('u', '5'))
  memory.learn({ ...request, method: 'PUT', path: '/x/a' }, anObject('u', '6'))
  const version = (back: number) => memory.resolve({ $ref: 'version', of: '/x/a', back })
  assert.deepEqual([version(0), version(1), version(9)], ['6', '5', '5'])
  assert.deepEqual(
    memory.resolve([
      { $ref: 'uid', of: '/x/a' },
      { $ref: 'revision', back: 1 },
    ]),
    ['u', '5'],
  )
})
