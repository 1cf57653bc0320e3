import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../core/checkpoint.ts'
import type { ConditionStatus } from '../../core/conditions.ts'
import { silentLog } from '../../core/log.ts'
import { createMetrics } from '../../core/metrics.ts'
import { systemRandom } from '../../core/random.ts'
import { annotations, conditions } from '../../fleet/names.ts'
import { eventRecorder } from '../../kube/events.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { defaultHubSettings } from './deps.ts'
import { registrationMetrics, stateOf } from './metrics.ts'
import { hubView } from './view.ts'

const condition = (type: string, status: ConditionStatus) => ({
  type,
  status,
  reason: 'Test',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

async function scene(t: { after(end: () => void): void }) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const common = { clock, random: systemRandom, log: silentLog }
  const view = hubView(kube, common)
  const metrics = await createMetrics()
  const events = eventRecorder(kube, { ...common, component: 'test' })
  registrationMetrics({ ...common, kube, view, metrics, events, checkpoint: passBy, settings: defaultHubSettings })
  const ending = new AbortController()
  const over = view.run(ending.signal)
  t.after(async () => {
    ending.abort()
    await over
  })
  await clock.settle()
  const clusters = kube.of(ManagedCluster.resource)
  const set = async (name: string, body: unknown) => {
    await clusters.patch(name, { type: 'merge', body })
    await clock.settle()
  }
  /** The lines that begin like this and are not 0. */
  const told = async (start: string) =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith(start) && !line.endsWith(' 0'))
  return { clock, clusters, set, told }
}

test('each cluster is counted in one state', () => {
  assert.equal(stateOf({ stage: 'joined', available: 'True' }), 'available')
  assert.equal(stateOf({ stage: 'joined', available: 'False' }), 'unavailable')
  assert.equal(stateOf({ stage: 'joined', available: 'Unknown' }), 'unknown')
  assert.equal(stateOf({ stage: 'joined' }), 'joined')
  assert.equal(stateOf({ stage: 'deleting', available: 'True' }), 'deleting')
  assert.equal(stateOf({ stage: 'pending' }), 'pending')
})

test('clusters are counted by state, and what is told of one goes with it', async (t) => {
  const { clock, clusters, told } = await scene(t)
  const expiresAt = { [annotations.certificateExpiresAt]: '2026-01-01T01:00:00Z' }
  await clusters.create({ metadata: { name: 'west', annotations: expiresAt } })
  await clusters.create({ metadata: { name: 'east' } })
  await clock.advance('10m')
  assert.deepEqual(await told('lanyard_registration_clusters_items'), [
    'lanyard_registration_clusters_items{state="pending"} 2',
  ])
  assert.deepEqual(await told('lanyard_registration_certificate_expiry_seconds{'), [
    'lanyard_registration_certificate_expiry_seconds{cluster="west"} 3000',
  ])
  await clusters.delete('west')
  await clock.settle()
  assert.deepEqual(await told('lanyard_registration_certificate_expiry_seconds{'), [])
})

test('no end is told of a certificate that its agent left behind for an AWS role', async (t) => {
  const { clock, clusters, set, told } = await scene(t)
  const expiresAt = { [annotations.certificateExpiresAt]: '2026-01-01T01:00:00Z' }
  const ofCertificate = {
    ...condition(conditions.certificateRotated, 'False'),
    reason: 'ClientCertificateUpdateFailed',
  }
  await clusters.create({ metadata: { name: 'west', annotations: expiresAt }, status: { conditions: [ofCertificate] } })
  await clock.settle()
  assert.equal((await told('lanyard_registration_certificate_expiry_seconds{')).length, 1)
  await set('west', { metadata: { annotations: { [awsAnnotations.arn]: 'arn:aws:eks:us-west-2:1:cluster/west' } } })
  await clock.advance('2h')
  assert.deepEqual(await told('lanyard_registration_certificate_expiry_seconds{'), [])
})

test('the way from acceptance to ready and to joined is timed', async (t) => {
  const { clock, clusters, set, told } = await scene(t)
  await clusters.create({ metadata: { name: 'west' } })
  await clock.advance('10m')
  await set('west', { spec: { hubAcceptsClient: true } })
  await clock.advance('200ms')
  const accepted = condition(conditions.accepted, 'True')
  await set('west', { status: { conditions: [accepted] } })
  await clock.advance('20s')
  await set('west', { status: { conditions: [accepted, condition(conditions.joined, 'True')] } })
  assert.deepEqual(await told('lanyard_registration_ready_seconds_sum'), ['lanyard_registration_ready_seconds_sum 0.2'])
  assert.deepEqual(await told('lanyard_registration_join_seconds_sum'), ['lanyard_registration_join_seconds_sum 20.2'])
  await set('west', { status: { conditions: [condition(conditions.accepted, 'False')] } })
  await set('west', { status: { conditions: [accepted] } })
  assert.deepEqual(await told('lanyard_registration_ready_seconds_count'), [
    'lanyard_registration_ready_seconds_count 1',
  ])
})
