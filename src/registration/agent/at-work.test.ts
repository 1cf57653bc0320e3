import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../core/checkpoint.ts'
import { aborted } from '../../core/lifecycle.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { systemRandom } from '../../core/random.ts'
import { atWork } from './at-work.ts'
import { stateBoard } from './state.ts'

test('addresses that the hub does not take at once are told again', async (t) => {
  const clock = new FakeClock()
  const memory = new MemoryKube(clock)
  const clusters = memory.of(ManagedCluster.resource)
  await clusters.create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
  let refusals = [kubeFailure(409, 'Conflict'), kubeFailure(500, 'InternalError')]
  const hub = memory.through((call, proceed) => {
    const [refusal, ...later] = refusals
    if (call.verb !== 'update' || !refusal) return proceed()
    refusals = later
    return Promise.reject(refusal)
  })
  const settings = { externalServerUrls: [{ url: 'https://west.example.com' }] }
  const machine = { clock, random: systemRandom, log: silentLog, metrics: noMetrics, checkpoint: passBy, settings }
  const { run } = atWork({
    deps: machine as never,
    cluster: 'west',
    joined: { cluster: 'west', agent: 'a1', kube: hub, stanza: { name: 'hub', server: 'https://hub.example.com' } },
    board: stateBoard(silentLog),
    member: () => aborted,
    alongside: () => aborted,
    wanted: () => undefined,
    onDenied: () => {},
    onRenewed: () => {},
  })
  const stop = new AbortController()
  const over = run(stop.signal)
  t.after(() => stop.abort())
  const told = async () => (await clusters.get('west')).spec?.managedClusterClientConfigs
  await clock.settle(50)
  assert.equal(await told(), undefined)
  await clock.advance('2s')
  assert.deepEqual(await told(), [{ url: 'https://west.example.com' }])
  stop.abort()
  await over
})
