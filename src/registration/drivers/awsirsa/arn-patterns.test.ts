import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { processorMs } from '../../../../test/support/processor-time.ts'
import { arnMatcher } from './arn-patterns.ts'

const arn = 'arn:aws:eks:us-west-2:123456789012:cluster/spoke'

function matches(patterns: string[], text: string): boolean {
  const matcher = arnMatcher(patterns)
  assert.ok(!('wrong' in matcher), 'wrong' in matcher ? matcher.wrong : '')
  return matcher.test(text)
}

const cases: [boolean, string, string][] = [
  [true, arn, arn],
  [true, 'arn:aws:eks:us-west-2:123456789012:cluster/.*', arn],
  [true, '^arn:aws:eks:us-west-2:123456789012:cluster/spoke$', arn],
  [true, 'arn:aws:eks:us-(west|east)-[12]:\\d{12}:cluster/sp(oke|y)', arn],
  [true, 'nothing|arn:aws:eks:.*', arn],
  [true, '(?i)ARN:AWS:EKS:.*', arn],
  [false, 'arn:aws:eks:us-west-2:123456789012:cluster/.*', `XXX${arn}`],
  [false, 'arn:aws:eks:us-west-2:123456789012:cluster/spoke', `${arn}2`],
  [false, 'arn:aws:eks:us-west-2:123456789012:cluster/.*', arn.replace('us-west-2', 'us-west-1')],
  [false, 'arn:aws:eks:us-west-2:123456789012:cluster/', arn],
  [false, 'spoke', arn],
  [false, 'nothing|spoke', arn],
  [false, 'arn:aws|spoke', arn],
  [false, 'arn:aws:eks:us-west-2:123456789012:cluster/spoke', `${arn}\n`],
  [false, '(?m)arn:aws:eks:us-west-2:123456789012:cluster/spoke', `${arn}\nmore`],
  [false, '(?m)^arn:aws:eks:us-west-2:123456789012:cluster/spoke$', `more\n${arn}`],
  [false, 'arn:aws:eks:us-west-2:123456789012:cluster/.*', `${arn}\nmore`],
]
for (const [isMatch, pattern, text] of cases)
  test(`${JSON.stringify(text)} ${isMatch ? 'is' : 'is not'} matched as a whole by ${pattern}`, () =>
    assert.equal(matches([pattern], text), isMatch))

test('one of several patterns is enough, and without patterns nothing matches', () => {
  assert.equal(matches(['x', 'arn:.*'], arn), true)
  assert.equal(matches([], arn), false)
  assert.equal(matches([], ''), false)
})

test('a text that matches stops to do so with anything before or after it', () => {
  const piece = fc.constantFrom('a', 'a*', '(a|b)', '[ab]', '.', 'b+?', '(?:ab)?', '|')
  const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(pattern, fc.stringMatching(/^[ab]{1,5}$/), (given, text) => {
      if (matches([given], text)) for (const other of [`\n${text}`, `${text}\n`]) assert.ok(!matches([given], other))
      assert.equal(matches([given], text), new RegExp(`^(?:${given})$`).test(text))
    }),
  )
})

const refused: [string, RegExp][] = [
  ['', /is empty/],
  ['(', /is no regular expression \(.*missing closing \).*\); correct it$/],
  ['a)|(?:b', /is no regular expression \(.*unexpected \)/],
  ['*', /missing argument to repetition/],
  ['[', /missing closing \]/],
  ['a\\', /trailing backslash/],
  ['arn:\\Qx', /is no regular expression/],
  ['(?=arn).*', /invalid or unsupported Perl syntax/],
  ['(a)\\1', /is no regular expression/],
  ['a'.repeat(513), /513 characters, and 512 are allowed; give several shorter ones$/],
  [`(${'a'.repeat(20)}){1000}`, /repeats too much/],
  ['(?:(?:a{10}){10}){10}'.repeat(10), /repeats too much/],
]
for (const [pattern, why] of refused)
  test(`the pattern ${JSON.stringify(pattern.slice(0, 40))} is refused with the reason`, () => {
    const found = arnMatcher(['arn:.*', pattern])
    assert.ok('wrong' in found)
    assert.match(found.wrong, why)
    assert.match(found.wrong, /^the ARN pattern "/)
  })

for (const pattern of ['(a+)+', '(a|a)*b', '(.*)*x', '(x+x+)+y', 'a*a*a*a*a*a*a*b', '(a{0,60}){0,16}!'])
  test(`${pattern} does not hold the hub up, however long the text`, () => {
    const tookMs = processorMs(() => {
      for (const text of [`${'a'.repeat(2_000)}?`, `${'x'.repeat(2_000)}?`])
        assert.equal(matches([pattern], text), false)
    })
    assert.ok(tookMs < 5_000)
  })
