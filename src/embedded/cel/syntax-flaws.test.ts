import assert from 'node:assert/strict'
import test from 'node:test'
import facts from '../../../test/support/crd-facts/rule-syntax.json' with { type: 'json' }
import { compileFailureOf } from './compile-failure.ts'
import { syntaxFlaws } from './syntax-flaws.ts'

test('what is no expression is told in the words of the real server', () => {
  for (const { rule, error } of facts) assert.equal(compileFailureOf(rule, syntaxFlaws(rule)).message, error, rule)
})

test('what is one has no flaws', () => {
  const expressions = [
    '- -1 == 1 && !!a.b[0].c(1, "x", [1, 2,], {"a": 1,}).d',
    'r\'\\d\' + b\'a\' == """x\ny""" ? -1.5e3 : 0xFFu // the end',
    'a.?b.orValue([]) == a[?0] && [?a, b] == {?"k": c} || .d.e in f',
    'a.if == a.namespace && [] == [,] && {} == {,}',
    '-9223372036854775808 < 18446744073709551615u',
  ]
  for (const expression of expressions) assert.deepEqual(syntaxFlaws(expression), [], expression)
})

test('an expression that is too long or too deep is told as that alone', () => {
  const words = (expression: string) => syntaxFlaws(expression).map((flaw) => flaw.words)
  assert.deepEqual(words('('.repeat(90_000)), ['expression recursion limit exceeded: 250'])
  assert.deepEqual(words('x'.repeat(100_001)), ['expression code point size exceeds limit: size: 100001, limit 100000'])
})
