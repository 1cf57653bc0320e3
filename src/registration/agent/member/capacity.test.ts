import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../../kube/objects.ts'
import { onlyCapacity, sumOfNodes } from './capacity.ts'

const aNode = (capacity: Record<string, string>, unschedulable?: boolean): Stored<Node> => ({
  metadata: { name: 'n', uid: 'u', resourceVersion: '1', labels: { zone: 'a' } },
  spec: { providerID: 'x', ...(unschedulable !== undefined && { unschedulable }) },
  status: { capacity, allocatable: { ...capacity, cpu: '1' }, images: [{ names: ['large'] }] },
})

test('capacity is the sum over all nodes, allocatable that over those that take pods', () => {
  const nodes = [aNode({ cpu: '4', memory: '1Gi' }), aNode({ cpu: '500m' }, true), aNode({ cpu: '2', gpu: '1' }, false)]
  assert.deepEqual(sumOfNodes(nodes), {
    capacity: { cpu: '6500m', gpu: '1', memory: '1Gi' },
    allocatable: { cpu: '2', gpu: '1', memory: '1Gi' },
  })
})

test('a cluster without nodes has nothing', () => {
  assert.deepEqual(sumOfNodes([]), { capacity: {}, allocatable: {} })
})

test('of a node only what is summed is kept', () => {
  assert.deepEqual(onlyCapacity(aNode({ cpu: '4' }, true)), {
    metadata: { name: 'n', uid: 'u', resourceVersion: '1' },
    spec: { unschedulable: true },
    status: { capacity: { cpu: '4' }, allocatable: { cpu: '1' } },
  })
  assert.deepEqual(onlyCapacity({ metadata: { name: 'n', uid: 'u', resourceVersion: '1' } }), {
    metadata: { name: 'n', uid: 'u', resourceVersion: '1' },
    status: {},
  })
})
