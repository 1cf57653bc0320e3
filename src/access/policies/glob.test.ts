import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { glob } from './glob.ts'

/** Every way to read the pattern, tried in turn. */
function fitsSlowly(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const [first, rest] = [pattern[0], pattern.slice(1)]
  if (first === '*') return fitsSlowly(rest, text) || (text !== '' && fitsSlowly(pattern, text.slice(1)))
  return text !== '' && (first === '?' || first === text[0]) && fitsSlowly(rest, text.slice(1))
}

test('a pattern without wildcards fits itself only', () => {
  assert.equal(glob('kube-system').fits('kube-system'), true)
  assert.equal(glob('kube-system').fits('kube-system-2'), false)
  assert.equal(glob('a.b').fits('axb'), false)
})

test('a star stands for any text, also none, and a question mark for one character', () => {
  assert.equal(glob('kube-*').fits('kube-'), true)
  assert.equal(glob('*-prod-*').fits('team-prod-1'), true)
  assert.equal(glob('*-prod').fits('team-prod-1'), false)
  assert.equal(glob('team-?').fits('team-'), false)
  assert.equal(glob('*').fits(''), true)
})

test('it agrees with trying every way', () => {
  const pattern = fc.stringMatching(/^[ab*?]{0,8}$/)
  const text = fc.stringMatching(/^[ab]{0,10}$/)
  fc.assert(
    fc.property(pattern, text, (wanted, given) => {
      const { fits, prefix, isLiteral } = glob(wanted)
      assert.equal(fits(given), fitsSlowly(wanted, given))
      if (fits(given)) assert.ok(isLiteral ? given === prefix : given.startsWith(prefix))
    }),
    { numRuns: 2_000 },
  )
})

test('a pattern made to be slow is not', () => {
  const startedAt = performance.now()
  assert.equal(glob(`${'*a'.repeat(100)}b`).fits('a'.repeat(20_000)), false)
  assert.ok(performance.now() - startedAt < 1_000)
})
