import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { spokeAnnotations, spokeLabels } from '../../fleet/spoke/names.ts'
import { readPendingAsks } from './pending-asks.ts'
import { readClusterConfigs } from './read-cluster-configs.ts'

const { signal } = new AbortController()

async function scene(asked: string[], configs: [name: string, labels: Record<string, string>][]) {
  const kube = new MemoryKube(new FakeClock())
  for (const name of ['calm', ...asked]) {
    const annotations = asked.includes(name) ? { [spokeAnnotations.reach]: 'true' } : {}
    await kube.of(ManagedCluster.resource).create({ metadata: { name, annotations } } as ManagedCluster)
  }
  for (const [name, labels] of configs)
    await kube.of(ClusterConfig.resource, 'hub').create({ metadata: { name, labels }, spec: {} } as ClusterConfig)
  return { kube, configs: await readClusterConfigs(kube, { signal }) }
}

test('what is asked of an agent is pending until it is handed over; what a person gave is no answer to it', async () => {
  const given: [string, Record<string, string>][] = [
    ['east', { [spokeLabels.handover]: 'true' }],
    ['north', { [spokeLabels.added]: 'north' }],
  ]
  const { kube, configs } = await scene(['west', 'east', 'north'], given)
  const found = await readPendingAsks(kube, configs, { signal })
  assert.deepEqual(
    found.map(({ name, ready, pending }) => [name, ready, pending]),
    [
      ['north', 'Unknown', true],
      ['west', 'Unknown', true],
    ],
  )
  assert.match(found[0]?.message ?? '', /lanyard join --offer-reach/)
})

test('whoever may not look at clusters is told of none', async () => {
  const { kube } = await scene(['west'], [])
  const forbidden = kube.through(() => Promise.reject(kubeFailure(403, 'Forbidden')))
  assert.deepEqual(await readPendingAsks(forbidden, [], { signal }), [])
})
