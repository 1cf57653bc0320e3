import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentGates, gatesWith, hubGates } from './feature-gates.ts'

test('gates have their defaults unless they are asked for otherwise', () => {
  const gates = gatesWith(hubGates, { ManagedClusterAutoApproval: true })
  assert.deepEqual([gates.ManagedClusterAutoApproval, gates.ResourceCleanup, gates.ClusterProfile], [true, true, false])
  assert.equal(gatesWith(agentGates).ClusterClaim, true)
})

test('a gate that is not there is refused, and so is one that comes later', () => {
  assert.throws(() => gatesWith(hubGates, { toString: true }), { code: 'GATE_UNKNOWN' })
  assert.throws(() => gatesWith(hubGates, { ClusterProfile: true }), { code: 'GATE_FIXED' })
  assert.doesNotThrow(() => gatesWith(hubGates, { ClusterProfile: false }))
})
