import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { issuerExtra } from '../names.ts'
import { parseReview } from './parse-review.ts'
import { ReviewFilter } from './review-filter.ts'

const filtered = (text: string | Buffer, sizes: readonly number[] = [1 << 20]): string | undefined => {
  const filter = new ReviewFilter(issuerExtra)
  const bytes = Buffer.from(text as string)
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    filter.push(bytes.subarray(at, at + size))
    at += size
  }
  return filter.end()
}
const parsed = (text: string, sizes?: readonly number[]) => {
  const kept = filtered(text, sizes)
  return kept === undefined ? undefined : parseReview(kept)
}

const resourceAttributes = { verb: 'list', group: '', version: 'v1', resource: 'secrets', namespace: 'shop' }
const review = (spec: unknown, more: object = {}): string =>
  JSON.stringify({ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, ...more })

test('selectors are passed over, whatever is in them, and what comes after them counts', () => {
  const tricky = [
    { requirements: [{ key: 'a"}]}', operator: 'In', values: ['\\', '\\"', '{"name":"x"}', '\u2028"'] }] },
    { rawSelector: `${'{['.repeat(5_000)}"\\` },
    ['"', '\\"', [[[]]], {}],
    'text with a " and a \\ in it',
    ...[null, 1.5e3, true, {}, []],
  ]
  for (const selector of tricky)
    for (const sizes of [[1], [3, 1, 7], [1 << 20]]) {
      const attributes = { fieldSelector: selector, verb: 'list', labelSelector: selector, resource: 'secrets' }
      const kept = filtered(review({ resourceAttributes: attributes, user: 'dev', uid: 'u' }), sizes)
      assert.deepEqual(JSON.parse(kept ?? ''), {
        ...{ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1' },
        spec: { resourceAttributes: { verb: 'list', resource: 'secrets' }, user: 'dev' },
      })
    }
})

test('names count as they are meant, twice counts as the last, and none is looked for where it does not belong', () => {
  const twice = `{"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"user":"a",
    "resourceAttributes":{"verb":"get","l\\u0061belSelector":{"verb":"x","spec":{}},"v\\u0065rb":"list","label\\"":1},
    "metadata":{"user":"m"},"user" :\t"b" , "resourceAttributes":{"resource":"pods","verb":"watch"}},"user":"c"}`
  for (const sizes of [[1], [5], [1 << 20]]) {
    const { asked } = parsed(twice, sizes) ?? {}
    assert.deepEqual([asked?.user, asked?.verb, asked?.resource?.resource], ['b', 'watch', 'pods'])
    const [once] = twice.split(', "resourceAttributes":{"resource"')
    assert.equal(parsed(`${once}}}`, sizes)?.asked.verb, 'list')
  }
})

test('what is no review is none', () => {
  const whole = review({ user: 'dev', resourceAttributes })
  const broken = [
    ...[
      '',
      ' ',
      'null',
      '[]',
      '"x"',
      '{',
      '}',
      '{}x',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{,}',
      '{"a":1 "b":2}',
      '\ufeff{}',
    ],
    ...[`${whole},`, `${whole}{}`, whole.slice(0, -1), whole.slice(1), whole.replace(':', ''), `[${whole}]`],
    whole.replace('"dev"', 'dev'),
    whole.replace('"dev"', '"dev'),
    whole.replace('"dev"', '"dev""x"'),
    '{"\\x":1}',
    '{"a":1]',
  ]
  for (const text of broken) assert.equal(parsed(text), undefined, text)
  for (const text of broken) assert.equal(parsed(text, [1]), undefined, text)
})

test('what is wanted is kept up to 1 MiB, and what is not costs nothing however long it is', () => {
  const filter = new ReviewFilter(issuerExtra)
  const piece = Buffer.from('{"key":"a","operator":"Exists"},'.repeat(2_048))
  filter.push(Buffer.from('{"spec":{"resourceAttributes":{"labelSelector":{"requirements":['))
  for (let n = 0; n < 256; n += 1) filter.push(piece)
  assert.equal(filter.fault, undefined)
  filter.push(Buffer.from('1]},"verb":"get"}},"kind":"x"}'))
  assert.equal(filter.end(), '{"spec":{"resourceAttributes":{"verb":"get"}},"kind":"x"}')
  const long = new ReviewFilter(issuerExtra)
  long.push(Buffer.from('{"spec":{"user":"'))
  for (let n = 0; n < 17; n += 1) long.push(Buffer.alloc(65_536, 'x'))
  assert.deepEqual([long.fault, long.end()], ['too-large', undefined])
})

test('in pieces of any size it is read as in one', () => {
  const names = ['user', 'groups', 'extra', 'spec', 'labelSelector', 'verb', '__proto__', issuerExtra, 'ü"\\']
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(resourceAttributes))
  const object = fc.dictionary(fc.constantFrom(...names), value)
  const attributes = fc.record({ ...fixed(resourceAttributes), labelSelector: fc.jsonValue(), name: fc.string() })
  const spec = fc.oneof(
    fc.record({ user: fc.string(), groups: fc.array(fc.string()), uid: fc.string(), resourceAttributes: attributes }),
    object,
  )
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
  const spaces = fc.constantFrom(undefined, 1, '\t')
  fc.assert(
    fc.property(spec, object, sizes, spaces, (of, more, pieces, space) => {
      const text = JSON.stringify(JSON.parse(review(of, more)), undefined, space)
      assert.deepEqual(parsed(text, pieces), parseReview(text))
    }),
    { numRuns: 3_000 },
  )
})

const fixed = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fc.constant(value)]))
