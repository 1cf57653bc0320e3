/** What the agent does for each registration of an add-on, whichever driver it is for. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
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
const signer = 'example.com/signer'
const customSigner = (signerName = signer) => ({ type: 'customSigner' as const, customSigner: { signerName } })

describe('registrations of an add-on', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  let scene: AddonScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
    scene = await addonScene(suite, plane, { addons: { kubeClientDriver: 'token' } })
  })
  const freshNamespace = async (): Promise<string> => {
    const { metadata } = await scene.home.of(namespaces).create(aNamespace(uniqueName('install')))
    return metadata.name
  }
  const appears = (name: string, namespace: string) =>
    eventually(`the Secret ${name} is there`, async () => {
      const found = await scene.secretOf(name, namespace)
      return found?.['token'] !== undefined && found
    })
  const isGone = (name: string, namespace: string) =>
    eventually(`the Secret ${name} is gone`, async () => !(await scene.secretOf(name, namespace)))
  const recorded = async () => {
    const found = await scene.home.of(configMaps, scene.namespace).find(addonSecretsConfigMap)
    return JSON.parse(found?.data?.['secrets'] ?? '[]') as { name: string; addon: string; hub: string }[]
  }

  test('the agent says how and as whom the add-on comes, and writes its Secret down before it makes it', async () => {
    const namespace = await freshNamespace()
    const addon = await scene.addon([kubeClient], { installNamespace: namespace })
    await appears(addonSecrets.kubeClient(addon), namespace)
    const [item] = (await scene.find(addon))?.status?.registrations ?? []
    assert.equal(item?.kubeClient?.driver, 'token')
    assert.match(`${item?.kubeClient?.subject?.user}`, /^system:serviceaccount:/)
    const { metadata } = await scene.home.of(secrets, namespace).get(addonSecrets.kubeClient(addon))
    assert.equal(metadata.labels?.[labels.addonName], addon)
    const entry = (await recorded()).find(({ name }) => name === metadata.name)
    assert.deepEqual([entry?.addon, entry?.hub], [addon, plane.url])
  })

  test('R61: a registration of another type or signer, or another install namespace: the old Secret goes, the new one comes', async () => {
    const namespace = await freshNamespace()
    const other = await freshNamespace()
    const addon = await scene.addon([kubeClient], { installNamespace: namespace })
    const kube = addonSecrets.kubeClient(addon)
    await appears(kube, namespace)

    const certificate = async (name: string) =>
      eventually(`the request for ${name} is there`, () => scene.home.of(secrets, namespace).find(name))
    await scene.register(addon, [customSigner()])
    await isGone(kube, namespace)
    const first = addonSecrets.customSigner(addon, signer)
    await certificate(first)

    await scene.register(addon, [customSigner('example.com/other')])
    await isGone(first, namespace)
    const second = addonSecrets.customSigner(addon, 'example.com/other')
    await certificate(second)

    await scene.register(addon, [kubeClient])
    await isGone(second, namespace)
    await appears(kube, namespace)

    const body = { status: { namespace: other } }
    await scene.admin
      .of(ManagedClusterAddOn.resource, scene.cluster)
      .patch(addon, { type: 'merge', body }, { subresource: 'status' })
    await isGone(kube, namespace)
    await appears(kube, other)
    assert.deepEqual(
      (await recorded()).filter((entry) => entry.addon === addon).map(({ name }) => name),
      [kube],
    )
  })

  test('the other driver replaces the Secret whole, and what the first one told goes from the status', async () => {
    const namespace = await freshNamespace()
    const addon = await scene.addon([kubeClient], { installNamespace: namespace })
    const name = addonSecrets.kubeClient(addon)
    await appears(name, namespace)
    await scene.reaches(addon, 'TokenRefreshed', 'True')

    await scene.restart({ kubeClientDriver: 'csr' })
    await eventually('a certificate is there, and no token', async () => {
      const found = await scene.secretOf(name, namespace)
      return found?.['tls.crt'] !== undefined && found['token'] === undefined
    })
    await scene.reaches(addon, 'ClusterCertificateRotated', 'True')
    await eventually('the token is not spoken of', async () => !(await scene.addonCondition(addon, 'TokenRefreshed')))

    await scene.restart({ kubeClientDriver: 'token' })
    await eventually('a token is there, and no certificate', async () => {
      const found = await scene.secretOf(name, namespace)
      return found?.['token'] !== undefined && found['tls.crt'] === undefined
    })
    await scene.reaches(addon, 'TokenRefreshed', 'True')
    await eventually(
      'the certificate is not spoken of',
      async () => !(await scene.addonCondition(addon, 'ClusterCertificateRotated')),
    )
  })
})
