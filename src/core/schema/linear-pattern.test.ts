import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { goPattern } from './go-pattern.ts'
import { linearPattern } from './linear-pattern.ts'

const msOf = (act: () => unknown): number => {
  const startedAt = performance.now()
  act()
  return performance.now() - startedAt
}

for (const [pattern, text] of [
  ['^(a+)+$', `${'a'.repeat(5_000)}!`],
  ['^([a-z0-9]+[._-]?)+@x$', `${'a'.repeat(5_000)}!`],
  ['^(a|a)*$', `${'a'.repeat(5_000)}!`],
  ['a+$', `${'a'.repeat(50_000)}!`],
  ['^a*a*a*a*a*b$', 'a'.repeat(5_000)],
  ['(x+x+)+y', 'x'.repeat(5_000)],
] as const)
  test(`${pattern} is told of a long text in little time`, () => {
    const matcher = linearPattern(pattern)
    assert.ok(msOf(() => assert.equal(matcher.test(text), false)) < 3_000)
  })

const pieces = fc.constantFrom(
  ...['a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '(a|b)', '(?:ab)', '^', '$', '\\b', '\\B', '(?m)^'],
  ...[
    '(?m:$)',
    '(?s:.)',
    '\\n',
    '[[:alpha:]]',
    '\\p{L}',
    '\\x41',
    'é',
    '😀',
    '(a*b)',
    '(|a)',
    '\\.',
    '[a-c-]',
    '|',
    '()',
  ],
)
const repeats = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,3}', '{2,}', '*?', '+?')
const patterns = fc
  .array(fc.tuple(pieces, repeats), { maxLength: 6 })
  .map((parts) => parts.map(([piece, repeat]) => (['|', '^', '$'].includes(piece) ? piece : piece + repeat)).join(''))
const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', 'c', '1', ' ', '\n', '.', '-', 'é', '😀'), { maxLength: 12 })
  .map((characters) => characters.join(''))

/** What is put in front and behind is in the text for both. */
const padding = ' '.repeat(70)

test('both ways of matching agree', () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      // V8 finds `\\B` between the two halves of a character beyond the first plane: it is shown one within.
      const shown = (given: string) => (pattern.includes('\\B') ? given.replaceAll('😀', '☺') : given)
      let native: RegExp
      try {
        native = goPattern(shown(pattern))
      } catch {
        return
      }
      const linear = linearPattern(pattern)
      for (const whole of [text, `${text}\n${padding}`, `${padding}\n${text}`])
        assert.equal(linear.test(whole), native.test(shown(whole)), `${native.source} ${JSON.stringify(whole)}`)
    }),
    { numRuns: 5_000 },
  )
})

test('no word boundary is missing in the middle of a character', () => {
  for (const pattern of ['\\B', 'a{0,3}a?\\B+?']) assert.equal(linearPattern(pattern).test('a😀a'), false)
  assert.equal(linearPattern('\\B').test('aa😀'), true)
})

test('case counts where the pattern says so, and nowhere else', () => {
  assert.equal(linearPattern('a(?i:A)|[ab]').test('A'), false)
  assert.equal(linearPattern('(?i)b{0,3}\\p{L}a{2,}').test('😀aAa'), true)
  assert.equal(linearPattern('(?i)é(?-i)a').test('Éa'), true)
})

test('what is no expression is refused in the words of Go', () => {
  assert.throws(() => linearPattern('a('), /missing closing \)/)
})

const stepsOf = (pattern: string, text: string, act: 'test' | 'find' = 'test') => {
  let steps = 0
  const matcher = linearPattern(pattern)
  const count = (more: number) => {
    steps += more
  }
  if (act === 'test') matcher.test(text, count)
  else matcher.find(text, 0, count)
  return { steps, most: (matcher.states + 1) * ([...text].length + 1) }
}

test('F14a: no text takes more steps than its characters times the states of the pattern, however short it is', () => {
  const ways = '(a|a)'.repeat(24)
  for (const pattern of [`^${ways}x$`, '^(a+)+$', '(x+x+)+y', '^a*a*a*a*a*b$', '(a|ab)(c|bcd)(d*)', 'a{0,40}b'])
    for (const text of ['', 'a'.repeat(24), 'a'.repeat(500), `${'x'.repeat(300)}!`, 'abcd'.repeat(90)])
      for (const act of ['test', 'find'] as const) {
        const { steps, most } = stepsOf(pattern, text, act)
        assert.ok(steps > 0 && steps <= most, `${act} ${pattern}: ${steps} of ${most}`)
      }
})

test('F14b: whoever counts the steps can end the matching', () => {
  let steps = 0
  const enough = (more: number) => {
    steps += more
    if (steps > 100_000) throw new Error('enough')
  }
  const matcher = linearPattern('(a?){1000}b')
  assert.throws(() => matcher.test('a'.repeat(1_000_000), enough), /enough/)
  assert.throws(() => matcher.find('a'.repeat(1_000_000), 0, enough), /enough/)
  assert.ok(steps < 2 * 100_000 + 2 * (4_096 + matcher.states))
})

test('F14c: an expression of more than 50,000 states is refused, and one of many groups in groups', () => {
  const letters = (count: number) => Array.from({ length: count }, () => 'a{1000}').join('')
  assert.equal(linearPattern(letters(49)).test('a'), false)
  assert.throws(() => linearPattern(letters(50)), /^Error: error parsing regexp: expression too large: `a\{1000\}/)
  assert.equal(linearPattern(`${'('.repeat(1_000)}a${')'.repeat(1_000)}`).test('a'), true)
  assert.throws(() => linearPattern(`${'('.repeat(1_001)}a${')'.repeat(1_001)}`), /expression nests too deeply/)
  assert.throws(() => linearPattern('('.repeat(1_000_000)), /expression nests too deeply/)
})
