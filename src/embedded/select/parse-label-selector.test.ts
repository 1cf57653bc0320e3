import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LabelSelector, Requirement } from './label-selector.ts'
import { SelectorFailure } from './label-selector.ts'
import { parseLabelSelector } from './parse-label-selector.ts'

const toldOf = ({ key, operator, values }: Requirement) => `${key} ${operator} ${values.join('|')}`.trim()

test('what Kubernetes understands is understood', () => {
  const table: [text: string, ...requirements: string[]][] = [
    [''],
    [' \t\r\n'],
    ['a', 'a exists'],
    ['!a', 'a !'],
    ['! a', 'a !'],
    ['a=b', 'a = b'],
    ['a == b', 'a = b'],
    ['a!=b', 'a != b'],
    ['a=', 'a ='],
    ['a=,b', 'a =', 'b exists'],
    ['a!=', 'a !='],
    ['a in (b,c)', 'a in b|c'],
    ['a\tin\n(c,b,c)', 'a in b|c'],
    ['a in(b)', 'a in b'],
    ['a notin (b)', 'a notin b'],
    ['a in ()', 'a in'],
    ['a in ( )', 'a in'],
    ['a notin (b,)', 'a notin |b'],
    ['a in (,)', 'a in'],
    ['a in (,b)', 'a in |b'],
    ['a in (b,,c)', 'a in |b|c'],
    ['a in (b,,)', 'a in |b'],
    ['a>1,a<5', 'a gt 1', 'a lt 5'],
    ['a>01', 'a gt 01'],
    ['a>9223372036854775807', 'a gt 9223372036854775807'],
    ['in in (in,notin)', 'in in in|notin'],
    ['a=in,notin,in', 'a = in', 'notin exists', 'in exists'],
    ['example.com/a=b.c_d-e,!x.y/z', 'example.com/a = b.c_d-e', 'x.y/z !'],
  ]
  for (const [text, ...requirements] of table)
    assert.deepEqual(parseLabelSelector(text).map(toldOf), requirements, text)
})

const nameForm =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const prefixForm =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const valueForm =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const notANumber = "for 'Gt', 'Lt' operators, the value must be an integer"
const long = 'x'.repeat(64)

/** As kube-apiserver answers; `~` stands for its words about the requirement. */
const refused: [text: string, message: string][] = [
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['=b', "found '=', expected: !, identifier, or 'end of string'"],
  ['(a)', "found '(', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a=b,=c', "found '=', expected: identifier after ','"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
  ['a=b)', "found ')', expected: ',' or 'end of string'"],
  ['a in (b) c', "found 'c', expected: ',' or 'end of string'"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['!a in (b)', "found 'in', expected: ',' or 'end of string'"],
  ['!', "~found '', expected: identifier"],
  ['!!a', "~found '!', expected: identifier"],
  ['a,!', "~found '', expected: identifier"],
  ['a b', "~found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a!', "~found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ['a)', "~found ')', expected: in, notin, =, ==, !=, gt, lt"],
  ['a not in (b)', "~found 'not', expected: in, notin, =, ==, !=, gt, lt"],
  ['a constructor b', "~found 'constructor', expected: in, notin, =, ==, !=, gt, lt"],
  ['a===b', "~found '=', expected: identifier"],
  ['a=(b)', "~found '(', expected: identifier"],
  ['a=!b', "~found '!', expected: identifier"],
  ['a>=1', "~found '=', expected: identifier"],
  ['a in', "~found '' expected: '('"],
  ['a in b', "~found 'b' expected: '('"],
  ['a in ((b)', "~found '(', expected: ',', ')' or identifier"],
  ['a in (=)', "~found '=', expected: ',', ')' or identifier"],
  ['a in (b', "~found '', expected: ',' or ')'"],
  ['a in (b c)', "~found 'c', expected: ',' or ')'"],
  ['a in (b,', "~found '', expected: ',', or identifier"],
  ['a in (,=', "~found '=', expected: ',', or identifier"],
  ['/a', '~<nil>: Invalid value: "/a": prefix part must be non-empty'],
  ['a/', `~<nil>: Invalid value: "a/": name part must be non-empty; ${nameForm}`],
  ['A.b/c', `~<nil>: Invalid value: "A.b/c": ${prefixForm}`],
  ['-a in (', `~<nil>: Invalid value: "-a": ${nameForm}`],
  ['"a"', `~<nil>: Invalid value: "\\"a\\"": ${nameForm}`],
  ['a\v=b', `~<nil>: Invalid value: "a\\v": ${nameForm}`],
  ['a\u00a0=b', `~<nil>: Invalid value: "a\\u00a0": ${nameForm}`],
  [long, `~<nil>: Invalid value: "${long}": name part must be no more than 63 bytes`],
  [`${'x'.repeat(254)}/a`, `~<nil>: Invalid value: "${'x'.repeat(254)}/a": prefix part must be no more than 253 bytes`],
  ['a=-b', `~values[0][a]: Invalid value: "-b": ${valueForm}`],
  ['a=ä', `~values[0][a]: Invalid value: "ä": ${valueForm}`],
  [`a=${long}`, `~values[0][a]: Invalid value: "${long}": must be no more than 63 bytes`],
  ['a in (ok,-no)', `~values[0][a]: Invalid value: "-no": ${valueForm}`],
  [
    'a notin (-y,-x)',
    `~[values[0][a]: Invalid value: "-x": ${valueForm}, values[1][a]: Invalid value: "-y": ${valueForm}]`,
  ],
  ['a>x', `~values[0]: Invalid value: "x": ${notANumber}`],
  ['a>', `~values[0]: Invalid value: "": ${notANumber}`],
  ['a>9223372036854775808', `~values[0]: Invalid value: "9223372036854775808": ${notANumber}`],
  ['a>-5', `~values[0][a]: Invalid value: "-5": ${valueForm}`],
  ['a<-x', `~[values[0]: Invalid value: "-x": ${notANumber}, values[0][a]: Invalid value: "-x": ${valueForm}]`],
]

test('what Kubernetes does not understand is refused in its words', () => {
  for (const [text, message] of refused)
    assert.throws(
      () => parseLabelSelector(text),
      (error) => {
        assert.ok(error instanceof SelectorFailure)
        assert.equal(error.message, message.replace(/^~/, 'unable to parse requirement: '), text)
        return true
      },
    )
})

const word = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,5}[A-Za-z0-9])?$/)
const key = fc.oneof(
  word,
  fc.tuple(fc.stringMatching(/^[a-z]{1,4}(\.[a-z]{1,3})?$/), word).map((parts) => parts.join('/')),
)
const value = fc.oneof(word, fc.constantFrom('', 'in', 'notin'))
const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('=', '!='), values: value.map((one) => [one]) }),
  fc.record({
    key,
    operator: fc.constantFrom('in', 'notin'),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ key, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: fc.nat().map((number) => [String(number)]) }),
)

function printed({ key: name, operator, values }: Requirement, space: string): string {
  switch (operator) {
    case 'exists':
      return name
    case '!':
      return `!${space}${name}`
    case 'in':
    case 'notin':
      return `${name} ${operator}${space}(${values.join(`${space},${space}`)})`
    case 'gt':
    case 'lt':
      return `${name}${space}${operator === 'gt' ? '>' : '<'}${values}`
    default:
      return `${name}${space}${operator}${space}${values}`
  }
}

test('what is printed is read back as it was', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 5 }), fc.constantFrom('', ' ', '\n\t '), (selector, space) => {
      const inOrder: LabelSelector = selector.map((one) => ({ ...one, values: one.values.toSorted() }))
      const text = selector.map((one) => printed(one, space)).join(`${space},${space}`)
      assert.deepEqual(parseLabelSelector(text), inOrder)
    }),
  )
})

test('whatever the text is, it is read or refused', () => {
  const piece = fc.constantFrom(
    'a',
    'b/c',
    '=',
    '==',
    '!=',
    '!',
    '(',
    ')',
    ',',
    '>',
    '<',
    ' in ',
    ' notin ',
    '1',
    '-',
    ' ',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
        fc.string(),
      ),
      (text) => {
        try {
          parseLabelSelector(text)
        } catch (error) {
          assert.ok(error instanceof SelectorFailure)
        }
      },
    ),
  )
})
