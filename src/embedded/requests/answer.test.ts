import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainForm, textAnswer } from './answer.ts'

const asYaml = (object: object) => textAnswer(200, JSON.stringify(object), { ...plainForm, media: 'application/yaml' })

test('an answer in YAML is written as YAML', () => {
  assert.deepEqual(asYaml({ a: { b: 1 } }), { code: 200, body: 'a:\n  b: 1\n', contentType: 'application/yaml' })
})

test('a long one is JSON, which a reader of YAML reads as well', () => {
  const large = { items: Array.from({ length: 10_000 }, (_, index) => ({ name: `a${index}`, value: 'x'.repeat(50) })) }
  const { body, contentType } = asYaml(large)
  assert.equal(contentType, 'application/yaml')
  assert.deepEqual(JSON.parse(body), large)
})
