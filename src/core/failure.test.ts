import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, entries, Failure, isFailure } from './failure.ts'
import { Secret } from './secret.ts'

const failures = catalogue({
  LEASE_HELD: [409, 'another replica ({holder}) leads until {until}'],
  CLOSED: [503, 'the server is closing'],
})

test('a failure has a code, a status and its sentence with the parameters filled in', () => {
  const failure = failures.LEASE_HELD({ holder: 'a', until: '12:00' })
  assert.ok(failure instanceof Failure && failure instanceof Error)
  assert.deepEqual(
    [failure.code, failure.status, failure.message, failure.params],
    ['LEASE_HELD', 409, 'another replica (a) leads until 12:00', { holder: 'a', until: '12:00' }],
  )
})

test('parameters are required by type, and a sentence without any needs none', () => {
  assert.equal(failures.CLOSED().message, 'the server is closing')
  // @ts-expect-error until is missing
  failures.LEASE_HELD({ holder: 'a' })
})

test('a cause is passed through, and there is none unless given', () => {
  const cause = new Error('reset')
  assert.equal(failures.CLOSED({}, cause).cause, cause)
  assert.equal('cause' in failures.CLOSED(), false)
})

test('a Secret as a parameter does not show in the message', () => {
  assert.equal(
    failures.LEASE_HELD({ holder: Secret.of('hunter2'), until: 'x' }).message,
    'another replica (***) leads until x',
  )
})

test('a parameter that looks like a place in the sentence is not filled again', () => {
  const failure = failures.LEASE_HELD({ holder: '{until}', until: '$&' })
  assert.equal(failure.message, 'another replica ({until}) leads until $&')
})

test('isFailure tells failures by code and others apart', () => {
  assert.ok(isFailure(failures.CLOSED()))
  assert.ok(isFailure(failures.CLOSED(), 'CLOSED'))
  assert.equal(isFailure(failures.CLOSED(), 'LEASE_HELD'), false)
  assert.equal(isFailure(Object.assign(new Error('x'), { code: 'CLOSED' }), 'CLOSED'), false)
})

test('the entries are there for the reference page and not among the codes', () => {
  assert.deepEqual(failures[entries].CLOSED, [503, 'the server is closing'])
  assert.deepEqual(Object.keys(failures), ['LEASE_HELD', 'CLOSED'])
})
