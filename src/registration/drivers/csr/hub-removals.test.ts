import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { removals } from './hub-removals.ts'
import type { SeenRequest } from './hub-requests.ts'

const noon = new Date('2026-03-01T12:00:00Z')
const request = (name: string, user = 'u', uid = 'first') =>
  ({ csr: { metadata: { name, uid } }, user, seenAt: noon }) as unknown as SeenRequest
const back = (name: string) => request(name, 'u', 'second')

test('a superseded request goes once the newer one has been there for half a minute', () => {
  const { dueAt } = removals(new FakeClock(noon))
  assert.deepEqual(dueAt({ request: request('old'), by: request('new') }), new Date('2026-03-01T12:00:30Z'))
})

test('one that comes back after its removal is not removed again, and its agent has a minute for that', async () => {
  const clock = new FakeClock(noon)
  const { dueAt, note, openUntil } = removals(clock)
  note(request('old'), 'gone')
  assert.equal(dueAt({ request: back('old'), by: request('new') }), undefined)
  assert.ok(dueAt({ request: request('other'), by: request('new') }))
  assert.deepEqual([openUntil('u'), openUntil('v')], [new Date('2026-03-01T12:01:00Z'), undefined])
  await clock.advance('25h')
  note(request('later', 'v'), 'gone')
  assert.equal(openUntil('u'), undefined)
  assert.ok(dueAt({ request: back('old'), by: request('new') }))
})

test('one that is still there after its removal was tried is due again a minute later', async () => {
  const clock = new FakeClock(noon)
  const { dueAt, note } = removals(clock)
  await clock.advance('30s')
  note(request('old'), 'tried')
  assert.deepEqual(dueAt({ request: request('old'), by: request('new') }), new Date('2026-03-01T12:01:30Z'))
  await clock.advance('60s')
  note(request('old'), 'tried')
  assert.deepEqual(dueAt({ request: request('old'), by: request('new') }), new Date('2026-03-01T12:02:30Z'))
})

test('a removal that fails again and again leaves its agent one minute, and one more once it succeeds', async () => {
  const clock = new FakeClock(noon)
  const { note, openUntil } = removals(clock)
  const afterNote = async (stage: 'tried' | 'gone') => {
    note(request('old'), stage)
    await clock.advance('30s')
    return openUntil('u')
  }
  const first = new Date('2026-03-01T12:01:00Z')
  assert.deepEqual(
    [await afterNote('tried'), await afterNote('tried'), await afterNote('tried')],
    [first, first, first],
  )
  const last = new Date('2026-03-01T12:02:30Z')
  assert.deepEqual([await afterNote('gone'), await afterNote('tried'), await afterNote('gone')], [last, last, last])
})
