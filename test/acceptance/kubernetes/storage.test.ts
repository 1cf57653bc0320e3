/** What clients can see of how objects are kept: one count of changes over everything, and a memory with an end. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { isExpired, isNotFound, KubeFailure } from '../../../src/kube/failures.ts'
import { configMaps, customResourceDefinitions, leases, secrets } from '../../../src/kube/kinds.ts'
import type { Collection, Kube, WatchEvent } from '../../../src/kube/kube.ts'
import type { KubeObject } from '../../../src/kube/objects.ts'
import { resource } from '../../../src/kube/objects.ts'
import { aConfigMap, aLease, aSecret, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  return { kube, namespace: await freshNamespace(t, kube) }
}

const versionOf = ({ metadata }: { metadata: { resourceVersion: string } }): number => {
  assert.match(metadata.resourceVersion, /^[1-9]\d*$/)
  return Number(metadata.resourceVersion)
}

const assertRising = (versions: readonly number[]) => {
  const sorted = [...new Set(versions)].sort((a, b) => a - b)
  assert.deepEqual(versions, sorted)
}

/** The first event of a watch that will do. */
async function firstOf<T extends KubeObject>(
  watch: AsyncIterable<WatchEvent<T>>,
  isWanted: (event: WatchEvent<T>) => boolean,
): Promise<WatchEvent<T>> {
  for await (const event of watch) if (isWanted(event)) return event
  return assert.fail('the watch ended without it')
}

/** A kind of its own: of it no server knows anything from before this moment. */
async function serveWidgets(t: TestContext, kube: Kube): Promise<Collection<KubeObject>> {
  const group = `${uniqueName('test')}.example.com`
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
  const schema = { openAPIV3Schema: { type: 'object' } }
  const definitions = kube.of(customResourceDefinitions)
  const { metadata } = await definitions.create({
    metadata: { name: `widgets.${group}` },
    spec: { group, names, scope: 'Cluster', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  })
  teardown(t, async () => {
    await definitions.delete(metadata.name)
  })
  const widgets = kube.of(resource(`${group}/v1`, 'Widget', 'widgets', { namespaced: false }))
  await eventually('the new kind is served', async () =>
    widgets.list().catch((error) => (isNotFound(error) ? undefined : Promise.reject(error))),
  )
  return widgets
}

describe('storage', needsControlPlane, () => {
  test('E3: one resourceVersion counts the changes of all kinds and only ever rises', async (t) => {
    const { kube, namespace } = await start(t)
    const [configs, claims, hidden] = [
      kube.of(configMaps, namespace),
      kube.of(leases, namespace),
      kube.of(secrets, namespace),
    ]
    const config = await configs.create(aConfigMap('a'))
    const claim = await claims.create(aLease('a'))
    const secret = await hidden.create(aSecret('a'))
    const again = await configs.update({ ...config, data: { k: '1' } })
    const patched = await claims.patch('a', { type: 'merge', body: { spec: { holderIdentity: 'me' } } })
    const last = await hidden.create(aSecret('b'))
    assertRising([config, claim, secret, again, patched, last].map(versionOf))
    for (const list of [await configs.list(), await claims.list(), await hidden.list()])
      assert.ok(versionOf(list) >= versionOf(last), 'a list is as new as what was written before it, of any kind')
  })

  test('E3: a deletion is a change with a resourceVersion of its own', async (t) => {
    const { kube, namespace } = await start(t)
    const configs = kube.of(configMaps, namespace)
    const created = await configs.create(aConfigMap('a', { k: '1' }))
    await configs.delete('a')
    const recreated = await configs.create(aConfigMap('a'))
    const { resourceVersion } = created.metadata
    const event = await firstOf(configs.watch({ resourceVersion }), ({ type }) => type === 'DELETED')
    assert.ok(event.type === 'DELETED')
    assertRising([created, event.object, recreated].map(versionOf))
    assert.deepEqual(event.object.data, { k: '1' })
  })

  test('an update that changes nothing leaves the resourceVersion as it is', async (t) => {
    const { kube, namespace } = await start(t)
    const configs = kube.of(configMaps, namespace)
    const created = await configs.create(aConfigMap('a', { k: '1' }))
    assert.deepEqual(await configs.update(created), created)
    assert.deepEqual(await configs.patch('a', { type: 'merge', body: { data: { k: '1' } } }), created)
  })

  test('E3: changes made at the same time are watched in the order of their resourceVersions, each once', async (t) => {
    const { kube, namespace } = await start(t)
    const configs = kube.of(configMaps, namespace)
    const { resourceVersion } = (await configs.create(aConfigMap('first'))).metadata
    const written = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => configs.create(aConfigMap(`c-${i}`)).then(versionOf)),
    )
    const seen: number[] = []
    for await (const event of configs.watch({ resourceVersion })) {
      if (event.type !== 'ADDED' || !event.object.metadata.name.startsWith('c-')) continue
      seen.push(versionOf(event.object))
      if (seen.length === written.length) break
    }
    assertRising(seen)
    assert.deepEqual(
      seen,
      written.toSorted((a, b) => a - b),
    )
  })

  test('E3: a watch from before what the server remembers is Expired', async (t) => {
    const { kube } = await start(t)
    const widgets = await serveWidgets(t, kube)
    await assert.rejects(
      firstOf(widgets.watch({ resourceVersion: '1', timeoutSeconds: 5 }), () => false),
      (error) => {
        assert.ok(isExpired(error) && error instanceof KubeFailure)
        assert.equal(error.reason, 'Expired')
        assert.match(error.message, /^too old resource version: 1 \(\d+\)$/)
        return true
      },
    )
  })
})
