import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAnnouncement, readAnnouncement } from './announcement.ts'

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/)
const announcement = fc.record({ namespace: name, account: name, uid: fc.uuid() })

test('it is written as the contract has it', () =>
  assert.equal(
    formatAnnouncement({ namespace: 'west', account: 'west-logs-agent', uid: '1-2' }),
    'ServiceAccount west/west-logs-agent (UID: 1-2) is ready',
  ))

test('what was announced is read again', () => {
  fc.assert(fc.property(announcement, (one) => assert.deepEqual(readAnnouncement(formatAnnouncement(one)), { ...one })))
})

test('what can be read is the whole message: written again, it is the same', () => {
  const part = fc.constantFrom(
    'ServiceAccount ',
    'west',
    '/',
    'logs-agent',
    ' (UID: ',
    '1-2',
    ')',
    ' is ready',
    ' ',
    '\n',
  )
  const message = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(message, (text) => {
      const read = readAnnouncement(text)
      if (read) assert.equal(formatAnnouncement(read), text)
    }),
    { numRuns: 2_000 },
  )
})

test('anything before, after or between means that nothing is announced', () => {
  fc.assert(
    fc.property(announcement, fc.string({ minLength: 1 }), fc.nat(), (one, more, at) => {
      const message = formatAnnouncement(one)
      const place = at % (message.length + 1)
      const changed = `${message.slice(0, place)}${more}${message.slice(place)}`
      assert.notDeepEqual(readAnnouncement(changed), one)
    }),
  )
})

for (const message of [
  '',
  'ServiceAccount west/logs-agent (UID: ) is ready',
  'ServiceAccount west/logs-agent is ready',
  'ServiceAccount west/logs-agent (UID: 1) is ready\n',
  'ServiceAccount west/logs-agent (UID: 1) is ready (UID: 2) is ready',
  'ServiceAccount west/east/logs-agent (UID: 1) is ready',
  ' ServiceAccount west/logs-agent (UID: 1) is ready',
])
  test(`${JSON.stringify(message)} announces nothing`, () => assert.equal(readAnnouncement(message), undefined))
