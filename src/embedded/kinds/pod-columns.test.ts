import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anObject, cellsOf } from '../../../test/support/kind-rules.ts'
import { pods } from './pod.ts'

const main = { name: 'main', restartCount: 0, ready: false }
const spec = { containers: [{ name: 'main' }] }
const row = (status: object, rest: object = {}) => {
  const { Ready, Status, Restarts } = cellsOf(pods, anObject({ spec, status, ...rest }))
  return [Ready, Status, Restarts]
}

test('a pod that runs is ready as its containers are', () => {
  const running = { ...main, ready: true, state: { running: {} } }
  assert.deepEqual(row({ phase: 'Running', containerStatuses: [running] }), ['1/1', 'Running', '0'])
})

test('a pod says what its container waits for or ended with', () => {
  const state = (state: object) => row({ phase: 'Running', containerStatuses: [{ ...main, state }] })[1]
  assert.equal(state({ waiting: { reason: 'CrashLoopBackOff' } }), 'CrashLoopBackOff')
  assert.equal(state({ terminated: { reason: 'OOMKilled', exitCode: 137 } }), 'OOMKilled')
  assert.equal(state({ terminated: { signal: 9, exitCode: 137 } }), 'Signal:9')
  assert.equal(state({ terminated: { exitCode: 2 } }), 'ExitCode:2')
})

test('a pod of which one container is done still runs, if the rest of it does', () => {
  const done = { ...main, state: { terminated: { reason: 'Completed', exitCode: 0 } } }
  const running = { ...main, ready: true, state: { running: {} } }
  const conditions = [{ type: 'Ready', status: 'True' }]
  const containerStatuses = [done, running]
  assert.equal(row({ phase: 'Running', containerStatuses, conditions })[1], 'Running')
  assert.equal(row({ phase: 'Running', containerStatuses })[1], 'NotReady')
  assert.equal(row({ phase: 'Succeeded', containerStatuses: [done] })[1], 'Completed')
})

test('restarts are counted, and told how long ago', () => {
  const lastState = { terminated: { finishedAt: '2026-01-02T03:03:05Z' } }
  const again = { ...main, restartCount: 3, lastState, state: { running: {} } }
  assert.equal(row({ phase: 'Running', containerStatuses: [again] })[2], '3 (60s ago)')
})

test('a pod that prepares says how far it is', () => {
  const two = { ...spec, initContainers: [{ name: 'a' }, { name: 'b' }] }
  const prepare = (...initContainerStatuses: object[]) =>
    row({ phase: 'Pending', initContainerStatuses }, { spec: two })[1]
  const done = { ...main, name: 'a', state: { terminated: { exitCode: 0 } } }
  assert.equal(prepare(done, { ...main, name: 'b', state: { running: {} } }), 'Init:1/2')
  assert.equal(prepare({ ...main, name: 'a', state: { terminated: { exitCode: 1, reason: 'Error' } } }), 'Init:Error')
  assert.equal(prepare({ ...main, name: 'a', state: { waiting: { reason: 'ErrImagePull' } } }), 'Init:ErrImagePull')
})

test('a sidecar counts as a container', () => {
  const withSidecar = { ...spec, initContainers: [{ name: 'side', restartPolicy: 'Always' }] }
  const side = { ...main, name: 'side', ready: true, started: true, state: { running: {} } }
  assert.deepEqual(row({ phase: 'Running', initContainerStatuses: [side] }, { spec: withSidecar }), [
    '1/2',
    'Running',
    '0',
  ])
})

test('a pod that is being deleted terminates, unless it is over', () => {
  const metadata = { deletionTimestamp: '2026-01-02T03:04:05Z' }
  assert.equal(row({ phase: 'Running' }, { metadata })[1], 'Terminating')
  assert.equal(row({ phase: 'Succeeded' }, { metadata })[1], 'Succeeded')
  assert.equal(row({ phase: 'Running', reason: 'NodeLost' }, { metadata })[1], 'Unknown')
})

test('gates are open as their conditions are true', () => {
  const gated = { ...spec, readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] }
  const status = {
    conditions: [
      { type: 'a', status: 'True' },
      { type: 'b', status: 'False' },
    ],
  }
  assert.equal(cellsOf(pods, anObject({ spec: gated, status }))['Readiness Gates'], '1/2')
})
