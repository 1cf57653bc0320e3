import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kind } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import type { AdmissionStep } from './admission.ts'
import { defaultTolerations } from './default-tolerations.ts'
import { priority } from './priority.ts'
import { runtimeClass } from './runtime-class.ts'
import { taintNewNodes } from './taint-new-nodes.ts'
import { aWrite, kinds, outcome } from './testing/scene.ts'

type Spec = Record<string, unknown> & { taints?: object[]; tolerations?: { key?: string }[] }

const run = async (step: AdmissionStep, kind: Kind, spec: object, more: Parameters<typeof aWrite>[1] = {}) => {
  const write = aWrite(kind, { object: { spec }, ...more })
  const object = await step.mutate?.({ ...write, object: write.object as ApiObject })
  return object?.['spec'] as Spec
}

test('a pod has the priority of its class', async () => {
  const given = (spec: object) => run(priority, kinds.pods, spec)
  const preemptionPolicy = 'PreemptLowerPriority'
  assert.deepEqual(await given({}), { priority: 0, preemptionPolicy })
  const priorityClassName = 'system-cluster-critical'
  assert.deepEqual(await given({ priorityClassName }), { priorityClassName, priority: 2_000_000_000, preemptionPolicy })
  const refused = (spec: object) => outcome(run(priority, kinds.pods, spec))
  assert.match(await refused({ priorityClassName: 'gone' }), /: no PriorityClass with name gone was found$/)
  assert.match(await refused({ priority: 7 }), /: the integer value of priority \(7\) must not be .* computed 0 from/)
  assert.match(
    await refused({ preemptionPolicy: 'Never' }),
    /: the string value of PreemptionPolicy \(Never\) must not/,
  )
})

test('a pod keeps its priority', async () => {
  const old = { spec: { priority: 5, preemptionPolicy: 'Never' } }
  const changed = await run(priority, kinds.pods, { a: 1 }, { operation: 'UPDATE', old })
  assert.deepEqual(changed, { a: 1, ...old.spec })
})

test('a pod tolerates for five minutes what it says nothing about', async () => {
  const keys = async (...tolerations: object[]) => {
    const spec = await run(defaultTolerations, kinds.pods, { tolerations })
    return spec.tolerations?.map(({ key }) => key)
  }
  const [notReady, unreachable] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
  assert.deepEqual(await keys(), [notReady, unreachable])
  assert.deepEqual(await keys({ operator: 'Exists' }), [undefined])
  assert.deepEqual(await keys({ key: unreachable }), [unreachable, notReady])
  assert.deepEqual(await keys({ key: notReady, effect: 'NoSchedule' }), [notReady, notReady, unreachable])
})

test('a pod names no runtime class', async () => {
  assert.match(
    await outcome(run(runtimeClass, kinds.pods, { runtimeClassName: 'gone' })),
    /: pod rejected: RuntimeClass "gone" not found$/,
  )
  assert.equal(await outcome(run(runtimeClass, kinds.pods, {})), 'admitted')
})

test('a new node is tainted, once', async () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
  const taints = async (...present: object[]) => (await run(taintNewNodes, kinds.nodes, { taints: present })).taints
  assert.deepEqual(await taints(), [taint])
  assert.deepEqual(await taints(taint), [taint])
  assert.equal(taintNewNodes.concerns?.(aWrite(kinds.nodes, { operation: 'UPDATE' })), false)
})
