/** Optimistic concurrency: who is too late is told so, in the words that clients know. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { isAlreadyExists, isConflict, KubeFailure } from '../../../src/kube/failures.ts'
import { configMaps, leases, namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { aConfigMap, aLease } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { never } from '../../support/never.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  return { kube, namespace, configs: kube.of(configMaps, namespace), claims: kube.of(leases, namespace) }
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again'

/** The whole of what the server said. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => {
      assert.ok(error instanceof KubeFailure, String(error))
      const { code, reason, message, details } = error
      return { code, reason, message, details }
    },
  )

const conflict = (resource: string, details: { name: string; group?: string; kind: string }, why: string) => ({
  code: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${resource} "${details.name}": ${why}`,
  details,
})

/** Deletes with a body of one's own: a client may leave out what it cares nothing for. */
const deleteIf = (kube: Kube, namespace: string, preconditions: { uid?: string; resourceVersion?: string }) =>
  kube.request({
    method: 'DELETE',
    path: `/api/v1/namespaces/${namespace}/configmaps/a`,
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions },
  })

describe('optimistic concurrency', needsControlPlane, () => {
  test('E4: an update from a stale version is a Conflict', async (t) => {
    const { configs, claims } = await start(t)
    const config = await configs.create(aConfigMap('a', { k: '1' }))
    await configs.update({ ...config, data: { k: '2' } })
    assert.deepEqual(
      await refusal(configs.update({ ...config, data: { k: '3' } })),
      conflict('configmaps', { name: 'a', kind: 'configmaps' }, modified),
    )
    assert.deepEqual((await configs.get('a')).data, { k: '2' })

    const claim = await claims.create(aLease('a', { holderIdentity: 'me' }))
    await claims.update({ ...claim, spec: { holderIdentity: 'you' } })
    assert.deepEqual(
      await refusal(claims.update({ ...claim, spec: { holderIdentity: 'me again' } })),
      conflict('leases.coordination.k8s.io', { name: 'a', group: 'coordination.k8s.io', kind: 'leases' }, modified),
    )
  })

  test('E4: an update from a version that is yet to come is a Conflict', async (t) => {
    const { configs } = await start(t)
    const config = await configs.create(aConfigMap('a'))
    const resourceVersion = String(Number(config.metadata.resourceVersion) + 1_000_000)
    assert.deepEqual(
      await refusal(configs.update({ ...config, metadata: { ...config.metadata, resourceVersion } })),
      conflict('configmaps', { name: 'a', kind: 'configmaps' }, modified),
    )
  })

  test('E4: a stale version in a patch is a Conflict, and one in an update of the status as well', async (t) => {
    const { kube, configs } = await start(t)
    const { metadata } = await configs.create(aConfigMap('a'))
    const { resourceVersion } = metadata
    await configs.patch('a', { type: 'merge', body: { data: { k: '1' } } })
    assert.deepEqual(
      await refusal(configs.patch('a', { type: 'merge', body: { metadata: { resourceVersion }, data: { k: '2' } } })),
      conflict('configmaps', { name: 'a', kind: 'configmaps' }, modified),
    )

    const all = kube.of(namespaces)
    const before = await all.get(metadata.namespace ?? '')
    await all.patch(before.metadata.name, { type: 'merge', body: { metadata: { labels: { some: 'label' } } } })
    assert.deepEqual(
      await refusal(all.update(before, { subresource: 'status' })),
      conflict('namespaces', { name: before.metadata.name, kind: 'namespaces' }, modified),
    )
  })

  test('E4: an update without a version overwrites where the kind allows it, and is Invalid where it does not', async (t) => {
    const { configs, claims } = await start(t)
    await configs.create(aConfigMap('a', { k: '1' }))
    assert.deepEqual((await configs.update(aConfigMap('a', { k: '2' }))).data, { k: '2' })
    await claims.create(aLease('a'))
    assert.deepEqual(await refusal(claims.update(aLease('a', { holderIdentity: 'me' }))), {
      code: 422,
      reason: 'Invalid',
      message:
        'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      details: {
        name: 'a',
        group: 'coordination.k8s.io',
        kind: 'leases',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be specified for an update',
            field: 'metadata.resourceVersion',
          },
        ],
      },
    })
  })

  test('E4: an update of another object than the one that has the name now is a Conflict', async (t) => {
    const { configs } = await start(t)
    const config = await configs.create(aConfigMap('a'))
    const { resourceVersion: _, ...metadata } = config.metadata
    const { code, reason, message } = await refusal(
      configs.update({ ...config, metadata: { ...metadata, uid: 'another' } }),
    )
    assert.deepEqual([code, reason], [409, 'Conflict'])
    assert.ok(message.startsWith('Operation cannot be fulfilled on configmaps "a": '), message)
    const mismatch = `Precondition failed: UID in precondition: another, UID in object meta: ${metadata.uid}`
    assert.ok(message.endsWith(mismatch), message)
  })

  test('E4: a deletion is refused when the uid is not the one in its preconditions', async (t) => {
    const { kube, namespace, configs } = await start(t)
    const { uid } = (await configs.create(aConfigMap('a'))).metadata
    assert.deepEqual(
      await refusal(deleteIf(kube, namespace, { uid: 'another' })),
      conflict(
        'ConfigMap',
        { name: 'a', kind: 'ConfigMap' },
        `the UID in the precondition (another) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ),
    )
    assert.ok(await configs.find('a'))
    await deleteIf(kube, namespace, { uid })
    assert.equal(await configs.find('a'), undefined)
  })

  test('E4: a deletion is refused when the version is not the one in its preconditions', async (t) => {
    const { kube, namespace, configs, claims } = await start(t)
    const created = await configs.create(aConfigMap('a'))
    const stale = created.metadata.resourceVersion
    const { metadata } = await configs.update({ ...created, data: { k: '1' } })
    const why = (wanted: string, found: string) =>
      `the ResourceVersion in the precondition (${wanted}) does not match the ResourceVersion in record (${found}). The object might have been modified`
    assert.deepEqual(
      await refusal(deleteIf(kube, namespace, { uid: metadata.uid, resourceVersion: stale })),
      conflict('ConfigMap', { name: 'a', kind: 'ConfigMap' }, why(stale, metadata.resourceVersion)),
    )
    assert.ok(await configs.find('a'))
    await deleteIf(kube, namespace, { resourceVersion: metadata.resourceVersion })
    assert.equal(await configs.find('a'), undefined)

    const claim = (await claims.create(aLease('a'))).metadata
    assert.deepEqual(
      await refusal(claims.delete('a', { preconditions: { resourceVersion: stale } })),
      conflict(
        'Lease.coordination.k8s.io',
        { name: 'a', group: 'coordination.k8s.io', kind: 'Lease' },
        why(stale, claim.resourceVersion),
      ),
    )
  })

  test('E4: where both preconditions fail, the uid is what is named', async (t) => {
    const { kube, namespace, configs } = await start(t)
    await configs.create(aConfigMap('a'))
    const { message } = await refusal(deleteIf(kube, namespace, { uid: 'another', resourceVersion: '1' }))
    assert.match(message, /the UID in the precondition \(another\)/)
    assert.doesNotMatch(message, /ResourceVersion/)
  })

  test('E4: the preconditions of deleting a namespace have words of their own', async (t) => {
    const { kube, namespace } = await start(t)
    const { uid } = (await kube.of(namespaces).get(namespace)).metadata
    assert.deepEqual(
      await refusal(kube.of(namespaces).delete(namespace, { preconditions: { uid: 'another' } })),
      conflict(
        'namespaces',
        { name: namespace, kind: 'namespaces' },
        `Precondition failed: UID in precondition: another, UID in object meta: ${uid}`,
      ),
    )
  })

  test('E4: a deletion with preconditions of what is not there finds nothing', async (t) => {
    const { kube, namespace } = await start(t)
    assert.deepEqual(await refusal(deleteIf(kube, namespace, { uid: 'another' })), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "a" not found',
      details: { name: 'a', kind: 'configmaps' },
    })
  })

  test('E4: to create a name that is taken is AlreadyExists', async (t) => {
    const { configs, claims } = await start(t)
    await configs.create(aConfigMap('a', { k: '1' }))
    await claims.create(aLease('a'))
    assert.deepEqual(await refusal(configs.create(aConfigMap('a', { k: '2' }))), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    })
    assert.deepEqual(await refusal(claims.create(aLease('a'))), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'leases.coordination.k8s.io "a" already exists',
      details: { name: 'a', group: 'coordination.k8s.io', kind: 'leases' },
    })
    assert.deepEqual((await configs.get('a')).data, { k: '1' })
  })

  test('E4: of many that create a name at once, or update from one version, one wins', async (t) => {
    const { configs } = await start(t)
    const race = async (action: (racer: number) => Promise<unknown>, isLost: (error: unknown) => boolean) => {
      const results = await Promise.allSettled(Array.from({ length: 20 }, (_, racer) => action(racer)))
      const lost = results.filter((result) => result.status === 'rejected')
      assert.ok(lost.every((result) => isLost(result.reason)))
      return results.length - lost.length
    }
    const created = await race((racer) => configs.create(aConfigMap('a', { won: `${racer}` })), isAlreadyExists)
    never('doubled', () => assert.equal(created, 1))
    const there = await configs.get('a')
    const updated = await race((racer) => configs.update({ ...there, data: { again: `${racer}` } }), isConflict)
    never('doubled', () => assert.equal(updated, 1))
  })

  test('E4: nothing is lost when all try again after a Conflict', async (t) => {
    const { configs } = await start(t)
    await configs.create(aConfigMap('counter', { count: '0' }))
    const increment = async (): Promise<void> => {
      const counter = await configs.get('counter')
      const count = String(Number(counter.data?.['count']) + 1)
      await configs.update({ ...counter, data: { count } }).catch((error) => {
        if (isConflict(error)) return increment()
        throw error
      })
    }
    await Promise.all(Array.from({ length: 15 }, increment))
    const { data } = await configs.get('counter')
    never('lost', () => assert.equal(data?.['count'], '15'))
  })
})
