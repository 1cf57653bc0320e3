import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCanary, assertNoCanary } from '../../../test/support/canary.ts'
import type { Attributes, ResourceAttributes } from '../authorization/attributes.ts'
import { failureAnswer, objectAnswer, plainForm } from '../requests/answer.ts'
import { alreadyExists, badRequest, unauthorized } from '../status.ts'
import { nothing } from './policy.ts'
import { RequestRecord } from './record.ts'

const user = { name: 'jane', groups: ['system:authenticated'] }

const about = (parts: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
  ...{ user, verb: 'create', group: '', version: 'v1', resource: 'configmaps', subresource: '', namespace: 'default' },
  name: '',
  ...parts,
})

function record(omitStages: readonly 'RequestReceived'[] = ['RequestReceived']) {
  const lines: string[] = []
  let elapsedMs = 0
  const wanted = { ...nothing, level: 'RequestResponse' as const, omitStages: new Set(omitStages) }
  const one = new RequestRecord(
    { policy: { rules: [{ wanted }] }, write: (line) => lines.push(line), elapsed: () => (elapsedMs += 0.25) },
    { id: 'id', uri: '/', sourceIps: [], userAgent: '' },
    new Date('2026-01-01T00:00:00Z'),
  )
  return { one, lines, events: () => lines.map((line) => JSON.parse(line)) }
}

/** A write from its arrival to its answer. */
function written(attributes: Attributes, body: object | Buffer, answer: object, code = 201) {
  const { one, lines, events } = record()
  one.received(attributes)
  one.decided({ verdict: 'allow', reason: '' })
  one.read(Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)))
  if (!Buffer.isBuffer(body)) one.sent(structuredClone(body) as never)
  one.completed(objectAnswer(code, answer, plainForm))
  return { text: lines.join(''), event: events()[0] }
}

describe('secrets', () => {
  const canary = aCanary()
  const metadata = { name: 's' }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { password: Buffer.from(canary).toString('base64') },
  }
  const inSecrets = about({ resource: 'secrets' })

  test('of a Secret the log holds its metadata, whatever the policy says', () => {
    const { text, event } = written(inSecrets, secret, secret)
    assertNoCanary({ text }, canary)
    assert.deepEqual(
      [event.level, event.objectRef.name, event.responseStatus.code, event.requestObject, event.responseObject],
      ['Metadata', 's', 201, undefined, undefined],
    )
  })

  test('of a list of Secrets and of a patch of one the log holds neither', () => {
    assertNoCanary(
      { list: written(about({ verb: 'list', resource: 'secrets' }), Buffer.alloc(0), { items: [secret] }).text },
      canary,
    )
    const patch = Buffer.from(JSON.stringify({ stringData: { a: canary } }))
    assertNoCanary(
      { patch: written(about({ verb: 'patch', resource: 'secrets', name: 's' }), patch, secret).text },
      canary,
    )
  })

  test('a failure that may quote a Secret is told without its words', () => {
    const { one, lines, events } = record()
    one.received(inSecrets)
    one.read(Buffer.from(`{"stringData":{"a":"${canary}"},`))
    const failure = badRequest(`the object provided is unrecognized (${canary})`)
    one.failed(failure, inSecrets)
    one.completed(failureAnswer(failure))
    assertNoCanary({ log: lines.join('') }, canary)
    assert.deepEqual(events()[0].responseStatus, { metadata: {}, status: 'Failure', reason: 'BadRequest', code: 400 })
  })

  test('of tokens that are asked for or asked about the log holds none', () => {
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token: canary },
    }
    const reviews = about({ group: 'authentication.k8s.io', resource: 'tokenreviews', namespace: '' })
    assertNoCanary({ review: written(reviews, review, review).text }, canary)
    const claims = Buffer.from(JSON.stringify({ jti: 'one' })).toString('base64url')
    const request = { kind: 'TokenRequest', metadata: {}, status: { token: `${canary}.${claims}.${canary}` } }
    const { text, event } = written(
      about({ resource: 'serviceaccounts', subresource: 'token', name: 'a' }),
      request,
      request,
    )
    assertNoCanary({ text }, canary)
    assert.equal(event.annotations['authentication.kubernetes.io/issued-credential-id'], 'JTI=one')
  })

  test('a custom resource that is called secrets is like any other', () => {
    const { event } = written(about({ group: 'acme.io', resource: 'secrets' }), { ...secret, kind: 'Other' }, secret)
    assert.equal(event.level, 'RequestResponse')
    assert.ok(event.requestObject.data)
  })
})

test('what was sent is written down as it arrived, however it is changed afterwards', () => {
  const { one, events } = record()
  one.received(about())
  const sent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', uid: 'u' }, data: { a: '1' } }
  one.sent(sent, { defaults: (object) => Object.assign(object, { immutable: false }) })
  sent.data.a = '2'
  const failure = alreadyExists({ group: '', plural: 'configmaps' }, 'x')
  one.failed(failure, about())
  one.completed(failureAnswer(failure))
  const [event] = events()
  assert.deepEqual([event.requestObject.data.a, event.requestObject.immutable], ['1', false])
  assert.equal('immutable' in sent, false)
  assert.deepEqual([event.objectRef.name, event.objectRef.uid], ['x', 'u'])
  assert.deepEqual([event.responseStatus.reason, event.responseObject.kind], ['AlreadyExists', 'Status'])
})

test('a patch in YAML is written down as JSON, and one that cannot be read is left out', () => {
  const patching = about({ verb: 'patch', name: 'x' })
  assert.deepEqual(written(patching, Buffer.from('data:\n  a: "1"\n'), {}).event.requestObject, { data: { a: '1' } })
  assert.equal('requestObject' in written(patching, Buffer.from('{"a'), {}).event, false)
})

test('an answer in YAML or in many lines is one line of JSON in the log', () => {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } }
  for (const form of [
    { ...plainForm, isPretty: true },
    { ...plainForm, media: 'application/yaml' as const },
  ]) {
    const { one, lines, events } = record()
    one.received(about({ verb: 'get', name: 'x' }))
    one.completed(objectAnswer(200, object, form))
    assert.equal(lines.join('').split('\n').length, 2)
    assert.deepEqual(events()[0].responseObject, object)
  }
})

test('an error that nobody foresaw is a panic, and its words stay in the log of the server', () => {
  const { one, lines, events } = record()
  one.received(about())
  one.failed(new Error('a secret'), about())
  one.completed(failureAnswer(badRequest('x')))
  assert.deepEqual(
    events().map(({ stage, responseStatus }) => [stage, responseStatus.code, responseStatus.reason]),
    [['Panic', 500, 'InternalError']],
  )
  assert.equal(lines.join('').includes('a secret'), false)
})

test('a watch is told when it begins and once when it ends', () => {
  const { one, events } = record([])
  const watch = { contentType: 'application/json', writeFrame: () => Buffer.alloc(0), open: () => assert.fail() }
  one.received(about({ verb: 'watch' }))
  one.started()
  one.completed(watch)
  one.completed(watch)
  assert.deepEqual(
    events().map(({ stage, stageTimestamp }) => [stage, stageTimestamp]),
    [
      ['RequestReceived', '2026-01-01T00:00:00.000000Z'],
      ['ResponseStarted', '2026-01-01T00:00:00.000250Z'],
      ['ResponseComplete', '2026-01-01T00:00:00.000500Z'],
    ],
  )
})

test('who is not let in is told once, without a name', () => {
  const { one, events } = record([])
  one.failed(unauthorized(), about())
  one.completed(failureAnswer(unauthorized()))
  assert.deepEqual(
    events().map(({ stage, user: who, responseStatus }) => [stage, who, responseStatus.code]),
    [['ResponseStarted', {}, 401]],
  )
})

test('an authorizer that failed is told as an error, not as a decision', () => {
  const { one, events } = record()
  one.received(about())
  one.decided({ verdict: 'no opinion', reason: '', error: 'it hung up' })
  one.completed(failureAnswer(badRequest('x')))
  assert.deepEqual(events()[0].annotations, { 'authorization.k8s.io/reason': 'internal error' })
})
