import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventFacts } from './event.ts'
import { eventLine, microTime } from './event.ts'

const facts: EventFacts = {
  level: 'RequestResponse',
  id: 'id-1',
  uri: '/api/v1/configmaps?a=1&b=<c>',
  verb: 'list',
  user: { name: 'jane', groups: ['dev'], extra: { b: ['2'], a: ['1'] } },
  sourceIps: ['127.0.0.1'],
  userAgent: 'test',
}

test('an event is one line, with its fields in the order of the real server', () => {
  const line = eventLine(
    {
      ...facts,
      impersonatedUser: { name: 'bob', uid: 'u', groups: [] },
      impersonationConstraint: 'impersonate:user-info',
      objectRef: {
        ...{ resource: 'configmaps', namespace: '', name: '', uid: '' },
        ...{ apiGroup: '', apiVersion: 'v1', resourceVersion: '', subresource: '' },
      },
      responseStatus: { metadata: {}, code: 200 },
      requestObject: '{"a":"<&>"}',
      responseObject: '{"b":1}',
      annotations: { z: '1', a: '2' },
    },
    'ResponseComplete',
    't1',
    't2',
  )
  assert.equal(
    line,
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id-1","stage":"ResponseComplete","requestURI":"/api/v1/configmaps?a=1\\u0026b=\\u003cc\\u003e","verb":"list","user":{"username":"jane","groups":["dev"],"extra":{"a":["1"],"b":["2"]}},"impersonatedUser":{"username":"bob","uid":"u"},"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"},"sourceIPs":["127.0.0.1"],"userAgent":"test","objectRef":{"resource":"configmaps","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},"requestObject":{"a":"\\u003c\\u0026\\u003e"},"responseObject":{"b":1},"requestReceivedTimestamp":"t1","stageTimestamp":"t2","annotations":{"a":"2","z":"1"}}\n`,
  )
})

test('somebody whom nobody knows is a user without a name', () => {
  const told = JSON.parse(eventLine({ ...facts, user: undefined, userAgent: '' }, 'ResponseStarted', 't', 't'))
  assert.deepEqual(told.user, {})
  assert.equal('userAgent' in told, false)
})

test('moments have microseconds', () => {
  const start = new Date('2026-01-01T00:00:00.999Z')
  assert.equal(microTime(start, 0), '2026-01-01T00:00:00.999000Z')
  assert.equal(microTime(start, 1.0456), '2026-01-01T00:00:01.000046Z')
  assert.equal(microTime(start, 61_000.5), '2026-01-01T00:01:01.999500Z')
})
