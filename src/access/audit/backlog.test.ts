import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backlog } from './backlog.ts'
import type { AuditType } from './contract.ts'
import { anEvent } from './testing/events.ts'

const at = new Date('2026-01-01T00:00:00Z')
const filled = (limit: number, types: readonly AuditType[]): { backlog: Backlog; lost: string[] } => {
  const backlog = new Backlog(limit)
  const lost: string[] = []
  types.forEach((type, index) => {
    backlog.add({ event: anEvent({ type, id: `${index}` }), over: () => lost.push(`${index}`) }, at)
  })
  return { backlog, lost }
}
const ids = (backlog: Backlog) => backlog.take(100).map(({ event }) => event.id)

test('events are taken in the order they came, whatever they are about', () => {
  const { backlog } = filled(10, ['access.granted', 'session.requested', 'access.denied', 'access.granted'])
  assert.deepEqual(ids(backlog), ['0', '1', '2', '3'])
  assert.equal(backlog.takeGap(), undefined)
})

test('when no more may wait, use goes before refusals and those before sessions, the oldest first', () => {
  const types: AuditType[] = ['session.requested', 'access.denied', 'access.granted', 'access.granted']
  const { backlog, lost } = filled(3, [...types, 'session.approved', 'session.expired'])
  assert.deepEqual(lost, ['2', '3', '1'])
  assert.deepEqual(backlog.takeGap(), { since: at, until: at, dropped: { 'access.granted': 2, 'access.denied': 1 } })
  assert.deepEqual(ids(backlog), ['0', '4', '5'])
  backlog.limit = 1
  for (const id of ['6', '7']) backlog.add({ event: anEvent({ type: 'session.dropped', id }) }, at)
  assert.deepEqual(backlog.takeGap()?.dropped, { 'session.dropped': 1 })
  assert.deepEqual(ids(backlog), ['7'])
})

test('a hundred thousand may come and go', () => {
  const { backlog } = filled(
    50_000,
    Array.from({ length: 100_000 }, () => 'access.granted' as const),
  )
  assert.equal(backlog.size, 50_000)
  assert.equal(backlog.take(60_000).length, 50_000)
  assert.equal(backlog.takeGap()?.dropped['access.granted'], 50_000)
})
