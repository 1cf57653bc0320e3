import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from '../../core/schema/check.ts'
import { structural } from '../../core/schema/structural.ts'
import { openapiOf } from '../../server/rest/index.ts'
import type { PeopleDeps } from './deps.ts'
import { accessApi } from './index.ts'

const { api } = accessApi({ view: {}, spokeView: {} } as PeopleDeps)

for (const { operationId, query, body, answers, example } of api.routes)
  test(`the examples of ${operationId} are what it takes and answers`, () => {
    const check = (schema: Parameters<typeof structural>[0] | undefined, value: unknown) =>
      assert.deepEqual(schema ? problemsOf(structural(schema), value) : [], [])
    const { state, ...texts } = example.query ?? {}
    check(query && { ...query, required: [] }, { ...texts, ...(state !== undefined && { state: [state] }) })
    if (example.body !== undefined) check(body, example.body)
    assert.deepEqual(Object.keys(example.answers), Object.keys(answers))
    for (const [status, schema] of Object.entries(answers)) check(schema, example.answers[Number(status)])
  })

test('every operation is on the page, with the codes of access', () => {
  const document = openapiOf(api)
  const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs))
  assert.equal(operations.length, api.routes.length + (api.raw ?? []).length)
  assert.doesNotMatch(JSON.stringify(document), /HYPERFLEET|VAL-|database/)
  const stream = operations.find(({ operationId }) => operationId === 'watchSessions')
  assert.match(JSON.stringify(stream?.responses), /text\/event-stream/)
})
