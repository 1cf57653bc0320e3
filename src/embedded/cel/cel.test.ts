import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compile, compileCondition } from './cel.ts'

const request = {
  user: 'jane',
  groups: ['dev', 'ops'],
  count: 5,
  share: 1.5,
  labels: { 'example.com/team': 'blue' },
  nothing: null,
  items: [{ name: 'a', weight: 1 }],
}
const run = (expression: string) => compile(expression, ['request', 'claims'])({ request, claims: { sub: 'x' } })

const refused = (expression: string, variables: Parameters<typeof compile>[1] = ['request']) => {
  try {
    compile(expression, variables)
  } catch (error) {
    return (error as Error).message
  }
  return 'it was understood'
}

describe('an expression', () => {
  test('sees JSON numbers as ints where they are whole, and gives numbers back', () => {
    assert.deepEqual(
      ['request.count == 5', 'request.count + 1', 'request.share * 2.0', 'request.items[0].weight in [1, 2]'].map(run),
      [true, 6, 3, true],
    )
  })

  test('asks for presence and for members', () => {
    assert.deepEqual(
      [
        'has(request.user) && !has(request.other)',
        '"dev" in request.groups && !("qa" in request.groups)',
        '"user" in request',
        'request.labels["example.com/team"] == "blue"',
        'request.nothing == null',
        'request.items.exists(item, item.name == "a" && item.weight == 1)',
      ].map(run),
      [true, true, true, true, true, true],
    )
  })

  test('has optional fields', () => {
    assert.deepEqual(
      ['request.?other.orValue("none")', 'request[?"user"].value()', 'request.?other.hasValue()', 'request.?other'].map(
        run,
      ),
      ['none', 'jane', false, undefined],
    )
  })

  test('has the functions of strings, lists, sets, regular expressions and URLs that Kubernetes adds', () => {
    const cases: Record<string, unknown> = {
      '"Abc".lowerAscii() + "Abc".upperAscii()': 'abcABC',
      '"a-b-c".replace("-", "+")': 'a+b+c',
      '"a-b-c".replace("-", "+", 1)': 'a+b-c',
      '"$1".replace("$", "$$")': '$$1',
      '"a,b".split(",").join("|")': 'a|b',
      '"abc".charAt(1) + "abc".substring(1)': 'bbc',
      '" x ".trim().size()': 1,
      '"abc".startsWith("a") && "abc".endsWith("c") && "abc".contains("b") && "abc".matches("^a.c$")': true,
      '"abc".matches("^(?i)A.C$") && "ab" .matches("\\\\pL{2}") && !"b".matches(request.user)': true,
      '"a12b3".find("[0-9]+")': '12',
      '"a12b3".findAll("[0-9]+")': ['12', '3'],
      '[1, 2, 3].sum() + [1, 2].max() - [1, 2].min()': 7,
      '[1, 2, 2].isSorted() && ["b", "a"].sort() == ["a", "b"]': true,
      '[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)': 2,
      '[1, 1, 2].distinct()': [1, 2],
      '[3, 4].first().orValue(0) + [3, 4].last().orValue(0)': 7,
      'sets.contains(request.groups, ["ops"]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1])': true,
      'url("https://example.com:8443/a?b=c").getHost() + url("https://[::1]:1/").getHostname()': 'example.com:8443::1',
      'isURL("https://example.com") && !isURL("example")': true,
      'url("/a/b").getHost() + url("/a/b").getEscapedPath()': '/a/b',
      'duration("90s").getMinutes()': 1,
      'timestamp("2026-01-01T00:00:00Z") < timestamp("2026-01-02T00:00:00Z")': true,
    }
    for (const [expression, expected] of Object.entries(cases)) assert.deepEqual(run(expression), expected, expression)
  })

  test('fails on what is not there in the words of CEL', () => {
    assert.throws(() => run('request.other == 1'), { message: 'no such key: other' })
    assert.throws(() => run('request.user + 1'), { message: 'no such overload' })
    assert.throws(() => run('request.items[3].name'), /index out of bounds/)
  })

  test('takes names of fields for nothing but names', () => {
    const values = { request: JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') }
    const ask = (expression: string) => compile(expression, ['request'])(values)
    assert.deepEqual(
      [ask('has(request.admin)'), ask('request["__proto__"].admin'), ask('has(request.toString)')],
      [false, true, false],
    )
  })

  test('is short-circuited: a failure on one side does not matter when the other decides', () => {
    assert.equal(run('request.other == 1 || request.user == "jane"'), true)
  })
})

describe('compiling', () => {
  test('refuses variables, functions and syntax that there are not, and points at them', () => {
    assert.deepEqual(
      [
        refused('foo'),
        refused('foo(1)'),
        refused('request.user.foo()'),
        refused('request.x == 1 ||\nother'),
        refused('authorizer.path("/").check("get").allowed()'),
        refused('"abc".startsWith(1)'),
        refused('"a" == 1'),
        refused('cel.bind(x, 1, x == 1)').split('\n')[0],
      ],
      [
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^",
        "compilation failed: ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | foo(1)\n | ...^",
        "compilation failed: ERROR: <input>:1:17: undeclared reference to 'foo' (in container '')\n | request.user.foo()\n | ................^",
        "compilation failed: ERROR: <input>:2:1: undeclared reference to 'other' (in container '')\n | other\n | ^",
        'compilation failed: ERROR: <input>:1:1: undeclared reference to \'authorizer\' (in container \'\')\n | authorizer.path("/").check("get").allowed()\n | ^',
        "compilation failed: ERROR: <input>:1:17: found no matching overload for 'startsWith' applied to 'string.(int)'\n | \"abc\".startsWith(1)\n | ................^",
        "compilation failed: ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(string, int)'\n | \"a\" == 1\n | ....^",
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')",
      ],
    )
    assert.equal(
      refused('request.x.matches("(")'),
      'compilation failed: ERROR: <input>:1:19: invalid matches argument\n | request.x.matches("(")\n | ..................^',
    )
    assert.match(
      refused('"a".matches(1)'),
      /1:12: found no matching overload for 'matches' applied to 'string.\(int\)'/,
    )
    assert.match(refused('duration("x") == duration("1s")'), /1:10: invalid duration argument/)
    assert.match(refused('request.name =='), /^compilation failed: ERROR: <input>:1:16: Syntax error: /)
  })

  test('refuses fields that a variable cannot have, even to ask whether they are there', () => {
    const variables = { request: { user: 'string', resourceAttributes: { verb: 'string' } } }
    assert.equal(
      refused('request.foo', variables),
      "compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^",
    )
    assert.match(refused('has(request.resourceAttributes.foo)', variables), /<input>:1:4: undefined field 'foo'/)
    const program = compile('has(request.resourceAttributes) && request.resourceAttributes.verb == "get"', variables)
    assert.equal(program({ request: { user: 'jane' } }), false)
    assert.equal(program({ request: { resourceAttributes: { verb: 'get' } } }), true)
  })

  test('refuses fields of what has none', () => {
    const failed = "unexpected failed resolution of 'kubernetes.URL'"
    assert.match(refused('url("/a").text'), new RegExp(`<input>:1:10: ${failed}`))
    assert.match(refused('url("/a").?text.hasValue()'), new RegExp(`<input>:1:10: ${failed}`))
    assert.match(refused('url("/a")[request.x]'), /1:10: .* overload for '_\[_]' applied to '\(kubernetes.URL, dyn\)'/)
  })

  test('is done once for an expression and its variables', () => {
    assert.equal(compile('request.user == "x"', ['request']), compile('request.user == "x"', ['request']))
    assert.notEqual(compile('request.user == "x"', ['request']), compile('request.user == "x"', ['request', 'claims']))
  })

  test('tells the type, and a condition must be true or false', () => {
    assert.equal(compile('"a"', []).type, 'string')
    assert.throws(() => compileCondition('["a"]', []), { message: 'must evaluate to bool but got list(string)' })
    assert.throws(() => compileCondition('request', ['request']), { message: 'must evaluate to bool but got dyn' })
    assert.equal(compileCondition('request.a == 1', ['request']).type, 'bool')
  })
})
