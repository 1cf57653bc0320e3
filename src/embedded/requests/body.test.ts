import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiRequest } from './body.ts'
import { headerOf, readDeleteOptions } from './body.ts'
import { refusal } from './testing/scene.ts'

const deleting = (query: string, body = '', contentType?: string): ApiRequest => ({
  ...{ method: 'DELETE', uri: '/x', path: '/x', query: new URLSearchParams(query), rawHeaders: [] },
  headers: contentType === undefined ? {} : { 'content-type': contentType },
  readBody: async () => Buffer.from(body),
})

const read = (query: string, body?: string, contentType?: string) =>
  readDeleteOptions(deleting(query, body, contentType))

test('options of a delete come from the query where there is no body', async () => {
  assert.deepEqual(await read(''), {})
  assert.deepEqual(await read('gracePeriodSeconds=0&propagationPolicy=Orphan&dryRun=All'), {
    ...{ gracePeriodSeconds: 0, propagationPolicy: 'Orphan', dryRun: ['All'] },
  })
  assert.deepEqual(await read('orphanDependents='), { orphanDependents: true })
  assert.deepEqual(await read('orphanDependents=false&gracePeriodSeconds=-1'), {
    ...{ orphanDependents: false, gracePeriodSeconds: -1 },
  })
})

test('where there is a body, the query is not asked', async () => {
  assert.deepEqual(await read('dryRun=All', '{"propagationPolicy":"Orphan","preconditions":{"uid":"u"}}'), {
    ...{ propagationPolicy: 'Orphan', preconditions: { uid: 'u' } },
  })
  const whole = '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":5,"orphanDependents":null}'
  assert.deepEqual(await read('', whole), { gracePeriodSeconds: 5 })
  assert.deepEqual(await read('', 'kind: DeleteOptions\ngracePeriodSeconds: 5\n', 'application/yaml'), {
    gracePeriodSeconds: 5,
  })
})

test('options that cannot be read are refused before anything is deleted', async () => {
  assert.equal(
    await refusal(read('gracePeriodSeconds=')),
    '400 BadRequest: strconv.ParseInt: parsing "": invalid syntax',
  )
  assert.match(await refusal(read('propagationPolicy=')), /^422 Invalid: .*Unsupported value: "": supported values/)
  assert.match(await refusal(read('dryRun=')), /^422 Invalid: .*dryRun: Unsupported value: \[""\]/)
  assert.match(await refusal(read('', '{"kind":"Pod"}')), /^400 BadRequest: no kind "Pod" is registered/)
  assert.match(await refusal(read('', '{"gracePeriodSeconds":"x"}')), /^400 BadRequest: /)
  assert.match(await refusal(read('', '{')), /^400 BadRequest: /)
})

test('of a header that is sent several times the first counts', () => {
  assert.equal(headerOf({ headers: { accept: ['a', 'b'] } }, 'accept'), 'a')
  assert.equal(headerOf({ headers: { accept: 'a' } }, 'accept'), 'a')
  assert.equal(headerOf({ headers: {} }, 'accept'), undefined)
})
