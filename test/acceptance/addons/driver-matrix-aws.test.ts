/** Clusters that joined by AWS IAM, times how their add-ons come to the hub. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { AuthenticationMode } from '../../../src/demo/aws/index.ts'
import { addonConditions } from '../../../src/fleet/names.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { addonGetsIn } from '../../support/addon-way-in.ts'
import { awsAddonHub, awsAddonScene } from '../../support/aws-addon-scene.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const ways = [
  { mode: 'API', by: 'an access entry' },
  { mode: 'CONFIG_MAP', by: 'the ConfigMap aws-auth' },
] as const

/** The hub as one of EKS shows itself, which is all that can be seen of it: that it signs nothing is seen by nobody. */
const onEks = (kube: Kube): Kube => ({
  of: (resource, namespace) => kube.of(resource, namespace),
  request: async <R>(request: Parameters<Kube['request']>[0]) =>
    request.path === '/version' ? ({ gitVersion: 'v1.33.1-eks-1fbb135' } as R) : await kube.request<R>(request),
})

describe('add-ons of clusters that joined by AWS IAM', needsControlPlane, () => {
  const suite = suiteScope()
  const hubs = new Map<AuthenticationMode, AwsScene>()
  const hubOf = (mode: AuthenticationMode): AwsScene => {
    const hub = hubs.get(mode)
    assert.ok(hub, `a hub in mode ${mode}`)
    return hub
  }
  before(async () => {
    for (const { mode } of ways) hubs.set(mode, await awsAddonHub(suite, { authenticationMode: mode }))
  })

  for (const { mode, by } of ways)
    for (const driver of ['csr', 'token'] as const)
      test(`R74a: a cluster that joined by awsirsa, its role known by ${by}, has add-ons by ${driver}`, async (t) => {
        const hub = hubOf(mode)
        const scene = await awsAddonScene(t, hub, { addons: { kubeClientDriver: driver } })
        await addonGetsIn(t, hub.plane, scene, driver)
      })

  const seenAs = <T extends { readonly kube: Kube }>(joined: T): T => ({ ...joined, kube: onEks(joined.kube) })

  test('R74a: where the hub is an EKS cluster an add-on by csr is refused with what to do, and does as soon as that is done', async (t) => {
    const hub = hubOf('API')
    const scene = await awsAddonScene(t, hub, { addons: { kubeClientDriver: 'csr' }, seenAs })
    const installNamespace = await freshNamespace(t, scene.home)
    const addon = await scene.addon([{ type: 'kubeClient' }], { installNamespace })
    const refused = await scene.reaches(addon, addonConditions.registrationApplied, 'False', 'RegistrationRefused')
    assert.match(refused.message, /EKS.*the driver token: .*--addon-kubeclient-registration-auth=token/)
    assert.deepEqual(await scene.csrs(), [])
    await scene.restart({ kubeClientDriver: 'token' })
    await scene.reaches(addon, addonConditions.tokenRefreshed[0], 'True')
    await scene.reaches(addon, addonConditions.registrationApplied, 'True', 'RegistrationDeclared')
  })

  test('R74a: where the hub is an EKS cluster add-ons come by token', async (t) => {
    const hub = hubOf('API')
    const scene = await awsAddonScene(t, hub, { addons: { kubeClientDriver: 'token' }, seenAs })
    await addonGetsIn(t, hub.plane, scene, 'token')
  })
})
