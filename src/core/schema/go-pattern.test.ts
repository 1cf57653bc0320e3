import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goPattern } from './go-pattern.ts'

const cases: [pattern: string, matching: string[], others: string[]][] = [
  ['^a+$', ['a', 'aa'], ['', 'b', 'a\n']],
  ['^$', [''], ['😀', 'a']],
  ['^(a|)', ['😀'], []],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', ['a', 'a-b'], ['-a', 'A']],
  ['(?i)abc', ['xABCx'], ['ab']],
  ['a(?i)b|c', ['aB', 'C'], ['AB']],
  ['(?i:a)b', ['Ab'], ['AB']],
  ['(?i)a(?-i)b', ['Ab'], ['AB']],
  ['^(a|(?i)b)c$', ['ac', 'Bc'], ['Ac', 'bC']],
  ['\\Aab\\z', ['ab'], ['xab', 'ab\n']],
  ['(?m)^b$', ['a\nb\nc'], ['ab']],
  ['a.b', ['a\rb', 'a\u2028b'], ['a\nb']],
  ['(?s)a.b', ['a\nb'], ['ab']],
  ['(?P<year>\\d{4})-(?<month>\\d\\d)', ['2026-01'], ['26-01']],
  ['^\\s$', [' ', '\t'], ['\v', '\u00a0']],
  ['^[\\w.-]+$', ['a_b.c-d'], ['a b', 'ä']],
  ['^[[:alpha:]_]+$', ['a_'], ['1']],
  ['^[[:^digit:]]$', ['a'], ['1']],
  ['^[]a]+$', [']a'], ['b']],
  ['^[^]a]$', ['b'], [']', 'a']],
  ['^\\p{L}\\pN\\p{Greek}$', ['a1α'], ['11α']],
  ['^\\P{L}$', ['1'], ['a']],
  ['^\\Q.*\\E$', ['.*'], ['ab']],
  ['^\\x41\\x{42}\\103\\a$', ['ABC\x07'], ['abc']],
  ['^a{,2}]}$', ['a{,2}]}'], ['aa']],
  ['^\\/\\-\\_$', ['/-_'], []],
  ['(?U)^a+$', ['aa'], ['b']],
  ['^(?:a|b){2,3}?$', ['ab', 'aba'], ['a']],
  ['^[^\\S]$', [' '], ['a']],
  ['^[+--]$', ['+', ',', '-'], ['.']],
  ['^&&$', ['&&'], ['&']],
  ['^[&&~~]$', ['&', '~'], ['x']],
]
for (const [pattern, matching, others] of cases)
  test(`${pattern} matches as in Go`, () => {
    const compiled = goPattern(pattern)
    for (const text of matching) assert.ok(compiled.test(text), JSON.stringify(text))
    for (const text of others) assert.ok(!compiled.test(text), JSON.stringify(text))
  })

const wrong: [pattern: string, message: string][] = [
  ['[', 'missing closing ]: `[`'],
  ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
  ['(?!a)b', 'invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)b', 'invalid named capture: `(?<=a)b`'],
  ['(?x)', 'invalid or unsupported Perl syntax: `(?x`'],
  ['a++', 'invalid nested repetition operator: `++`'],
  ['a**', 'invalid nested repetition operator: `**`'],
  ['*a', 'missing argument to repetition operator: `*`'],
  ['\\Z', 'invalid escape sequence: `\\Z`'],
  ['\\q', 'invalid escape sequence: `\\q`'],
  ['\\1', 'invalid escape sequence: `\\1`'],
  ['\\u0041', 'invalid escape sequence: `\\u`'],
  ['[\\b]', 'invalid escape sequence: `\\b`'],
  ['a{1001}', 'invalid repeat count: `{1001}`'],
  ['a{2,1}', 'invalid repeat count: `{2,1}`'],
  ['((a{100}){100}){10}', 'invalid repeat count: `{100}`'],
  ['(a', 'missing closing ): `(a`'],
  ['a)', 'unexpected ): `a)`'],
  ['[z-a]', 'invalid character class range: `z-a`'],
  ['[[:foo:]]', 'invalid character class range: `[:foo:]`'],
  ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`'],
  ['a\\', 'trailing backslash at end of expression: ``'],
]
for (const [pattern, message] of wrong)
  test(`${pattern} is refused as in Go`, () => {
    assert.throws(() => goPattern(pattern), { message: `error parsing regexp: ${message}` })
  })
