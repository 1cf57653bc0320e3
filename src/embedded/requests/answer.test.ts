import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure, tooManyRequests } from '../status.ts'
import { failureAnswer, objectAnswer, pageNotFound, plainForm, textAnswer } from './answer.ts'

const text = '{"kind":"Thing","list":[1]}'

test('JSON is sent as it is with a line end, for people in lines, and as YAML', () => {
  assert.deepEqual(textAnswer(200, text, plainForm), { code: 200, body: `${text}\n`, contentType: 'application/json' })
  const pretty = textAnswer(200, text, { ...plainForm, isPretty: true })
  assert.equal(pretty.body, '{\n  "kind": "Thing",\n  "list": [\n    1\n  ]\n}')
  const yaml = textAnswer(201, text, { ...plainForm, media: 'application/yaml' })
  assert.deepEqual(yaml, { code: 201, body: 'kind: Thing\nlist:\n  - 1\n', contentType: 'application/yaml' })
  assert.equal(objectAnswer(200, JSON.parse(text), plainForm).body, `${text}\n`)
})

test('a failure is a Status with its code, and says when to come again', () => {
  const failure = failureAnswer(new ApiFailure(404, 'NotFound', 'no such thing', { name: 'a' }))
  assert.equal(failure.code, 404)
  assert.equal(failure.headers, undefined)
  assert.deepEqual(JSON.parse(failure.body), {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no such thing' },
    ...{ reason: 'NotFound', details: { name: 'a' }, code: 404 },
  })
  assert.deepEqual(failureAnswer(tooManyRequests('later', 3)).headers, { 'retry-after': '3' })
})

test('a page that is not there is told in plain words that no browser takes for a page', () => {
  assert.deepEqual(pageNotFound(), {
    ...{ code: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' },
    headers: { 'x-content-type-options': 'nosniff' },
  })
})
