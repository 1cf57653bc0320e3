import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { processorMs } from '../../../../test/support/processor-time.ts'
import { delimited, magic, mapEntry } from '../../../../test/support/protobuf.ts'
import { ApiFailure } from '../../status.ts'
import { deepestNesting } from './json-syntax.ts'
import { contentTypeOf, parseBody } from './parse-body.ts'

const json = (text: string) => parseBody(Buffer.from(text), 'application/json', 'ConfigMap')
const yaml = (text: string) => parseBody(Buffer.from(text), 'application/yaml', 'ConfigMap')

const refusal = (parse: () => unknown): string => {
  try {
    parse()
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 400) return error.message
    throw error
  }
  return 'it is read'
}
const prefix = 'the object provided is unrecognized (must be of type ConfigMap): '
const notJson = `${prefix}couldn't get version/kind; json parse error: `

for (const [text, why] of [
  ['{"a":1', 'unexpected end of JSON input ({"a":1)'],
  ['', 'unexpected end of JSON input (<empty>)'],
  ['   ', 'unexpected end of JSON input (202020)'],
  ['{"a":}', `invalid character '}' looking for beginning of value ({"a":})`],
  ["{'a':1}", `invalid character '\\'' looking for beginning of object key string ({'a':1})`],
  ['{"a":1,}', `invalid character '}' looking for beginning of object key string ({"a":1,})`],
  ['[1,]', `invalid character ']' looking for beginning of value (5b312c5d)`],
  ['[1 2]', `invalid character '2' after array element (5b3120325d)`],
  ['{"a":tru}', `invalid character '}' in literal true (expecting 'e') ({"a":tru})`],
  ['{"a":01}', `invalid character '1' after object key:value pair ({"a":01})`],
  ['{"a":-x}', `invalid character 'x' in numeric literal ({"a":-x})`],
  ['{"a":1.}', `invalid character '}' after decimal point in numeric literal ({"a":1.})`],
  ['{"a":1e}', `invalid character '}' in exponent of numeric literal ({"a":1e})`],
  ['{"a" 1}', `invalid character '1' after object key ({"a" 1})`],
  ['{"a":"\\q"}', `invalid character 'q' in string escape code ({"a":"\\q"})`],
  ['{"a":"\\u12g4"}', `invalid character 'g' in \\u hexadecimal character escape ({"a":"\\u12g4"})`],
  ['{"a":"\n"}', `invalid character '\\n' in string literal ({"a":"\n"})`],
  ['{} x', `invalid character 'x' after top-level value ({} x)`],
  ['\ufeff{}', `invalid character 'ï' looking for beginning of value (efbbbf7b7d)`],
  ['{"kind":1}', 'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":1})'],
] as const)
  test(`${JSON.stringify(text)} is refused in the words of the real parser`, () => {
    assert.equal(
      refusal(() => json(text)),
      `${notJson}${why}`,
    )
  })

test('of a long body the beginning is shown', () => {
  assert.match(
    refusal(() => json(`{"metadata":{"name":"a-rather-long-name"}`)),
    /\(\{"metadata":\{"name":"a-rather- \.\.\.\)$/,
  )
})

test('anything but an object is refused, but null is an empty one', () => {
  for (const [text, type] of [
    ['[]', 'array'],
    ['"x"', 'string'],
    ['1', 'number'],
    ['true', 'bool'],
  ])
    assert.ok(refusal(() => json(`${text}`)).startsWith(`${notJson}json: cannot unmarshal ${type} into Go value of`))
  assert.deepEqual(json('null'), { value: {}, flaws: [] })
})

test('repeated keys are named once each, by their path, in the order of the text', () => {
  const text =
    '{"x":{"a":1,"a":2,"a":3},"l":[{"b":1},{"b":"}\\"","b":[{"c":1,"c":2}]}],"x":{},"\\u0061":0,"a":1,"é\\u0001":1,"é\\u0001":1}'
  assert.deepEqual(json(text).flaws, [
    'duplicate field "x.a"',
    'duplicate field "l[1].b"',
    'duplicate field "l[1].b[0].c"',
    'duplicate field "x"',
    'duplicate field "a"',
    'duplicate field "é\\x01"',
  ])
})

test('what JSON.stringify writes is read back without flaws', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (object) => {
      const text = JSON.stringify(object)
      if (text.includes('__proto__')) return
      const { apiVersion, kind, ...rest } = JSON.parse(text)
      assert.deepEqual(json(JSON.stringify(rest)), { value: rest, flaws: [] })
    }),
    { numRuns: 200 },
  )
})

test('nesting is read to a limit, and beyond it refused without a stack overflow', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  assert.equal(
    refusal(() => json(nested(deepestNesting - 1))),
    'it is read',
  )
  for (const levels of [deepestNesting, 1_000_000])
    assert.match(
      refusal(() => json(nested(levels))),
      /invalid character '\[' exceeded max depth/,
    )
  for (const text of [nested(20_000), `a:\n${'- '.repeat(20_000)}x`, `a: ${'['.repeat(20_000)}`])
    assert.match(
      refusal(() => yaml(text)),
      /yaml: exceeded max depth|exceeded max depth/,
    )
})

test('what nests too deep is refused without being parsed', (t) => {
  const nested = `${'['.repeat(900_000)}${']'.repeat(900_000)}`
  const parsed = t.mock.method(JSON, 'parse')
  assert.match(
    refusal(() => json(nested)),
    /invalid character '\[' exceeded max depth/,
  )
  assert.equal(parsed.mock.callCount(), 0)
  const levels = 100_000
  const deep = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  const flat = `{"a":[${'1,'.repeat(levels)}], b: c}`
  const taken = processorMs(() =>
    assert.match(
      refusal(() => yaml(deep)),
      /yaml: exceeded max depth/,
    ),
  )
  assert.ok(taken < processorMs(() => yaml(flat)) / 4)
})

test('integers that a double cannot hold are refused, not rounded', () => {
  for (const number of ['9007199254740993', '-9223372036854775807']) {
    const why = /the number -?\d+ has more than 53 bits/
    assert.match(
      refusal(() => json(`{"a":${number}}`)),
      why,
    )
    assert.match(
      refusal(() => yaml(`a: ${number}`)),
      why,
    )
  }
  const { value } = json('{"a":9007199254740991,"b":"9007199254740993","c":0.12345678901234567890,"d":1e30}')
  assert.deepEqual(value, { a: 9007199254740991, b: '9007199254740993', c: 0.12345678901234568, d: 1e30 })
  assert.match(
    refusal(() => json('{"a":1e400}')),
    /cannot unmarshal number/,
  )
})

test('a key that would reach the prototype is refused, however it is written', () => {
  for (const text of ['{"a":{"__proto__":{"x":1}}}', '{"a":{"\\u005f_proto__":{"x":1}}}'])
    assert.match(
      refusal(() => json(text)),
      /named "__proto__"/,
    )
  assert.match(
    refusal(() => yaml('a: {__proto__: {x: 1}}')),
    /named "__proto__"/,
  )
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('YAML is read by the rules of 1.1 that Kubernetes follows', () => {
  const text = 'a: {a: 0777, b: 0x10, c: yes, d: n, e: 2001-01-01, f: 1:20, g: ~, h: 1_000, i: !!binary YQ==, 1: x}'
  assert.deepEqual(yaml(text).value['a'], {
    a: 511,
    b: 16,
    c: true,
    d: false,
    e: '2001-01-01',
    f: '1:20',
    g: null,
    h: 1000,
    i: 'a',
    1: 'x',
  })
  assert.deepEqual(yaml('a: {b: c, <<: {d: e}}').value, { a: { b: 'c', d: 'e' } })
})

test('the first document of a YAML stream counts, and nothing is an empty object', () => {
  assert.deepEqual(yaml('a: b\n---\na: c\n').value, { a: 'b' })
  assert.deepEqual(yaml('').value, {})
})

test('an alias gives each place an object of its own', () => {
  const { value } = yaml('a: &x {b: c}\nd: *x\n')
  assert.notEqual(value['a'], value['d'])
  assert.deepEqual(value['a'], value['d'])
})

test('aliases that explode are refused', () => {
  const lines = [
    'a: &a [x,x]',
    ...'bcdefg'.split('').map((name, i) => `${name}: &${name} [${`*${'abcdef'[i]},`.repeat(9)}]`),
  ]
  assert.match(
    refusal(() => yaml(lines.join('\n'))),
    /yaml: document contains excessive aliasing/,
  )
})

test('repeated keys of YAML are named by their line, of JSON that comes as YAML as well', () => {
  assert.deepEqual(yaml('metadata:\n  name: a\n  name: b\ndata: {a: 1, a: 2}').flaws, [
    'line 3: key "name" already set in map',
    'line 4: key "a" already set in map',
  ])
  assert.deepEqual(yaml('{"a":1,"a":2}').flaws, ['line 1: key "a" already set in map'])
})

test('what is no YAML is refused with its line', () => {
  assert.match(
    refusal(() => yaml('metadata:\n\tname: a')),
    /^the object provided is unrecognized \(must be of type ConfigMap\): yaml: line 2: /,
  )
})

test('the type of a body is JSON unless something else is said', () => {
  for (const header of [undefined, '', 'application/json', 'application/json; charset=utf-8', 'Application/JSON'])
    assert.equal(contentTypeOf(header), 'application/json')
  assert.equal(contentTypeOf('application/yaml;x=y'), 'application/yaml')
  for (const header of ['application/vnd.kubernetes.protobuf', 'Application/Vnd.Kubernetes.Protobuf;stream=watch'])
    assert.equal(contentTypeOf(header), 'application/vnd.kubernetes.protobuf')
})

test('any other type is refused with 415, and protobuf for custom kinds', () => {
  const told = (header: string, isCustom = false) => {
    try {
      contentTypeOf(header, isCustom)
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 415) return error.message
    }
    return ''
  }
  const unknown =
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml'
  for (const header of ['text/plain', 'application/json, application/yaml', ';;', 'application/*'])
    for (const isCustom of [false, true])
      assert.equal(told(header, isCustom), `${unknown}, application/vnd.kubernetes.protobuf`)
  assert.equal(told('application/vnd.kubernetes.protobuf', true), unknown)
})

test('protobuf is read by its own decoder, as the kind and version that are expected', () => {
  const body = Buffer.concat([magic, delimited(2, mapEntry(2, 'a', 'b'))])
  const { value, flaws } = parseBody(body, 'application/vnd.kubernetes.protobuf', 'ConfigMap', 'v1')
  assert.deepEqual([value, flaws], [{ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } }, []])
})

test('of keys that stand twice, a hundred are told', () => {
  const twice = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `"k${from + i}":1,"k${from + i}":2`).join()
  assert.equal(json(`{${twice(0, 300)}}`).flaws.length, 100)
})

test('YAML is read up to 256 KiB, JSON that is called YAML beyond', () => {
  const large = 'x'.repeat(300 * 1024)
  assert.equal(yaml(`{"a":"${large}"}`).value['a'], large)
  assert.throws(() => yaml(`a: ${large}`), { code: 413 })
})

test('YAML with aliases without end is refused before they are looked up', () => {
  const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, i) => line(i))
  const aliased = (count: number) => [
    'a:',
    ...lines(count, (i) => `- &a${i} x`),
    'b:',
    ...lines(count, (i) => `- *a${i}`),
  ]
  assert.equal((yaml(aliased(500).join('\n')).value['b'] as string[]).length, 500)
  assert.match(
    refusal(() => yaml(aliased(5_000).join('\n'))),
    /excessive aliasing/,
  )
})
