import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf, created, submitted, updated, whyNotCreated, whyNotUpdated } from '../../../test/support/kind-rules.ts'
import { endpoints } from './endpoints.ts'
import { services } from './service.ts'

const ports = [{ port: 80 }]

test('what was given to a service stays with it', () => {
  const old = created(services, {
    spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }], clusterIP: '10.0.0.9' },
  })
  const next = updated(services, old, { spec: { type: 'NodePort', ports } })['spec'] as Record<string, unknown>
  assert.deepEqual([next['clusterIP'], next['clusterIPs'], next['ipFamilies']], ['10.0.0.9', ['10.0.0.9'], ['IPv4']])
  assert.deepEqual(next['ports'], [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30001 }])
  assert.deepEqual(whyNotUpdated(services, old, { spec: { ports, clusterIP: '10.0.0.8' } }), [
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.8"]: may not change once set',
  ])
})

test('a service that is only a name has no addresses', () => {
  assert.deepEqual(
    whyNotCreated(services, { spec: { type: 'ExternalName', externalName: 'a.b', clusterIP: 'None' } }),
    ['spec.clusterIPs: Forbidden: may not be set for ExternalName services'],
  )
})

test('a load balancer waits for its address, and shows it', () => {
  const service = created(services, { spec: { type: 'LoadBalancer', ports } })
  assert.equal(cellsOf(services, service)['External-IP'], '<pending>')
  const ingress = [{ ip: '10.2.2.2' }, { hostname: 'a.b' }]
  const { object, errors } = submitted(services, 'status', service, { status: { loadBalancer: { ingress } } })
  assert.deepEqual([errors, cellsOf(services, object)['External-IP']], [[], '10.2.2.2,a.b'])
})

test('ports are shown with those of the nodes', () => {
  const service = created(services, { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] } })
  assert.equal(cellsOf(services, service)['Port(s)'], '80:30001/TCP')
})

test('endpoints that are many are cut short', () => {
  const addresses = ['10.1.1.1', 'fd00::1'].map((ip) => ({ ip }))
  const some = created(endpoints, { subsets: [{ addresses, ports: [{ port: 1 }, { port: 2 }] }] })
  assert.equal(cellsOf(endpoints, some)['Endpoints'], '10.1.1.1:1,[fd00::1]:1,10.1.1.1:2 + 1 more...')
})

test('endpoints that were good enough once stay so until they change', () => {
  const old = { ...created(endpoints), subsets: [{ addresses: [{ ip: '127.0.0.1' }] }] }
  assert.deepEqual(whyNotUpdated(endpoints, old, { metadata: { ...old.metadata, labels: { a: 'b' } } }), [])
  assert.equal(whyNotUpdated(endpoints, old, { subsets: [{ addresses: [{ ip: '127.0.0.2' }] }] }).length, 1)
})
