import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { problemsOf } from '../../../src/core/schema/check.ts'
import { structural } from '../../../src/core/schema/structural.ts'
import { closed } from '../../../src/server/rest/input.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { clusterC } from '../../support/pull-secret-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document to look into
type Document = any

const mistakes = (schema: TSchema, value: unknown) => problemsOf(closed(structural(schema)), value)

test('every route is in openapi.json, with its schemas, problems, permission and security', async (t) => {
  const { call, api } = await apiScene(t)
  const { status, body, headers } = await call('GET', '//openapi.json', { as: null })
  const document: Document = body
  assert.deepEqual([status, headers['content-type'], document.openapi], [200, 'application/json', '3.1.0'])
  const served = api.routes.map(({ method, path }) => `${method} ${path}`).sort()
  const documented = Object.entries(document.paths)
    .flatMap(([path, verbs]) => Object.keys(verbs as object).map((verb) => `${verb.toUpperCase()} ${path}`))
    .sort()
  assert.deepEqual(documented, served)
  const ids = new Set<string>()
  for (const verbs of Object.values<Document>(document.paths))
    for (const operation of Object.values<Document>(verbs)) {
      ids.add(operation.operationId)
      assert.ok(operation.summary && operation.description && operation['x-lanyard-permission'], operation.operationId)
      for (const problem of ['400', '401', '403', '429', '500', '503'])
        assert.ok(operation.responses[problem], operation.operationId)
      for (const parameter of operation.parameters)
        assert.ok(
          parameter.name && parameter.schema && parameter.description,
          `${operation.operationId} ${parameter.name}`,
        )
    }
  assert.equal(ids.size, served.length)
  assert.deepEqual(document.security, [{ bearer: [] }])
  for (const reference of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = (reference[1] as string).split('/').reduce<Document>((node, step) => node?.[step], document)
    assert.ok(found, reference[1])
  }
})

test('every example is valid by its schema', async (t) => {
  const { api } = await apiScene(t)
  for (const { operationId, body, params, answers, example } of api.routes) {
    if (body) assert.deepEqual(mistakes(body, example.body ?? {}), [], operationId)
    if (params) assert.deepEqual(mistakes(params, example.params), [], operationId)
    for (const [status, schema] of Object.entries(answers)) {
      const shown = example.answers[Number(status)]
      assert.equal(shown === undefined, schema === undefined, `${operationId} ${status} has no example`)
      if (schema) assert.deepEqual(mistakes(schema, shown), [], `${operationId} ${status}`)
    }
  }
})

test('what is answered is what the page says', async (t) => {
  const { call, api } = await apiScene(t)
  const cluster = `/clusters/${clusterC.id}/pull-secrets`
  const check = async (operationId: string, method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body === undefined ? {} : { body })
    const route = api.routes.find((one) => one.operationId === operationId)
    const schema = route?.answers[answer.status]
    assert.ok(route && answer.status in route.answers, `${operationId} answered ${answer.status}: ${answer.text}`)
    if (schema) assert.deepEqual(mistakes(schema, answer.body), [], operationId)
    else assert.equal(answer.text, '')
    return answer.body
  }
  await check('generatePullSecret', 'POST', cluster, generateBody)
  await check('generatePullSecret', 'POST', cluster, generateBody)
  await check('readPullSecret', 'GET', `${cluster}?include_metadata=true`)
  const rotation = await check('createRotation', 'POST', `${cluster}/rotations`, { reason: 'manual' })
  await check('listRotations', 'GET', `${cluster}/rotations`)
  await check('getRotation', 'GET', `${cluster}/rotations/${rotation.id}`)
  await check('cancelRotation', 'POST', `${cluster}/rotations/${rotation.id}/cancel`)
  await check('listClusters', 'GET', '/clusters')
  await check('listCredentials', 'GET', '/credentials')
  await check('listRegistries', 'GET', '/registries')
  await check('listPools', 'GET', '/pools')
  await check('suspendPullSecret', 'POST', `${cluster}/suspend`, { reason: 'unpaid' })
  await check('resumePullSecret', 'POST', `${cluster}/resume`, { reason: 'paid' })
  await check('deletePullSecret', 'DELETE', cluster)
})

test('the page for people needs nothing from elsewhere, and its policy allows nothing else', async (t) => {
  const { call, api } = await apiScene(t)
  const { status, text, headers } = await call('GET', '//docs', { as: null })
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
  for (const { operationId, summary, path } of api.routes) {
    assert.ok(text.includes(`id="${operationId}"`), operationId)
    assert.ok(text.includes(path), path)
    assert.ok(text.includes(summary.replaceAll('&', '&#38;')), summary)
  }
  assert.ok(!/<script|<img|<link|<iframe|\son\w+=|\sstyle=|url\(|@import/i.test(text))
  assert.deepEqual(
    [...text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, to]) => to),
    ['/openapi.json'],
  )
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
  const digest = createHash('sha256').update(style).digest('base64')
  assert.equal(
    headers['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  )
})
