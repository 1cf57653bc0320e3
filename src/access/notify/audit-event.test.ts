import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSession, text } from '../sessions/testing/builders.ts'
import { auditEventOf, gapEventOf, missingOf } from './audit-event.ts'

const entry = (seq: number) => ({ seq, at: text(seq), transition: 'approved', by: 'lead' })

test('entries that were let go untold are told as a gap, and only they', () => {
  const lacking = aSession({ told: 3, history: [entry(6), entry(7)] })
  const missing = missingOf(lacking)
  assert.deepEqual(missing, { from: 4, to: 5 })
  const gap = gapEventOf(lacking, missing!)
  assert.deepEqual([gap.type, gap.id, gap.details?.['missing']], ['audit.gap', `${lacking.metadata.uid}/4-5`, 2])
  for (const status of [{ told: 5, history: [entry(6)] }, { history: [entry(1)] }, { told: 7, history: [] }, {}])
    assert.equal(missingOf(aSession(status)), undefined)
})

test('an entry has the same id each time it is told', () => {
  const session = aSession({ history: [entry(2)] })
  const told = () => auditEventOf(session, entry(2))
  assert.equal(told().id, `${session.metadata.uid}/2`)
  assert.deepEqual(told(), told())
})
