import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEvent } from '../../test/support/control-plane/audit.ts'
import { contestants } from './contestants.ts'
import type { JoinAnswer } from './join-turn.ts'
import { countBy, kindOf, requestsOf } from './join-turn.ts'
import { tableOf } from './report.ts'

const anAnswer = (acceptMs: number): JoinAnswer => ({
  askMs: 0,
  acceptMs,
  connectMs: 0,
  hubCpuMs: 0,
  serverCpuMs: 0,
  acceptCpuMs: 0,
  hubRss: 0,
  hubPeakRss: 0,
  requests: 0,
  writes: 0,
})

test('a table has a column for each contestant, and how many times better the first one is', () => {
  const { lanyard, ocm } = contestants('')
  const join = new Map([
    ['lanyard 100', [1_000, 2_000, 3_000].map(anAnswer)],
    ['ocm 100', [anAnswer(14_000)]],
  ])
  const lines = tableOf({ join, agent: new Map(), floor: new Map([[100, [900]]]) }, [lanyard, ocm]).split('\n')
  assert.match(lines[0] ?? '', /Lanyard \| OCM as shipped \|$/)
  assert.match(lines[2] ?? '', /^\| 100: accept: .* \| +2\.00 s \(1\.00–3\.00\) \| +14\.0 s, 7\.00× \|$/)
  assert.match(lines.at(-1) ?? '', /^\| 100: the same writes without a hub +\| +0\.90 s \| +\|$/)
})

test('a request counts once, watches do not, and neither does what others ask or what came before', () => {
  const event = (given: Partial<AuditEvent>): AuditEvent => ({
    level: 'Metadata',
    auditID: '',
    stage: 'ResponseComplete',
    verb: 'create',
    requestURI: '/api/v1/namespaces',
    user: { username: 'hub' },
    objectRef: { resource: 'namespaces' },
    responseStatus: { code: 201 },
    requestReceivedTimestamp: '2026-03-01T12:00:05.000000Z',
    stageTimestamp: '2026-03-01T12:00:05.000000Z',
    ...given,
  })
  const events = [
    event({}),
    event({ stage: 'ResponseStarted' }),
    event({ verb: 'watch' }),
    event({ user: { username: 'other' } }),
    event({ requestReceivedTimestamp: '2026-03-01T11:59:59.000000Z' }),
    event({ verb: 'patch', requestURI: '/api/v1/namespaces/a?fieldManager=x', responseStatus: { code: 200 } }),
  ]
  const counted = requestsOf(events, 'hub', new Date('2026-03-01T12:00:00Z'), new Date('2026-03-01T12:01:00Z'))
  assert.deepEqual(countBy(counted, kindOf), { 'create namespaces 201': 1, 'patch namespaces x 200': 1 })
})
