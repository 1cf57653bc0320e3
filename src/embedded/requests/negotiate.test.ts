import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../status.ts'
import { negotiate } from './negotiate.ts'

const formFor = (accept: string | undefined, query = '', userAgent = 'test') => {
  try {
    const { as, media, isPretty, includeObject } = negotiate(accept, new URLSearchParams(query), userAgent)
    return [as, media.slice('application/'.length), isPretty ? 'pretty' : '', includeObject].filter(Boolean).join(' ')
  } catch (error) {
    assert.ok(error instanceof ApiFailure)
    return `${error.code} ${error.message}`
  }
}

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

test('the first thing that is accepted and served is chosen, the best of them first', () => {
  const chosen: [accept: string | undefined, form: string][] = [
    [undefined, 'object json Metadata'],
    ['', 'object json Metadata'],
    ['*/*', 'object json Metadata'],
    ['application/json', 'object json Metadata'],
    ['application/json;charset=utf-8', 'object json Metadata'],
    ['application/json;stream=watch', 'object json Metadata'],
    ['application/json; foo', 'object json Metadata'],
    ['application/yaml', 'object yaml Metadata'],
    ['application/yaml,application/json', 'object yaml Metadata'],
    ['application/json;q=0.4,application/yaml;q=0.5', 'object yaml Metadata'],
    ['text/plain;q=0.1,*/*;q=0.05', 'object json Metadata'],
    ['application/vnd.kubernetes.protobuf,application/json', 'object json Metadata'],
    ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json', 'object json Metadata'],
    [table, 'Table json Metadata'],
    [`${table},application/json`, 'Table json Metadata'],
    ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'Table yaml Metadata'],
    ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'object json Metadata'],
    ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'PartialObjectMetadata json Metadata'],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'PartialObjectMetadataList json Metadata'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'Table json Metadata'],
  ]
  for (const [accept, form] of chosen) assert.equal(formFor(accept), form, accept)
})

test('what nobody serves is 406', () => {
  for (const accept of [
    'text/html',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table',
    'application/json;as=Foo;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v1;g=other.k8s.io',
  ])
    assert.match(formFor(accept), /^406 only the following media types are accepted: application\/json/, accept)
})

test('people are given what they can read, unless they say otherwise', () => {
  const isPretty = (query: string, userAgent?: string, accept = 'application/json') =>
    formFor(accept, query, userAgent).includes('pretty')
  const yes = [
    ...[
      isPretty('', 'curl/8.1'),
      isPretty('', 'Wget/1'),
      isPretty('', 'Mozilla/5.0 (X11)'),
      isPretty('pretty=', 'curl/8'),
    ],
    ...[
      isPretty('pretty=1'),
      isPretty('pretty=true'),
      isPretty('pretty=T'),
      isPretty('', 'x', 'application/json;pretty=1'),
    ],
  ]
  const no = [
    ...[isPretty(''), isPretty('', 'kubectl/v1.36'), isPretty('pretty=')],
    ...[isPretty('pretty=false', 'curl/8'), isPretty('pretty=0'), isPretty('pretty=x'), isPretty('pretty=False')],
  ]
  assert.deepEqual([...yes, ...no], [...yes.map(() => true), ...no.map(() => false)])
})

test('a table says what its rows carry', () => {
  assert.equal(formFor(table, 'includeObject=None'), 'Table json None')
  assert.equal(formFor(table, 'includeObject=Object'), 'Table json Object')
  assert.equal(formFor(table, 'includeObject='), 'Table json Metadata')
  assert.equal(
    formFor(table, 'includeObject=foo'),
    `400 Unable to convert to Table as requested: includeObject: Invalid value: "foo": must be 'Metadata', 'Object', 'None', or empty`,
  )
  assert.equal(formFor('application/json', 'includeObject=foo'), 'object json Metadata')
})
