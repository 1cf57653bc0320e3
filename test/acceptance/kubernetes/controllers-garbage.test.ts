/** Owners and what they own: who goes with whom. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clusterRoles, configMaps, events } from '../../../src/kube/kinds.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { define } from '../../support/custom-resources.ts'
import { deletionScene, heldBy, hold, ownedBy } from '../../support/deletion-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'

describe('garbage collection', needsControlPlane, () => {
  test('E12: dependents go after their owner, and theirs after them', async (t) => {
    const { make, remove, gone } = await deletionScene(t)
    const owner = await make()
    const child = await make({ ownerReferences: [ownedBy(owner)] })
    const grandchild = await make({ ownerReferences: [ownedBy(child)] })
    await remove(owner.metadata.name, { propagationPolicy: 'Background' })
    await gone(child.metadata.name)
    await gone(grandchild.metadata.name)
  })

  test('E12: an object whose owner never was goes', async (t) => {
    const { make, gone } = await deletionScene(t)
    const owner = await make()
    const missing = { ...ownedBy(owner), name: 'never-was', uid: crypto.randomUUID() }
    const { metadata } = await make({ ownerReferences: [missing] })
    await gone(metadata.name)
  })

  test('E12: an owner is who has the uid: one of the same name does not count', async (t) => {
    const { make, gone } = await deletionScene(t)
    const owner = await make()
    const { metadata } = await make({ ownerReferences: [{ ...ownedBy(owner), uid: crypto.randomUUID() }] })
    await gone(metadata.name)
  })

  test('E12: an owner that was made again under its name is another', async (t) => {
    const { make, remove, gone } = await deletionScene(t)
    const owner = await make()
    const child = await make({ ownerReferences: [ownedBy(owner)] })
    await remove(owner.metadata.name)
    await make({ name: owner.metadata.name })
    await gone(child.metadata.name)
  })

  test('E12: with several owners an object stays until the last is gone, and forgets those that are', async (t) => {
    const { maps, make, remove, gone } = await deletionScene(t)
    const [first, second] = [await make(), await make()]
    const child = await make({ ownerReferences: [ownedBy(first), ownedBy(second)] })
    await remove(first.metadata.name)
    const left = await eventually('the first is forgotten', async () => {
      const { ownerReferences = [] } = (await maps.get(child.metadata.name)).metadata
      return ownerReferences.length === 1 && ownerReferences
    })
    assert.deepEqual(left, [ownedBy(second)])
    await remove(second.metadata.name)
    await gone(child.metadata.name)
  })

  test('E12: foreground deletion keeps the owner until those are gone that block it', async (t) => {
    const { maps, make, remove, patch, gone } = await deletionScene(t)
    const owner = await make()
    const blocking = await make({
      ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
      finalizers: [hold],
    })
    const free = await make({ ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] })
    await remove(owner.metadata.name, { propagationPolicy: 'Foreground' })
    await gone(free.metadata.name)
    await eventually('the other is being deleted', async () => {
      return (await maps.get(blocking.metadata.name)).metadata.deletionTimestamp
    })
    assert.deepEqual((await maps.get(owner.metadata.name)).metadata.finalizers, ['foregroundDeletion'])
    await patch(blocking.metadata.name, heldBy())
    await gone(owner.metadata.name)
  })

  test('E12: foreground deletion does not wait for those that do not block it', async (t) => {
    const { maps, make, remove, gone } = await deletionScene(t)
    const owner = await make()
    const held = await make({ ownerReferences: [ownedBy(owner)], finalizers: [hold] })
    await remove(owner.metadata.name, { propagationPolicy: 'Foreground' })
    await gone(owner.metadata.name)
    await eventually('the dependent is being deleted', async () => {
      return (await maps.get(held.metadata.name)).metadata.deletionTimestamp
    })
  })

  test('E12: foreground deletion goes down to the last generation first', async (t) => {
    const { maps, make, remove, patch, gone } = await deletionScene(t)
    const owner = await make()
    const child = await make({ ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] })
    const grandchild = await make({
      ownerReferences: [ownedBy(child, { blockOwnerDeletion: true })],
      finalizers: [hold],
    })
    await remove(owner.metadata.name, { propagationPolicy: 'Foreground' })
    await eventually('the grandchild is being deleted', async () => {
      return (await maps.get(grandchild.metadata.name)).metadata.deletionTimestamp
    })
    assert.deepEqual((await maps.get(child.metadata.name)).metadata.finalizers, ['foregroundDeletion'])
    assert.ok(await maps.find(owner.metadata.name))
    await patch(grandchild.metadata.name, heldBy())
    await gone(child.metadata.name)
    await gone(owner.metadata.name)
  })

  test('E12: two objects that own each other and block each other do not hold each other for ever', async (t) => {
    const { make, remove, patch, gone } = await deletionScene(t)
    const first = await make()
    const second = await make({ ownerReferences: [ownedBy(first, { blockOwnerDeletion: true })] })
    await patch(first.metadata.name, {
      metadata: { ownerReferences: [ownedBy(second, { blockOwnerDeletion: true })] },
    })
    await remove(first.metadata.name, { propagationPolicy: 'Foreground' })
    await gone(first.metadata.name)
    await gone(second.metadata.name)
  })

  test('E12: orphan deletion leaves dependents, which are nobody’s then', async (t) => {
    const { maps, make, remove, gone } = await deletionScene(t)
    const [owner, other] = [await make(), await make()]
    const alone = await make({ ownerReferences: [ownedBy(owner)] })
    const shared = await make({ ownerReferences: [ownedBy(owner), ownedBy(other)] })
    await remove(owner.metadata.name, { propagationPolicy: 'Orphan' })
    await gone(owner.metadata.name)
    assert.equal((await maps.get(alone.metadata.name)).metadata.ownerReferences, undefined)
    assert.deepEqual((await maps.get(shared.metadata.name)).metadata.ownerReferences, [ownedBy(other)])
  })

  test('E12: the dependents of a whole collection go with it', async (t) => {
    const { make, remove, path, gone } = await deletionScene(t)
    const labels = { team: uniqueName('a') }
    const owners = [await make({ labels }), await make({ labels })]
    const children = await Promise.all(owners.map((owner) => make({ ownerReferences: [ownedBy(owner)] })))
    await remove(`${path}?labelSelector=team%3D${labels.team}`, { propagationPolicy: 'Background' })
    for (const { metadata } of children) await gone(metadata.name)
  })

  test('E12: custom resources own and are owned', async (t) => {
    const { admin, namespace, make, gone } = await deletionScene(t)
    const widgets = await define(t, admin)
    const collection = admin.of(widgets.of(), namespace)
    const owner = await collection.create({ metadata: { name: 'owner' } })
    const map = await make({ ownerReferences: [ownedBy(owner)] })
    const widget = await collection.create({ metadata: { name: 'owned', ownerReferences: [ownedBy(map)] } })
    await collection.delete('owner')
    await gone(map.metadata.name)
    await eventually('the widget is gone', async () => !(await collection.find(widget.metadata.name)))
  })

  test('E12: what is cluster-scoped may own what is in a namespace', async (t) => {
    const { admin, make, gone } = await deletionScene(t)
    const role = await admin.of(clusterRoles).create({ metadata: { name: uniqueName('owner') }, rules: [] })
    teardown(t, async () => void (await admin.of(clusterRoles).delete(role.metadata.name)))
    const { metadata } = await make({ ownerReferences: [ownedBy(role)] })
    await admin.of(clusterRoles).delete(role.metadata.name)
    await gone(metadata.name)
  })

  test('E12: an owner in another namespace is none, and an event says so', async (t) => {
    const { admin, make } = await deletionScene(t)
    const owner = await make()
    const elsewhere = await freshNamespace(t, admin)
    const maps = admin.of(configMaps, elsewhere)
    const { metadata } = await maps.create({ metadata: { name: 'stray', ownerReferences: [ownedBy(owner)] } })
    await eventually('it is gone', async () => (await maps.find('stray')) === undefined)
    const found = await eventually('there is an event', async () => {
      const { items } = await admin.of(events, elsewhere).list({ fieldSelector: `involvedObject.uid=${metadata.uid}` })
      return items[0]
    })
    assert.deepEqual(
      [found.type, found.reason, found.message, found.source?.component],
      [
        'Warning',
        'OwnerRefInvalidNamespace',
        `ownerRef [v1/ConfigMap, namespace: ${elsewhere}, name: ${owner.metadata.name}, uid: ${owner.metadata.uid}] does not exist in namespace "${elsewhere}"`,
        'garbage-collector-controller',
      ],
    )
  })

  test('E12: what is cluster-scoped and names an owner in a namespace stays, and an event says so', async (t) => {
    const { admin, make, remove, gone } = await deletionScene(t)
    const owner = await make()
    const child = await make({ ownerReferences: [ownedBy(owner)] })
    const name = uniqueName('stray')
    const role = await admin
      .of(clusterRoles)
      .create({ metadata: { name, ownerReferences: [ownedBy(owner)] }, rules: [] })
    teardown(t, async () => void (await admin.of(clusterRoles).delete(name)))
    const found = await eventually('there is an event', async () => {
      const fieldSelector = `involvedObject.uid=${role.metadata.uid}`
      return (await admin.of(events, 'default').list({ fieldSelector })).items[0]
    })
    assert.equal(
      found.message,
      `ownerRef [v1/ConfigMap, namespace: , name: ${owner.metadata.name}, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
    )
    await remove(owner.metadata.name)
    await gone(child.metadata.name)
    assert.equal((await admin.of(clusterRoles).get(name)).metadata.uid, role.metadata.uid)
  })

  test('E12: an object whose owner is of a kind that is not served stays', async (t) => {
    const { maps, make, gone } = await deletionScene(t)
    const owner = await make()
    const unknown = { ...ownedBy(owner), apiVersion: 'test.example/v1', kind: 'Unheard', uid: crypto.randomUUID() }
    const stays = await make({ ownerReferences: [unknown] })
    const goes = await make({ ownerReferences: [{ ...ownedBy(owner), uid: crypto.randomUUID() }] })
    await gone(goes.metadata.name)
    assert.ok(await maps.find(stays.metadata.name))
  })

  test('E12: what was to be collected when everything was killed is collected afterwards', async (t) => {
    const plane = await startControlPlane(t, { ownProcess: true })
    const maps = kubeClient(t, plane.connection()).of(configMaps, 'default')
    const owner = await maps.create({ metadata: { name: 'owner' } })
    const names = Array.from({ length: 100 }, (_, n) => `owned-${n}`)
    const ownerReferences = [ownedBy(owner)]
    await Promise.all(names.map((name) => maps.create({ metadata: { name, ownerReferences } })))
    await maps.delete('owner')
    for (const program of plane.programs.toReversed()) await plane.kill(program)
    for (const program of plane.programs) await plane.start(program)
    await eventually('all of them are gone', async () => {
      const { items } = await maps.list()
      return items.every(({ metadata }) => !names.includes(metadata.name))
    })
  })

  test('E18: the garbage collector deletes what nobody owns any more', async (t) => {
    const { make, remove, gone } = await deletionScene(t)
    const owner = await make()
    const children = await Promise.all(Array.from({ length: 20 }, () => make({ ownerReferences: [ownedBy(owner)] })))
    await remove(owner.metadata.name)
    for (const { metadata } of children) await gone(metadata.name)
  })
})
