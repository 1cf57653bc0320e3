import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import { checkedEvent, eventOfHeaders, parseEvent } from './cloud-event.ts'
import { eventOfMessage } from './rabbit-consumer.ts'

const event = { specversion: '1.0', id: '1', source: '/a', type: 'b', data: { c: 1 } } as const
const isMalformed = (error: unknown) => isFailure(error, 'EVENT_MALFORMED')

test('structured mode', () => {
  assert.deepEqual(parseEvent(JSON.stringify(event)), event)
  for (const text of ['', '[]', 'null', '{', JSON.stringify({ ...event, id: 1 }), `"${'x'.repeat(70_000)}"`])
    assert.throws(() => parseEvent(text), isMalformed)
  assert.throws(() => checkedEvent({ ...event, specversion: '0.3' }), isMalformed)
})

test('binary mode over HTTP: attributes are headers, percent-encoded where they are no ASCII', () => {
  const headers = { 'ce-specversion': '1.0', 'ce-id': '%C3%A9', 'ce-source': '/a', 'ce-type': 'b', host: 'x' }
  assert.deepEqual(eventOfHeaders(headers, { c: 1 }), { ...event, id: 'é' })
  assert.equal(eventOfHeaders({ ...headers, 'ce-id': '100%' }, undefined).id, '100%')
  assert.throws(() => eventOfHeaders({ host: 'x' }, {}), isMalformed)
})

test('AMQP: structured mode, binary mode by both prefixes, and an envelope without any hint', () => {
  type Message = Parameters<typeof eventOfMessage>[0]
  const message = (body: string, properties: object) =>
    ({ content: Buffer.from(body), properties }) as unknown as Message
  const whole = JSON.stringify(event)
  const contentType = 'application/cloudevents+json; charset=utf-8'
  assert.deepEqual(eventOfMessage(message(whole, { contentType, headers: {} })), event)
  assert.deepEqual(eventOfMessage(message(whole, {})), event)
  for (const prefix of ['cloudEvents:', 'cloudEvents_']) {
    const { data, ...attributes } = event
    const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [prefix + name, value]))
    assert.deepEqual(eventOfMessage(message(JSON.stringify(data), { headers })), event)
    assert.throws(() => eventOfMessage(message('{', { headers })), isMalformed)
  }
})

test('AMQP: a message larger than an event may be is not read', () => {
  const content = Buffer.alloc(70_000, '1')
  const headers = {
    'cloudEvents:specversion': '1.0',
    'cloudEvents:id': '1',
    'cloudEvents:source': 'a',
    'cloudEvents:type': 'b',
  }
  assert.throws(() => eventOfMessage({ content, properties: { headers } } as never), isMalformed)
})

test('a trace is passed on only where it is one: as a header of what is told on it could not be sent', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  assert.equal(checkedEvent({ ...event, traceparent }).traceparent, traceparent)
  for (const other of [`${traceparent}\r\nx: y`, 'x'.repeat(60_000), '', `${traceparent}\0`])
    assert.deepEqual(checkedEvent({ ...event, traceparent: other }), event)
})
