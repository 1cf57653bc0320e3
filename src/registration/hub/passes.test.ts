import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { annotations } from '../../fleet/names.ts'
import type { Handler } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import type { HubDeps } from './deps.ts'
import { passOf, registrationPasses } from './passes.ts'

const aCluster = (expiresAt?: string): Stored<ManagedCluster> => ({
  metadata: {
    name: 'west',
    uid: 'u',
    resourceVersion: '1',
    annotations: expiresAt
      ? {
          [annotations.agentName]: 'a1',
          [annotations.certificateIssuedAt]: '2026-03-01T12:00:00Z',
          [annotations.certificateExpiresAt]: expiresAt,
          [annotations.certificateFingerprint]: 'AB:CD',
        }
      : {},
  },
})

test('the certificate on record is a pass of its agent', () => {
  assert.deepEqual(passOf(aCluster('2026-03-01T13:00:00Z')), {
    id: 'join/west',
    kind: 'join',
    holder: 'west/a1',
    issuer: 'kubernetes.io/kube-apiserver-client',
    issuedAt: new Date('2026-03-01T12:00:00Z'),
    expiresAt: new Date('2026-03-01T13:00:00Z'),
    keptIn: 'cluster/west: secret/open-cluster-management-agent/hub-kubeconfig-secret',
    fingerprint: 'AB:CD',
    state: 'PassIssued',
  })
})

test('a cluster without a certificate has no pass', () => {
  assert.equal(passOf(aCluster()), undefined)
})

test('changes are told once, and the end of a cluster ends its pass', async () => {
  const clock = new FakeClock('2026-03-01T12:30:00Z')
  let tell: Handler<ManagedCluster> = () => {}
  const on = (handler: Handler<ManagedCluster>) => {
    tell = handler
    return { [Symbol.dispose]() {} }
  }
  const passes = registrationPasses({ view: { clusters: { on } }, clock } as unknown as HubDeps)
  const stop = new AbortController()
  const running = passes.run(stop.signal)
  const changes = passes.changes(stop.signal)[Symbol.asyncIterator]()
  const next = async () => (await changes.next()).value?.expiresAt?.toISOString()

  tell({ type: 'added', object: aCluster() })
  tell({ type: 'updated', previous: aCluster(), object: aCluster('2026-03-01T13:00:00Z') })
  assert.equal(await next(), '2026-03-01T13:00:00.000Z')
  tell({ type: 'updated', previous: aCluster(), object: aCluster('2026-03-01T13:00:00Z') })
  tell({ type: 'updated', previous: aCluster(), object: aCluster('2026-03-01T14:00:00Z') })
  assert.equal(await next(), '2026-03-01T14:00:00.000Z')
  assert.deepEqual(
    (await Array.fromAsync(passes.list())).map(({ holder }) => holder),
    ['west/a1'],
  )
  tell({ type: 'deleted', object: aCluster('2026-03-01T14:00:00Z') })
  assert.equal(await next(), '2026-03-01T12:30:00.000Z')
  stop.abort()
  await running
})
