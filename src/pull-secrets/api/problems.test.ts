import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entries, Failure } from '../../core/failure.ts'
import { failures } from '../failures.ts'
import { mappedCodes, problemOf } from './problems.ts'

/** What no request is answered with: it stays in loops, in the start of the process, or in the command line. */
const neverAnswered =
  /^(EVENT|STATUS|SINK|CONFIG|POSTGRES|KEYS?|RING)_|^PULL_(STATIC_KEY|KEY_|RING_|POSTGRES_|NOT_READY|LOCAL_)/

test('every failure that a request may end with has its code on the wire', () => {
  const missing = Object.keys(failures[entries]).filter(
    (code) => !mappedCodes.includes(code) && !neverAnswered.test(code),
  )
  assert.deepEqual(missing, [])
})

test('what is mapped is in the catalogue', () => {
  assert.deepEqual(
    mappedCodes.filter((code) => !(code in failures[entries])),
    [],
  )
})

test('the codes are those of the standard for their status', () => {
  const families: Record<number, RegExp> = {
    400: /^VAL-/,
    403: /^AUZ-/,
    404: /^NTF-/,
    409: /^CNF-/,
    500: /^INT-/,
    502: /^SVC-004$/,
    503: /^SVC-00[12]$/,
    504: /^SVC-003$/,
  }
  for (const code of mappedCodes) {
    const [status, sentence] = (failures[entries] as Record<string, readonly [number, string]>)[code] ?? [0, '']
    const facts = problemOf(new Failure(code, status, sentence, { retryAfterSeconds: 7, rotation: 'r', count: 1 }))
    assert.match(facts?.code ?? '', families[status] ?? /never/, code)
    if (status === 503) assert.equal(facts?.retryAfterSeconds, 7, code)
  }
})

test('an open rotation is named, and several mistakes are one problem', () => {
  assert.deepEqual(problemOf(failures.PULL_ROTATION_OPEN({ cluster: 'c', rotation: 'r' }))?.more, { rotation_id: 'r' })
  const errors = ['a', 'b'].map((field) => ({ field, constraint: 'required', message: 'is missing' }))
  const input = (some: typeof errors) =>
    problemOf(failures.PULL_INPUT({ count: some.length, fields: '', ...{ errors: some } }))
  assert.deepEqual([input(errors)?.code, input(errors.slice(1))?.code], ['VAL-000', 'VAL-001'])
})

test('what is not known is left to the server', () => {
  assert.equal(problemOf(new Failure('OTHER', 500, 'x', {})), undefined)
})
