import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { configMaps, secrets } from '../../kube/kinds.ts'
import type { AgentSettings } from './deps.ts'
import { resolveNames } from './names.ts'

function scene(given: Partial<AgentSettings> = {}) {
  const kube = new MemoryKube(new FakeClock())
  const settings = { namespace: 'here', hubKubeconfigSecret: 'hub', ...given }
  const deps = { management: kube, spoke: kube, random: systemRandom, log: silentLog, settings }
  return { kube, deps, resolve: () => resolveNames(deps) }
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('names that were made are the same again, and on record before they are used', async () => {
  const { kube, resolve } = scene()
  const names = await resolve()
  assert.deepEqual(await resolve(), names)
  assert.equal((await kube.of(configMaps, 'here').get('cluster-name')).data?.['cluster-name'], names.cluster)
  assert.equal((await kube.of(secrets, 'here').get('hub')).data?.['agent-name'], base64(names.agent))
  assert.match(names.agent, /^[a-z0-9]{5}$/)
})

test('two agents that start at once agree on their names', async () => {
  const { resolve } = scene()
  const [one, two] = await Promise.all([resolve(), resolve()])
  assert.deepEqual(one, two)
})

test('the name of the agent survives the loss of the Secret, and that of the ConfigMap, also beside a given cluster', async () => {
  for (const given of [{}, { clusterName: 'west' }]) {
    const { kube, resolve } = scene(given)
    const names = await resolve()
    await kube.of(secrets, 'here').delete('hub')
    assert.deepEqual(await resolve(), names)
    assert.equal((await kube.of(secrets, 'here').get('hub')).data?.['agent-name'], base64(names.agent))
    await kube.of(configMaps, 'here').delete('cluster-name')
    assert.equal((await resolve()).agent, names.agent)
    await kube.of(secrets, 'here').delete('hub')
    assert.equal((await resolve()).agent, names.agent)
  }
})

test('a ConfigMap without the name of the agent, or with one that no hub takes, gets it', async () => {
  const { kube, resolve } = scene()
  const maps = kube.of(configMaps, 'here')
  for (const data of [{ 'cluster-name': 'kept' }, { 'cluster-name': 'kept', 'agent-name': 'A:b' }]) {
    await maps.create({ metadata: { name: 'cluster-name' }, data })
    const { cluster, agent } = await resolve()
    assert.match(agent, /^[a-z0-9]{5}$/)
    assert.deepEqual((await maps.get('cluster-name')).data, { 'cluster-name': 'kept', 'agent-name': agent })
    assert.equal(cluster, 'kept')
    await maps.delete('cluster-name')
    await kube.of(secrets, 'here').delete('hub')
  }
})

test('a given name goes before every record, and is recorded', async () => {
  const { kube, deps, resolve } = scene()
  await resolve()
  const names = await resolveNames({ ...deps, settings: { ...deps.settings, agentName: 'given' } })
  assert.equal(names.agent, 'given')
  assert.equal((await kube.of(configMaps, 'here').get('cluster-name')).data?.['agent-name'], 'given')
})

test('a name that an agent of the field kept in the Secret is taken over', async () => {
  const { kube, resolve } = scene()
  const data = { 'cluster-name': base64('kept'), 'agent-name': base64('a1') }
  await kube.of(secrets, 'here').create({ metadata: { name: 'hub' }, data })
  assert.deepEqual(await resolve(), { cluster: 'kept', agent: 'a1' })
})

test('a forbidden look at OpenShift counts as none', async () => {
  const { kube, deps } = scene()
  const spoke = kube.through((call, proceed) =>
    call.plural === 'clusterversions' ? Promise.reject(kubeFailure(403, 'Forbidden')) : proceed(),
  )
  assert.match((await resolveNames({ ...deps, spoke })).cluster, /^[0-9a-f-]{36}$/)
})

test('names that no hub takes are refused with where they come from', async () => {
  await assert.rejects(scene({ clusterName: 'West.1' }).resolve(), { code: 'AGENT_CLUSTER_NAME_INVALID' })
  await assert.rejects(scene({ clusterName: 'w'.repeat(64) }).resolve(), { code: 'AGENT_CLUSTER_NAME_INVALID' })
  await assert.rejects(scene({ clusterName: 'w', agentName: 'a:b' }).resolve(), { code: 'AGENT_NAME_INVALID' })
})
