import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultPullSettings } from '../settings.ts'
import type { CredentialState } from '../store/tables.ts'
import type { RotationFacts, Situation } from './decide.ts'
import { decide } from './decide.ts'

const now = new Date('2026-06-01T00:00:00Z')
const dayMs = 86_400_000
const inDays = (days: number) => new Date(now.getTime() + days * dayMs)
const settings = { ...defaultPullSettings.rotation, attempts: 3 }

const aRotation = (over: Partial<RotationFacts> = {}): RotationFacts => ({
  id: 'r1',
  status: 'in_progress',
  phase: 'creating',
  reason: 'manual',
  force_immediate: false,
  revoke_first: false,
  registries: ['quay', 'redhat'],
  flipped_at: null,
  grace_deadline: null,
  warned_at: null,
  confirmed_at: null,
  attempts: 0,
  ...over,
})

const aCredential = (registry_id: string, state: CredentialState, rotation_id: string | null = null) => ({
  id: `${registry_id}-${state}-${rotation_id}`,
  registry_id,
  state,
  rotation_id,
})

const aSituation = (over: Partial<Situation> = {}): Situation => ({
  rotation: aRotation(),
  credentials: [aCredential('quay', 'active'), aCredential('redhat', 'active')],
  registries: new Map([
    ['quay', { required: true }],
    ['redhat', { required: true }],
    ['extra', { required: false }],
  ]),
  isBlocked: false,
  failed: new Set(),
  ...over,
})

const verdict = (over: Partial<Situation>, at = now, own: Partial<typeof settings> = {}) =>
  decide(aSituation(over), at, { ...settings, ...own })

test('a pending rotation begins with the registries that the cluster has', () => {
  const rotation = aRotation({ status: 'pending', phase: null, registries: null })
  assert.deepEqual(verdict({ rotation }), { step: 'begin', registries: ['quay', 'redhat'] })
})

test('a pending rotation of some registries begins with those alone', () => {
  const rotation = aRotation({ status: 'pending', phase: null, registries: ['redhat', 'gone'] })
  assert.deepEqual(verdict({ rotation }), { step: 'begin', registries: ['redhat'] })
})

test('a rotation with nothing to replace is cancelled', () => {
  const rotation = aRotation({ status: 'pending', phase: null, registries: null })
  assert.deepEqual(verdict({ rotation, credentials: [] }), { step: 'cancel' })
})

test('an open rotation of a blocked cluster is cancelled in any phase', () => {
  for (const phase of ['creating', 'dual', 'revoking'] as const)
    assert.deepEqual(verdict({ rotation: aRotation({ phase }), isBlocked: true }), { step: 'cancel' })
})

test('a rotation that has ended needs nothing, whatever is left of it', () => {
  for (const status of ['completed', 'failed', 'cancelled'] as const)
    assert.deepEqual(verdict({ rotation: aRotation({ status }), isBlocked: true }), { step: 'nothing' })
})

test('what is missing is created, and what is staged already is not made again', () => {
  const staged = aCredential('quay', 'staged', 'r1')
  assert.deepEqual(verdict({ credentials: [...aSituation().credentials, staged] }), {
    step: 'create',
    registries: ['redhat'],
  })
})

test('what another rotation staged does not count', () => {
  const foreign = aCredential('quay', 'staged', 'r0')
  assert.deepEqual(verdict({ credentials: [...aSituation().credentials, foreign] }), {
    step: 'create',
    registries: ['quay', 'redhat'],
  })
})

test('nothing flips before every required registry has a new credential', () => {
  const credentials = [...aSituation().credentials, aCredential('quay', 'staged', 'r1')]
  assert.deepEqual(verdict({ credentials, failed: new Set(['redhat']) }), { step: 'retry' })
})

test('the last attempt of creating fails the rotation', () => {
  const rotation = aRotation({ attempts: 2 })
  assert.deepEqual(verdict({ rotation, failed: new Set(['quay', 'redhat']) }), { step: 'fail' })
})

test('all staged: everything flips at once, into the dual phase', () => {
  const old = aSituation().credentials
  const staged = [aCredential('quay', 'staged', 'r1'), aCredential('redhat', 'staged', 'r1')]
  assert.deepEqual(verdict({ credentials: [...old, ...staged] }), {
    step: 'flip',
    staged,
    replaced: old,
    phase: 'dual',
  })
})

test('an optional registry that fails keeps its credential, and the others flip', () => {
  const rotation = aRotation({ registries: ['quay', 'extra'] })
  const old = [aCredential('quay', 'active'), aCredential('extra', 'active')]
  const staged = [aCredential('quay', 'staged', 'r1')]
  const step = verdict({ rotation, credentials: [...old, ...staged], failed: new Set(['extra']) })
  assert.deepEqual(step, { step: 'flip', staged, replaced: [old[0]], phase: 'dual' })
})

test('after a compromise the credential of an optional registry goes even without a successor', () => {
  const rotation = aRotation({ registries: ['quay', 'extra'], reason: 'compromise' })
  const old = [aCredential('quay', 'active'), aCredential('extra', 'active')]
  const staged = [aCredential('quay', 'staged', 'r1')]
  const step = verdict({ rotation, credentials: [...old, ...staged], failed: new Set(['extra']) })
  assert.deepEqual(step, { step: 'flip', staged, replaced: old, phase: 'revoking' })
})

test('a rotation of optional registries alone waits for one of them', () => {
  const rotation = aRotation({ registries: ['extra'] })
  const credentials = [aCredential('extra', 'active')]
  assert.deepEqual(verdict({ rotation, credentials, failed: new Set(['extra']) }), { step: 'retry' })
})

test('revoke first: the old ones are cut before anything is made', () => {
  const rotation = aRotation({ reason: 'compromise', revoke_first: true })
  const old = [aCredential('quay', 'revoking'), aCredential('redhat', 'revoking')]
  assert.deepEqual(verdict({ rotation, credentials: old }), { step: 'retire', credentials: old })
  assert.deepEqual(verdict({ rotation, credentials: old, failed: new Set(['quay', 'redhat']) }), { step: 'retry' })
  assert.deepEqual(verdict({ rotation, credentials: [] }), { step: 'create', registries: ['quay', 'redhat'] })
})

const inDual = (over: Partial<RotationFacts> = {}) =>
  aRotation({ phase: 'dual', flipped_at: now, grace_deadline: inDays(7), ...over })

test('the dual phase waits for the warning, then for the deadline', () => {
  assert.deepEqual(verdict({ rotation: inDual() }), { step: 'wait', until: inDays(6) })
  assert.deepEqual(verdict({ rotation: inDual() }, inDays(6)), { step: 'warn', of: 'deadline' })
  assert.deepEqual(verdict({ rotation: inDual({ warned_at: inDays(6) }) }, inDays(6)), {
    step: 'wait',
    until: inDays(7),
  })
})

test('a confirmation or the deadline ends the grace', () => {
  assert.deepEqual(verdict({ rotation: inDual({ confirmed_at: inDays(1) }) }, inDays(1)), { step: 'end-grace' })
  assert.deepEqual(verdict({ rotation: inDual({ warned_at: inDays(6) }) }, inDays(7)), { step: 'end-grace' })
  assert.deepEqual(verdict({ rotation: inDual() }, inDays(30)), { step: 'end-grace' })
})

test('held: past the deadline it is told once, and then only a confirmation goes on', () => {
  const hold = { onGraceExpiry: 'hold' as const }
  assert.deepEqual(verdict({ rotation: inDual({ warned_at: inDays(6) }) }, inDays(7), hold), {
    step: 'warn',
    of: 'held',
  })
  const told = inDual({ warned_at: inDays(7) })
  assert.deepEqual(verdict({ rotation: told }, inDays(8), hold), { step: 'wait', until: inDays(9) })
  const confirmed = inDual({ warned_at: inDays(7), confirmed_at: inDays(8) })
  assert.deepEqual(verdict({ rotation: confirmed }, inDays(8), hold), { step: 'end-grace' })
})

test('revoking retires what was replaced until nothing of it is left, and never what is served', () => {
  const rotation = aRotation({ phase: 'revoking' })
  const fresh = [aCredential('quay', 'active', 'r1'), aCredential('redhat', 'active', 'r1')]
  const old = [aCredential('quay', 'superseded'), aCredential('redhat', 'revoking', 'r0')]
  assert.deepEqual(verdict({ rotation, credentials: [...fresh, ...old] }), { step: 'retire', credentials: old })
  const failed = new Set(['quay', 'redhat'])
  assert.deepEqual(verdict({ rotation, credentials: [...fresh, ...old], failed }), { step: 'retry' })
  assert.deepEqual(verdict({ rotation, credentials: fresh, failed }), { step: 'complete' })
})

test('revoking never fails the rotation, however often it has to be tried', () => {
  const rotation = aRotation({ phase: 'revoking', attempts: 1_000 })
  const old = [aCredential('quay', 'superseded')]
  assert.deepEqual(verdict({ rotation, credentials: old, failed: new Set(['quay']) }), { step: 'retry' })
})

test('an account that a person has to look after does not keep a rotation open', () => {
  const rotation = aRotation({ phase: 'revoking' })
  assert.deepEqual(verdict({ rotation, credentials: [aCredential('quay', 'failed')] }), { step: 'complete' })
})

test('what was finished too late to be served goes, but after a compromise it is better than nothing', () => {
  const late = [aCredential('extra', 'staged', 'r1')]
  const registries = ['quay', 'extra']
  assert.deepEqual(verdict({ rotation: aRotation({ phase: 'revoking', registries }), credentials: late }), {
    step: 'retire',
    credentials: late,
  })
  const forced = aRotation({ phase: 'revoking', registries, force_immediate: true })
  assert.deepEqual(verdict({ rotation: forced, credentials: late }), {
    step: 'flip',
    staged: late,
    replaced: [],
    phase: 'revoking',
  })
})
