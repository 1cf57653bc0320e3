import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { expiryDueAt, policyDueAt } from './due.ts'
import type { Aged } from './schedule.ts'
import { clusterDue } from './schedule.ts'

const dayMs = 86_400_000
const issuedAt = new Date('2026-01-01T00:00:00Z')
const after = (days: number) => new Date(issuedAt.getTime() + days * dayMs)

test('whatever the cluster, its rotation is due within the last day of the policy, and always at the same time', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 400 }), (clusterId, policyDays) => {
      const due = policyDueAt({ clusterId, issuedAt }, policyDays, 0.1)
      assert.ok(due > after(policyDays - 1) && due <= after(policyDays))
      assert.ok(due > after(policyDays * 0.9) || policyDays > 10)
      assert.deepEqual(policyDueAt({ clusterId, issuedAt }, policyDays, 0.1), due)
    }),
  )
})

test('without jitter it is due to the day', () => {
  assert.deepEqual(policyDueAt({ clusterId: 'a', issuedAt }, 90, 0), after(90))
})

test('clusters are spread evenly', () => {
  const hours = Array.from({ length: 24 }, () => 0)
  for (let one = 0; one < 2_400; one++) {
    const due = policyDueAt({ clusterId: `cluster-${one}`, issuedAt }, 90, 0.1)
    const hour = Math.ceil((due.getTime() - after(89).getTime()) / (dayMs / 24)) - 1
    hours[hour] = (hours[hour] ?? 0) + 1
  }
  assert.ok(Math.max(...hours) < 150, `at most ${Math.max(...hours)} in an hour`)
  assert.ok(Math.min(...hours) > 50, `at least ${Math.min(...hours)} in an hour`)
})

test('what ends by itself is due at two thirds of its life or a little before', () => {
  const due = expiryDueAt({ clusterId: 'a', issuedAt, expiresAt: after(30) }, 0.1)
  assert.ok(due && due > after(19) && due <= after(20))
  assert.equal(expiryDueAt({ clusterId: 'a', issuedAt }, 0.1), undefined)
})

const aged = (registry_id: string, days: number, over: Partial<Aged> = {}): Aged => ({
  cluster_id: 'c',
  policy_days: null,
  registry_id,
  issued_at: new Date(after(100).getTime() - days * dayMs),
  expires_at: null,
  ...over,
})
const policy = { policyDays: 90, jitter: 0 }
const required = new Set(['quay', 'redhat'])

test('the oldest credential that a document needs decides', () => {
  assert.equal(clusterDue([aged('quay', 89), aged('redhat', 10)], required, policy, after(100)), undefined)
  const due = clusterDue([aged('quay', 10), aged('redhat', 91)], required, policy, after(100))
  assert.deepEqual(due, { clusterId: 'c', at: after(99), policyDays: 90 })
})

test('an optional one that was left behind does not turn the others over', () => {
  assert.equal(clusterDue([aged('quay', 5), aged('extra', 200)], required, policy, after(100)), undefined)
  assert.ok(clusterDue([aged('extra', 200)], required, policy, after(100)))
})

test("the cluster's own policy comes before that of the installation", () => {
  assert.ok(clusterDue([aged('quay', 60, { policy_days: 60 })], required, policy, after(100)))
  assert.equal(clusterDue([aged('quay', 95, { policy_days: 120 })], required, policy, after(100)), undefined)
})

test('the end of a life asks for a rotation of that registry alone', () => {
  const harbor = aged('harbor', 21, { expires_at: after(109) })
  const due = clusterDue([aged('quay', 30), harbor], required, policy, after(100))
  assert.deepEqual(due, { clusterId: 'c', at: after(99), policyDays: 90, registries: ['harbor'] })
})
