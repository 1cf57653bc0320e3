import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaOf } from '../../kinds/facts/facts.ts'
import { whyUnfit } from './why-unfit.ts'

const deployment = (spec: object) => whyUnfit({ spec }, schemaOf('apps/v1', 'Deployment'))
const pod = (spec: object) => deployment({ template: { spec } })
const container = (fields: object) => pod({ containers: [fields] })
const secret = (a: unknown) => whyUnfit({ data: { a } }, schemaOf('v1', 'Secret'))

test('what fits', () => {
  assert.equal(container({ name: 'x', args: ['a', null], resources: { limits: { cpu: 1 } } }), undefined)
  assert.equal(deployment({ replicas: null, strategy: { rollingUpdate: { maxSurge: '25%' } } }), undefined)
  assert.equal(secret('YQ=='), undefined)
  assert.equal(secret([97, 98]), undefined)
})

test('structs, lists and maps from something else', () => {
  assert.equal(deployment({ template: [] }), 'cannot restore struct from: slice')
  assert.equal(pod({ containers: {} }), 'cannot restore slice from map')
  assert.equal(pod({ containers: ['x'] }), 'cannot restore struct from: string')
  assert.equal(pod({ nodeSelector: 5 }), 'cannot restore map from int64')
})

test('texts, numbers and booleans from something else', () => {
  assert.equal(container({ image: 5 }), 'cannot convert int64 to string')
  assert.equal(pod({ restartPolicy: 5 }), 'cannot convert int64 to v1.RestartPolicy')
  assert.equal(container({ image: 1.5 }), 'unrecognized type: string')
  assert.equal(pod({ nodeSelector: { a: {} } }), 'unrecognized type: string')
  assert.equal(deployment({ replicas: 'x' }), 'unrecognized type: int32')
  assert.equal(deployment({ replicas: 1.5 }), 'cannot convert float64 to int32')
  assert.equal(deployment({ paused: 1 }), 'unrecognized type: bool')
})

test('bytes from something else', () => {
  assert.equal(secret('x'), 'error decoding from json: illegal base64 data at input byte 0')
  assert.equal(secret(5), 'cannot restore slice from int64')
  assert.equal(secret([97, 'x']), 'unrecognized type: uint8')
})

test('types that read JSON themselves', () => {
  const time = (creationTimestamp: unknown) => whyUnfit({ metadata: { creationTimestamp } }, schemaOf('v1', 'Secret'))
  assert.equal(time(5), 'json: cannot unmarshal number into Go value of type string')
  assert.equal(time('x'), 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"')
  const surge = (maxSurge: unknown) => deployment({ strategy: { rollingUpdate: { maxSurge } } })
  assert.equal(surge({}), 'json: cannot unmarshal object into Go value of type int32')
  assert.equal(surge(1.5), 'json: cannot unmarshal number 1.5 into Go value of type int32')
  assert.match(`${container({ resources: { limits: { cpu: 'x' } } })}`, /^quantities must match the regular expression/)
})
