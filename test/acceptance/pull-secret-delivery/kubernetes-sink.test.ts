import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secrets } from '../../../src/kube/kinds.ts'
import type { Collection, Kube } from '../../../src/kube/kube.ts'
import type { KubeObject } from '../../../src/kube/objects.ts'
import { failures } from '../../../src/pull-secrets/failures.ts'
import { kubernetesSink } from '../../../src/pull-secrets/sinks/kubernetes.ts'
import type { Sink } from '../../../src/pull-secrets/sinks/sink.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { outsideOf } from '../../support/pull-secret-outside.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { behavesAsSink } from '../../support/sink-behaviour.ts'
import type { TestScope } from '../../support/test-scope.ts'

const name = `hyperfleet-${clusterC.id}-pull-secret`

/** The same API, with a count of what changes objects. */
function counting(kube: Kube): { kube: Kube; writes(): number } {
  let writes = 0
  const counted = <T extends KubeObject>(collection: Collection<T>): Collection<T> =>
    new Proxy(collection, {
      get(target, verb) {
        const value: unknown = Reflect.get(target, verb)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (['create', 'apply', 'update', 'patch'].includes(String(verb))) writes += 1
          return value.apply(target, args)
        }
      },
    })
  return {
    kube: { of: (resource, namespace) => counted(kube.of(resource, namespace)), request: (call) => kube.request(call) },
    writes: () => writes,
  }
}

async function inNamespace(t: TestScope) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const { kube, writes } = counting(admin)
  const collection = admin.of(secrets, namespace)
  const sink = kubernetesSink({ name: 'kubernetes', kube, namespace, instanceId: 'default' })
  const documentIn = async () => {
    const secret = await collection.find(name)
    return secret && Buffer.from(secret.data?.['.dockerconfigjson'] ?? '', 'base64').toString()
  }
  return { sink, collection, writes, documentIn }
}

test(
  'P65: a Kubernetes Secret is written once a change and not without, goes with a suspension or deletion, and outages hold up nobody',
  needsControlPlane,
  async (t) => {
    const scene = await pullSecretScene(t)
    const { sink, writes, documentIn } = await inNamespace(t)
    let isAway = false
    const fragile: Sink = {
      ...sink,
      async put(copy, signal) {
        if (isAway) throw failures.SINK_UNAVAILABLE({ sink: sink.name, detail: 'test' })
        return await sink.put(copy, signal)
      },
    }
    await behavesAsSink(
      scene,
      { sinks: [fragile] },
      {
        read: documentIn,
        writes: async () => writes(),
        breakOff() {
          isAway = true
          return () => {
            isAway = false
          }
        },
      },
    )
  },
)

test(
  "P66: a dockerconfigjson Secret exists, drift is repaired, and nobody else's Secret of that name is overwritten",
  needsControlPlane,
  async (t) => {
    const scene = await pullSecretScene(t)
    const { sink, collection, documentIn } = await inNamespace(t)
    const outside = await outsideOf(scene, scene.clock, { sinks: [sink] })
    const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
    const served = pullSecret.document.json.reveal()
    await outside.tick('delivery')
    const secret = await collection.get(name)
    assert.equal(secret.type, 'kubernetes.io/dockerconfigjson')
    assert.deepEqual(Object.keys(secret.data ?? {}), ['.dockerconfigjson'])
    assert.equal(await documentIn(), served)
    const { 'lanyard.io/pull-secret-owner': owner, ...labels } = secret.metadata.labels ?? {}
    assert.ok(owner)
    assert.deepEqual(labels, {
      'managed-by': 'hyperfleet',
      adapter: 'pullsecret',
      'cluster-id': clusterC.id,
      'resource-type': 'pull-secret',
      'hyperfleet-version': 'v1',
    })

    const repaired = async (what: string) => {
      for (let turn = 0; turn < 2; turn += 1) {
        await scene.clock.advance('15m')
        await outside.tick('delivery')
      }
      assert.ok((await documentIn()) === served, `${what}: ${scene.logged().split('\n').slice(-6).join('\n')}`)
      assert.equal((await collection.get(name)).type, 'kubernetes.io/dockerconfigjson')
    }
    const other = Buffer.from('{"auths":{}}').toString('base64')
    await collection.patch(name, { type: 'merge', body: { data: { '.dockerconfigjson': other } } })
    await repaired('changed')
    await collection.delete(name)
    await repaired('removed')
    await collection.patch(name, { type: 'merge', body: { data: { '.dockerconfigjson': other }, immutable: true } })
    await repaired('made immutable with other content')
    await collection.delete(name)
    await collection.create({
      type: 'Opaque',
      metadata: { name, labels: { ...labels, 'lanyard.io/pull-secret-owner': owner } },
    })
    await repaired('made anew with another type')

    const theirs = { metadata: { name }, type: 'Opaque', stringData: { mine: 'not yours' } }
    await collection.delete(name)
    await collection.create(theirs)
    const isTheirs = async () =>
      assert.equal(Buffer.from((await collection.get(name)).data?.['mine'] ?? '', 'base64').toString(), 'not yours')
    for (let turn = 0; turn < 2; turn += 1) {
      await scene.clock.advance('15m')
      await outside.tick('delivery')
      await isTheirs()
    }
    assert.match(scene.logged(), /SINK_FOREIGN/)
    await scene.service.ending.remove(clusterC.id, tester)
    await scene.clock.advance('1h')
    await outside.tick('delivery')
    await isTheirs()
  },
)
