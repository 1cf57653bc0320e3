/** Deletion: what keeps an object, what goes with it, and what the API answers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configMaps, leases, serviceAccounts } from '../../../src/kube/kinds.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { deletionScene, heldBy, hold } from '../../support/deletion-scene.ts'

describe('deletion', needsControlPlane, () => {
  test('E12: what nothing holds is gone at once, and the answer says which it was', async (t) => {
    const { maps, make, remove } = await deletionScene(t)
    const { metadata } = await make()
    const { code, body } = await remove(metadata.name)
    assert.equal(code, 200)
    assert.deepEqual(body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: metadata.name, kind: 'configmaps', uid: metadata.uid },
    })
    assert.equal(await maps.find(metadata.name), undefined)
  })

  test('E12: the answer names the group of what is gone', async (t) => {
    const { admin, namespace, remove } = await deletionScene(t)
    const { metadata } = await admin.of(leases, namespace).create({ metadata: { name: 'a' } })
    const { body } = await remove(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/a`)
    assert.deepEqual(body.details, { name: 'a', group: 'coordination.k8s.io', kind: 'leases', uid: metadata.uid })
  })

  test('E12: a deleted ServiceAccount is answered itself', async (t) => {
    const { admin, namespace, remove } = await deletionScene(t)
    const { metadata } = await admin.of(serviceAccounts, namespace).create({ metadata: { name: 'a' } })
    const { code, body } = await remove(`/api/v1/namespaces/${namespace}/serviceaccounts/a`)
    assert.deepEqual([code, body.kind, body.metadata.uid], [200, 'ServiceAccount', metadata.uid])
    assert.equal(body.metadata.deletionTimestamp, undefined)
  })

  test('E12: what is not there cannot be deleted', async (t) => {
    const { make, remove } = await deletionScene(t)
    const { metadata } = await make()
    await remove(metadata.name)
    const { code, body } = await remove(metadata.name)
    assert.deepEqual([code, body.reason, body.message], [404, 'NotFound', `configmaps "${metadata.name}" not found`])
  })

  test('E12: finalizers keep an object, which is answered with the time of its deletion', async (t) => {
    const { maps, make, remove } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    const { code, body } = await remove(metadata.name)
    assert.deepEqual([code, body.kind, body.metadata.finalizers], [200, 'ConfigMap', [hold]])
    assert.match(body.metadata.deletionTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.equal(body.metadata.deletionGracePeriodSeconds, 0)
    const kept = await maps.get(metadata.name)
    assert.deepEqual(
      [kept.metadata.deletionTimestamp, kept.metadata.resourceVersion],
      [body.metadata.deletionTimestamp, body.metadata.resourceVersion],
    )
    assert.notEqual(kept.metadata.resourceVersion, metadata.resourceVersion)
  })

  test('E12: deleting it once more changes nothing', async (t) => {
    const { make, remove } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    const first = await remove(metadata.name)
    assert.deepEqual(await remove(metadata.name), first)
  })

  test('E12: it goes with its last finalizer, and not before', async (t) => {
    const { maps, make, remove, patch } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold, 'test.example/other'] })
    await remove(metadata.name)
    await patch(metadata.name, heldBy('test.example/other'))
    assert.ok(await maps.find(metadata.name))
    const last = await patch(metadata.name, heldBy())
    assert.deepEqual([last.metadata.uid, last.metadata.finalizers], [metadata.uid, undefined])
    assert.ok(last.metadata.deletionTimestamp)
    assert.equal(await maps.find(metadata.name), undefined)
  })

  test('E12: finalizers can be taken away by an update as well', async (t) => {
    const { maps, make, remove } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    await remove(metadata.name)
    const { finalizers: _, ...rest } = (await maps.get(metadata.name)).metadata
    await maps.update({ metadata: rest })
    assert.equal(await maps.find(metadata.name), undefined)
  })

  test('E12: no finalizer can be added to what is being deleted', async (t) => {
    const { make, remove, patch } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    await remove(metadata.name)
    assert.deepEqual(await refusalOf(patch(metadata.name, heldBy(hold, 'test.example/new'))), {
      code: 422,
      reason: 'Invalid',
      message: `ConfigMap "${metadata.name}" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"test.example/new"}`,
    })
  })

  test('E12: what is being deleted can be changed, but not brought back', async (t) => {
    const { make, remove, patch } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    const { body } = await remove(metadata.name)
    const unset = { deletionTimestamp: null, deletionGracePeriodSeconds: null }
    const changed = await patch(metadata.name, { metadata: { ...unset, labels: { a: 'b' } } })
    assert.deepEqual(changed.metadata.labels, { a: 'b' })
    assert.deepEqual(
      [changed.metadata.deletionTimestamp, changed.metadata.deletionGracePeriodSeconds],
      [body.metadata.deletionTimestamp, 0],
    )
  })

  test('E12: nobody can set the time of deletion', async (t) => {
    const { make, patch } = await deletionScene(t)
    const times = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 }
    const { metadata } = await make(times)
    assert.deepEqual([metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds], [undefined, undefined])
    const { deletionTimestamp } = times
    assert.deepEqual(await refusalOf(patch(metadata.name, { metadata: { deletionTimestamp } })), {
      code: 422,
      reason: 'Invalid',
      message: `ConfigMap "${metadata.name}" is invalid: metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable`,
    })
  })

  test('E12: foreground and orphan propagation are finalizers of the object, and the latest wish counts', async (t) => {
    const { make, remove } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    const finalizersAfter = async (propagationPolicy: string) => {
      const { code, body } = await remove(metadata.name, { propagationPolicy })
      assert.equal(code, 200)
      return body.metadata.finalizers
    }
    assert.deepEqual(await finalizersAfter('Orphan'), [hold, 'orphan'])
    assert.deepEqual(await finalizersAfter('Background'), [hold])
  })

  test('E12: foreground deletion answers with the object, which waits for its dependents', async (t) => {
    const { make, remove, gone } = await deletionScene(t)
    const { metadata } = await make()
    const { code, body } = await remove(metadata.name, { propagationPolicy: 'Foreground' })
    assert.deepEqual([code, body.kind, body.metadata.finalizers], [200, 'ConfigMap', ['foregroundDeletion']])
    await gone(metadata.name)
  })

  test('E12: the policy can stand in the query', async (t) => {
    const { make, remove, gone } = await deletionScene(t)
    const { metadata } = await make()
    const { body } = await remove(`${metadata.name}?propagationPolicy=Orphan`)
    assert.deepEqual(body.metadata.finalizers, ['orphan'])
    await gone(metadata.name)
  })

  test('E12: who asks that dependents go too is answered 202 while the object stays', async (t) => {
    const { make, remove } = await deletionScene(t)
    const { metadata } = await make({ finalizers: [hold] })
    const { code, body } = await remove(metadata.name, { orphanDependents: false })
    assert.deepEqual([code, body.metadata.finalizers], [202, [hold]])
  })

  test('E12: a policy that is none is refused', async (t) => {
    const { maps, make, remove } = await deletionScene(t)
    const { metadata } = await make()
    const { code, body } = await remove(metadata.name, { propagationPolicy: 'Sideways' })
    assert.deepEqual(
      [code, body.reason, body.message],
      [
        422,
        'Invalid',
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      ],
    )
    assert.ok(await maps.find(metadata.name))
  })

  test('E12: a dry run tells what would be, and nothing happens', async (t) => {
    const { maps, make, remove } = await deletionScene(t)
    const [held, free] = [await make({ finalizers: [hold] }), await make()]
    const kept = await remove(`${held.metadata.name}?dryRun=All`)
    assert.deepEqual([kept.code, kept.body.kind], [200, 'ConfigMap'])
    assert.ok(kept.body.metadata.deletionTimestamp)
    const dropped = await remove(`${free.metadata.name}?dryRun=All`)
    assert.deepEqual([dropped.code, dropped.body.status], [200, 'Success'])
    for (const { metadata } of [held, free]) {
      const now = await maps.get(metadata.name)
      assert.equal(now.metadata.resourceVersion, metadata.resourceVersion)
    }
  })

  test('E12: a collection is deleted by its labels, what is held stays for now', async (t) => {
    const { maps, make, remove, path } = await deletionScene(t)
    const labels = { team: uniqueName('a') }
    const [free, held, other] = [await make({ labels }), await make({ labels, finalizers: [hold] }), await make()]
    const { code, body } = await remove(`${path}?labelSelector=team%3D${labels.team}`, {
      propagationPolicy: 'Background',
    })
    assert.deepEqual([code, body.kind, body.apiVersion], [200, 'ConfigMapList', 'v1'])
    const namesIn = (items: { metadata: { name: string } }[]) => items.map(({ metadata }) => metadata.name).sort()
    assert.deepEqual(namesIn(body.items), namesIn([free, held]))
    assert.equal(await maps.find(free.metadata.name), undefined)
    assert.ok((await maps.get(held.metadata.name)).metadata.deletionTimestamp)
    assert.equal((await maps.get(other.metadata.name)).metadata.deletionTimestamp, undefined)
  })

  test('E12: a collection is deleted by its fields, in the way that is asked for', async (t) => {
    const { maps, make, remove, path } = await deletionScene(t)
    const [chosen, other] = [await make({ finalizers: [hold] }), await make()]
    const { code } = await remove(
      `${path}?fieldSelector=metadata.name%3D${chosen.metadata.name}&propagationPolicy=Orphan`,
    )
    assert.equal(code, 200)
    const { finalizers = [], deletionTimestamp } = (await maps.get(chosen.metadata.name)).metadata
    assert.ok(deletionTimestamp)
    assert.ok(finalizers.includes(hold))
    assert.equal((await maps.get(other.metadata.name)).metadata.deletionTimestamp, undefined)
  })

  test('E12: a collection that selects nothing is an empty list', async (t) => {
    const { remove, path, admin, namespace, make } = await deletionScene(t)
    const { metadata } = await make()
    const { code, body } = await remove(`${path}?labelSelector=nobody-has-this`)
    assert.deepEqual([code, body.items], [200, []])
    assert.ok(await admin.of(configMaps, namespace).find(metadata.name))
  })
})
