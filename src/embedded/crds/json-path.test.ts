import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonPath, plainSteps, valueAt } from './json-path.ts'

const value = {
  metadata: { labels: { 'example.com/name': 'me' } },
  spec: {
    text: 'text',
    'a.b': 'dotted',
    list: ['x', 'y', 'z'],
    many: [
      { name: 'a', v: 1, ready: true },
      { name: 'b', v: 2 },
    ],
  },
}

const paths: [path: string, found: unknown[]][] = [
  ['.spec.text', ['text']],
  ['.spec.missing', []],
  ['.spec.text.deeper', []],
  ['.spec.constructor', []],
  ['.spec.list[0]', ['x']],
  ['.spec.list[-1]', ['z']],
  ['.spec.list[9]', []],
  ['.spec.list[-9]', []],
  ['.spec.list[*]', ['x', 'y', 'z']],
  ['.spec.list[1:]', ['y', 'z']],
  ['.spec.list[:2]', ['x', 'y']],
  ['.spec.list[0:3:2]', ['x', 'z']],
  ['.spec.list[0,2]', ['x', 'z']],
  ['.spec.many[*].name', ['a', 'b']],
  ['.spec.many[?(@.name=="b")].v', [2]],
  [".spec.many[?(@.name=='b')].v", [2]],
  ['.spec.many[?(@.name!="b")].name', ['a']],
  ['.spec.many[?(@.v>1)].name', ['b']],
  ['.spec.many[?(@.v>=1)].name', ['a', 'b']],
  ['.spec.many[?(@.ready)].name', ['a']],
  ['.spec.many[?(@.ready==true)].name', ['a']],
  ['.spec.many[?(@.name>1)].name', []],
  ['..name', ['a', 'b']],
  ['.spec.a\\.b', ['dotted']],
  [".spec['a.b']", []],
  [".metadata.labels['example\\.com/name']", ['me']],
  ['.metadata.labels.example\\.com/name', ['me']],
  ['.spec.', []],
  ['.spec x', []],
]
for (const [path, found] of paths)
  test(`${path} leads to ${JSON.stringify(found)}`, () => {
    assert.deepEqual(jsonPath(path)(value), found)
  })

for (const path of ['spec', '.spec[0', '.spec[foo]', '.spec[?(@.a', '.spec{.s}', '.spec["s"]'])
  test(`${path} is no path`, () => {
    assert.throws(() => jsonPath(path))
  })

test('plain paths name fields and nothing else', () => {
  assert.equal(valueAt(value, plainSteps('.spec.text')), 'text')
  assert.equal(valueAt(value, plainSteps('.spec.list[0]')), undefined)
})
