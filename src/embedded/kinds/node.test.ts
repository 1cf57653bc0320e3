import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf, created, submitted, updated, whyNotUpdated } from '../../../test/support/kind-rules.ts'
import { nodes } from './node.ts'

test('a new node may bring its status, a change of it may not', () => {
  const node = created(nodes, { status: { phase: 'Running', capacity: { cpu: '4' } } })
  const { phase, allocatable } = node['status'] as Record<string, unknown>
  assert.deepEqual([phase, allocatable], ['Running', { cpu: '4' }])
  assert.deepEqual(updated(nodes, node, { status: {} })['status'], node['status'])
})

test('what a provider gave stays', () => {
  const old = created(nodes, { spec: { podCIDR: '10.0.0.0/24', providerID: 'x' } })
  assert.deepEqual(whyNotUpdated(nodes, old, { spec: { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.1.0/24'] } }), [
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ])
})

test('a status names an address once', () => {
  const address = { type: 'InternalIP', address: '10.1.1.1' }
  const { errors } = submitted(nodes, 'status', created(nodes), { status: { addresses: [address, address] } })
  assert.deepEqual(errors, ['status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.1.1.1"}'])
})

test('a table shows whether a node is ready and what for', () => {
  const node = created(nodes, {
    metadata: {
      labels: { 'node-role.kubernetes.io/b': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': '' },
    },
    status: { conditions: [{ type: 'Ready', status: 'Unknown' }], nodeInfo: { osImage: 'x' } },
  })
  const { Status, Roles, 'OS-Image': image, 'Kernel-Version': kernel } = cellsOf(nodes, node)
  assert.deepEqual([Status, Roles, image, kernel], ['NotReady', 'a,b', 'x', '<unknown>'])
})
