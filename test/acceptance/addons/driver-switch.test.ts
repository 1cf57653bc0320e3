/** An add-on whose agent comes back with another driver: what the old one left goes, and the new one takes over. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { Secret } from '../../../src/core/secret.ts'
import {
  accountUser,
  addonAccounts,
  addonConditions,
  addonSecrets,
  addonUser,
  labels,
} from '../../../src/fleet/names.ts'
import { certificateSigningRequests, roleBindings, roles, serviceAccounts } from '../../../src/kube/kinds.ts'
import { parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const registrations = [{ type: 'kubeClient' as const }]
const infrastructure = addonConditions.tokenInfrastructureReady
const keysOf = {
  token: ['cluster-name', 'expiration', 'kubeconfig', 'service-account-uid', 'token'],
  csr: ['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key'],
}

describe('the driver of an add-on changes', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
  })

  async function present(scene: AddonScene, addon: string): Promise<string[]> {
    const { admin, cluster } = scene
    const found = await Promise.all([
      ...addonAccounts(cluster, addon).map((name) => admin.of(serviceAccounts, cluster).find(name)),
      admin.of(roles, cluster).find(`${addon}-token-role`),
      admin.of(roleBindings, cluster).find(`${addon}-token-role`),
      scene.addonCondition(addon, infrastructure),
    ])
    return ['ours', 'theirs', 'role', 'binding', 'condition'].filter((_, index) => found[index])
  }
  const kept = (scene: AddonScene, addon: string, namespace: string) =>
    scene.secretOf(addonSecrets.kubeClient(addon), namespace)

  /** Waits until the add-on has all that this driver brings, and nothing of the other. */
  async function livesBy(driver: 'token' | 'csr', t: TestScope, scene: AddonScene, addon: string, namespace: string) {
    const { cluster } = scene
    const texts = await eventually(`it has its credential by ${driver}`, async () => {
      const found = await kept(scene, addon, namespace)
      assert.deepEqual(Object.keys(found ?? {}).sort(), keysOf[driver])
      return found
    })
    const user = driver === 'token' ? accountUser(cluster, addonAccounts(cluster, addon)[0]) : addonUser(cluster, addon)
    const credentials =
      driver === 'token'
        ? { authorization: Secret.of(texts['token'] ?? '') }
        : { certificate: { certPem: texts['tls.crt'] ?? '', keyPem: Secret.of(texts['tls.key'] ?? '') } }
    assert.equal((await whoAmI(kubeClient(t, plane.connection(credentials)))).username, user)
    const { users } = parseKubeconfig(texts['kubeconfig'] ?? '', { name: 'kept' })
    const proof = driver === 'token' ? { tokenFile: 'token' } : { clientCertificate: 'tls.crt', clientKey: 'tls.key' }
    assert.deepEqual(users[0]?.value, proof)
    await eventually(`all is as by ${driver}`, async () => {
      const expected = driver === 'token' ? ['ours', 'role', 'binding', 'condition'] : []
      assert.deepEqual(await present(scene, addon), expected)
      const { kubeClient: declared } = (await scene.find(addon))?.status?.registrations?.[0] ?? {}
      assert.equal(declared?.driver, driver)
      assert.equal(declared?.subject?.user, user)
      const told = { token: addonConditions.tokenRefreshed, csr: [addonConditions.certificateRotated] }
      for (const type of told[driver]) assert.equal((await scene.addonCondition(addon, type))?.status, 'True')
      for (const type of told[driver === 'token' ? 'csr' : 'token'])
        assert.equal(await scene.addonCondition(addon, type), undefined)
      return true
    })
  }

  test('R72: token to csr and back: each takes over whole, and all goes with the add-on', async (t) => {
    const scene = await addonScene(t, plane, { addons: { kubeClientDriver: 'token' } })
    const installNamespace = await freshNamespace(t, scene.home)
    const addon = await scene.addon(registrations, { installNamespace })
    const lives = (driver: 'token' | 'csr') => livesBy(driver, t, scene, addon, installNamespace)
    await lives('token')
    await scene.restart({ kubeClientDriver: 'csr' })
    await lives('csr')
    await scene.restart({ kubeClientDriver: 'token' })
    await lives('token')

    await scene.admin.of(ManagedClusterAddOn.resource, scene.cluster).delete(addon)
    await eventually('nothing is left of it', async () => {
      assert.deepEqual(await present(scene, addon), [])
      assert.equal(await kept(scene, addon, installNamespace), undefined)
      return true
    })
    const { items } = await scene.admin
      .of(certificateSigningRequests)
      .list({ labelSelector: `${labels.clusterName}=${scene.cluster},${labels.addonName}=${addon}` })
    assert.ok(items.every(({ status }) => status?.certificate !== undefined))
  })
})
