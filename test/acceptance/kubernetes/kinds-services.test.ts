/** Services: addresses and families that have to agree, and what goes when a service becomes one of another type. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServiceSpec } from 'kubernetes-types/core/v1.d.ts'
import { services } from '../../../src/kube/kinds.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aHeadlessService } from '../../support/kind-samples.ts'
import { kindScene, refusal, whyInvalid } from '../../support/kind-scene.ts'

const dryRun = { dryRun: true }

describe('services and their addresses', needsControlPlane, () => {
  test('E13: families are those of the cluster, which has one', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const create = (spec: ServiceSpec) =>
      whyInvalid(
        kube
          .of(services, namespace)
          .create({ metadata: { name: 'bad' }, spec: { ...spec, ports: [{ port: 0 }], selector: { a: 'b' } } }, dryRun),
      )
    const headless = { clusterIP: 'None' }
    assert.equal(
      await create({ ...headless, ipFamilyPolicy: 'RequireDualStack' }),
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    )
    assert.equal(
      await create({ ...headless, ipFamilies: ['IPv6'] }),
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    )
    assert.equal(
      await create({ ...headless, ipFamilies: ['IPv4', 'IPv6'] }),
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    )
    assert.equal(
      await create({ clusterIPs: ['None'] }),
      'spec.clusterIPs: Invalid value: ["None"]: must be empty when `clusterIP` is not specified',
    )
    const anybodys = await kube
      .of(services, namespace)
      .create({ metadata: { name: 'any' }, spec: { clusterIP: 'None', ipFamilies: ['IPv6'] } }, dryRun)
    assert.deepEqual([anybodys.spec?.ipFamilyPolicy, anybodys.spec?.ipFamilies], ['RequireDualStack', ['IPv6', 'IPv4']])
  })

  test('E13: a Service that becomes a name loses its addresses', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(services, namespace)
    const { spec, ...rest } = await collection.create(aHeadlessService('web'))
    const next = await collection.update({
      ...rest,
      spec: { ...spec, type: 'ExternalName', externalName: 'example.com' },
    })
    assert.deepEqual(Object.keys(next.spec ?? {}).sort(), [
      'externalName',
      'ports',
      'selector',
      'sessionAffinity',
      'type',
    ])
  })

  test('E13: a Service that is not there is made through its status', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(services, namespace)
    const status = { subresource: 'status' } as const
    const named = { type: 'ExternalName', externalName: 'example.com' }
    const made = await collection.update({ metadata: { name: 'out' }, spec: named }, status)
    assert.deepEqual([made.spec?.externalName, made.status], ['example.com', { loadBalancer: {} }])
    assert.equal(
      await whyInvalid(collection.update(aHeadlessService('web'), status)),
      'spec.clusterIPs: Required value',
    )
    const patch = collection.patch('none', { type: 'merge', body: { status: {} } }, status)
    assert.equal((await refusal(patch)).code, 404)
  })
})
