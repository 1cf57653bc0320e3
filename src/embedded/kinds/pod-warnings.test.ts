import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerPort } from 'kubernetes-types/core/v1.d.ts'
import { podSpecWarnings } from './pod-warnings.ts'

const warningsOf = (...ports: ContainerPort[]) =>
  podSpecWarnings({ containers: ports.map((port, index) => ({ name: `c${index}`, ports: [port] })) }, 'spec')

const protocol = 'TCP'
const [first, second] = ['spec.containers[0].ports[0]', 'spec.containers[1].ports[0]']

test('ports that are the same, or may be, are told', () => {
  const port = { containerPort: 80, protocol }
  assert.deepEqual(warningsOf(port, port), [`${second}: duplicate port definition with ${first}`])
  assert.deepEqual(warningsOf(port, { ...port, hostPort: 8080 }), [
    `${second}: overlapping port definition with ${first}`,
  ])
  assert.deepEqual(warningsOf({ ...port, hostPort: 8080 }, { ...port, hostPort: 8080, hostIP: '10.0.0.1' }), [
    `${second}: dangerously ambiguous port definition with ${first}`,
  ])
  assert.deepEqual(warningsOf(port, { ...port, protocol: 'UDP' }), [])
})

test('a name that two ports have is that of the first', () => {
  assert.deepEqual(
    warningsOf({ containerPort: 80, protocol, name: 'web' }, { containerPort: 81, protocol, name: 'web' }),
    [
      `${second}: duplicate port name "web" with ${first}, services and probes that select ports by name will use ${first}`,
    ],
  )
})

test('a variable that is set twice is told', () => {
  const env = [{ name: 'A' }, { name: 'A' }]
  assert.deepEqual(podSpecWarnings({ containers: [{ name: 'main', env }] }, 'spec'), [
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
  ])
})
