/** What is left of an add-on that is deleted: nothing. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { addonSecrets, addonSecretsConfigMap, labels } from '../../../src/fleet/names.ts'
import { configMaps, namespaces, secrets } from '../../../src/kube/kinds.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const kubeClient = { type: 'kubeClient' as const }
const signerName = 'example.com/signer'
const customSigner = { type: 'customSigner' as const, customSigner: { signerName } }

describe('an add-on is deleted', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  let scene: AddonScene
  let namespace: string
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
    scene = await addonScene(suite, plane, { addons: { kubeClientDriver: 'token' } })
    namespace = uniqueName('install')
    await scene.home.of(namespaces).create(aNamespace(namespace))
  })
  const addons = () => scene.admin.of(ManagedClusterAddOn.resource, scene.cluster)
  const secretsOf = async (addon: string) => {
    const { items } = await scene.home.of(secrets, namespace).list({ labelSelector: `${labels.addonName}=${addon}` })
    return items.map(({ metadata }) => metadata.name).sort()
  }
  const featureOf = async (addon: string) => {
    const { metadata } = await scene.admin.of(ManagedCluster.resource).get(scene.cluster)
    return metadata.labels?.[`${labels.featurePrefix}${addon}`]
  }
  const recorded = async () =>
    (await scene.home.of(configMaps, scene.namespace).get(addonSecretsConfigMap)).data?.['secrets'] ?? ''
  /** With both its Secrets and its label. */
  async function installed(): Promise<string> {
    const addon = await scene.addon([kubeClient, customSigner], { installNamespace: namespace })
    const names = [addonSecrets.customSigner(addon, signerName), addonSecrets.kubeClient(addon)].sort()
    await eventually('its Secrets are there', async () => assert.deepEqual(await secretsOf(addon), names) ?? true)
    await scene.reaches(addon, 'TokenRefreshed', 'True')
    await eventually('its label is there', async () => (await featureOf(addon)) === 'unreachable')
    return addon
  }
  const nothingIsLeft = (addon: string) =>
    eventually('nothing of it is left', async () => {
      assert.deepEqual(await secretsOf(addon), [])
      assert.equal(await featureOf(addon), undefined)
      assert.ok(!(await recorded()).includes(`"${addon}"`))
      return true
    })

  test('R63: its Secrets and its feature label go with it, and stay while it is merely deleting', async () => {
    const addon = await installed()
    const before = await secretsOf(addon)
    await addons().patch(addon, { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } })
    await addons().delete(addon)
    // They are not only left alone: what is lost comes again, because its own clean-up may need it.
    await scene.home.of(secrets, namespace).delete(addonSecrets.customSigner(addon, signerName))
    await eventually('both are there', async () => assert.deepEqual(await secretsOf(addon), before) ?? true)
    assert.equal(await featureOf(addon), 'unreachable')
    assert.ok((await addons().get(addon)).metadata.deletionTimestamp)

    await addons().patch(addon, { type: 'merge', body: { metadata: { finalizers: null } } })
    await nothingIsLeft(addon)
  })

  test('an add-on that went while the agent was down leaves nothing either', async () => {
    const stays = await installed()
    const addon = await installed()
    await scene.stop()
    await addons().delete(addon)
    await scene.restart()
    await nothingIsLeft(addon)
    assert.equal((await secretsOf(stays)).length, 2)
  })

  test('a Secret that belongs to no add-on of the agent is left alone', async () => {
    const others = uniqueName('others')
    const addon = await installed()
    await scene.home
      .of(secrets, namespace)
      .create({ metadata: { name: others, labels: { [labels.addonName]: addon } }, data: {} })
    await addons().delete(addon)
    await eventually('its Secrets are gone', async () => assert.deepEqual(await secretsOf(addon), [others]) ?? true)
  })
})
