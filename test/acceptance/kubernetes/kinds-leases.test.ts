/** coordination.k8s.io/v1 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { leases } from '../../../src/kube/kinds.ts'
import { aLease } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { kindScene, pathOf, whyInvalid } from '../../support/kind-scene.ts'

describe('leases', needsControlPlane, () => {
  test('E13: a Lease may say nothing', async (t) => {
    const { kube, namespace } = await kindScene(t)
    assert.deepEqual((await kube.of(leases, namespace).create({ metadata: { name: 'empty' } })).spec, {})
  })

  test('E13: a Lease lasts more than no time and changed hands no less than never', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const why = (spec: Lease['spec']) => whyInvalid(kube.of(leases, namespace).create(aLease('bad', spec)))
    assert.equal(
      await why({ leaseDurationSeconds: 0, leaseTransitions: -1 }),
      '[spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]',
    )
  })

  test('E13: a Lease keeps microseconds', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const spec = {
      holderIdentity: 'me',
      renewTime: '2026-01-02T03:04:05.000006Z',
      acquireTime: '2026-01-02T03:04:05.600000Z',
    }
    assert.deepEqual((await kube.of(leases, namespace).create(aLease('mine', spec))).spec, spec)
  })

  test('E13: a Lease is made by a PUT, and replaced only by who knows its version', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const put = (metadata: object) =>
      kube.request<Lease>({
        method: 'PUT',
        path: pathOf(leases, { namespace, name: 'made' }),
        body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'made', ...metadata } },
      })
    const { metadata } = await put({})
    assert.ok(metadata?.uid)
    assert.equal(
      await whyInvalid(put({})),
      'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    )
    assert.ok(await put({ resourceVersion: metadata?.resourceVersion }))
  })
})
