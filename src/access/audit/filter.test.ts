import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditSink } from '../../apis/breakglass/audit-sink-fields.ts'
import { randomFrom } from '../../core/random.ts'
import { isDrawn, isKept, reaches } from './filter.ts'
import { anEvent } from './testing/events.ts'

const log: AuditSink = { name: 'log', type: 'log' }

test('what is both included and excluded is not kept', () => {
  const filtering = { includeEventTypes: ['access.*'], excludeEventTypes: ['*.granted'] }
  assert.equal(isKept(anEvent({ type: 'access.denied' }), filtering), true)
  assert.equal(isKept(anEvent({ type: 'access.granted' }), filtering), false)
  assert.equal(isKept(anEvent({ type: 'session.requested' }), filtering), false)
})

test('users, resources and namespaces are told apart by patterns', () => {
  const event = anEvent()
  assert.equal(isKept(event, { excludeUsers: ['*@example.com'] }), false)
  assert.equal(isKept(event, { includeUsers: ['ops@*'] }), false)
  assert.equal(isKept(event, { includeResources: ['secrets'] }), true)
  assert.equal(
    isKept(anEvent({ target: { kind: 'deployments', name: 'x', apiGroup: 'apps' } }), {
      excludeResources: ['deployments.apps'],
    }),
    false,
  )
  assert.equal(isKept(event, { includeNamespaces: { patterns: ['prod-*'] } }), false)
  assert.equal(isKept(event, { excludeNamespaces: { patterns: ['pro*'] } }), false)
})

test('what labels of a namespace would decide is kept, as they are not known', () => {
  const terms = { selectorTerms: [{ matchLabels: { env: 'dev' } }] }
  assert.equal(isKept(anEvent(), { includeNamespaces: terms, excludeNamespaces: terms }), true)
})

test('a sink gets what its own list and its least severity let through', () => {
  const spec = { sinks: [log] }
  assert.equal(reaches(anEvent(), spec, { ...log, minSeverity: 'warning' }), false)
  assert.equal(reaches(anEvent({ severity: 'critical' }), spec, { ...log, minSeverity: 'warning' }), true)
  assert.equal(reaches(anEvent(), spec, { ...log, eventTypes: ['session.*'] }), false)
})

test('only what is frequent is sampled, never sessions and refusals, whatever is asked for', () => {
  const random = randomFrom(() => 0.5)
  const sampling = { rate: '0.1', highVolumeEventTypes: ['*'] }
  assert.equal(isDrawn('access.granted', sampling, random), false)
  assert.equal(isDrawn('access.granted', { ...sampling, rate: '0.6' }, random), true)
  assert.equal(isDrawn('access.granted', { ...sampling, alwaysCaptureEventTypes: ['access.*'] }, random), true)
  assert.equal(isDrawn('access.granted', { rate: '0.1', highVolumeEventTypes: [] }, random), true)
  for (const type of ['session.requested', 'access.denied', 'access.denied.policy', 'session.emergency'] as const)
    assert.equal(isDrawn(type, { ...sampling, rate: '0.0' }, random), true)
})
