/** Several registrations of one add-on: each has its own credential, and its own troubles. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addonConditions, addonLabels, addonSecrets, labels } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, namespaces, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { decide } from '../../support/agent-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const kubeClient = { type: 'kubeClient' as const }
const customSigner = (signerName: string) => ({ type: 'customSigner' as const, customSigner: { signerName } })

describe('several registrations of an add-on', needsControlPlane, () => {
  const suite = suiteScope()
  let scene: AddonScene
  let namespace: string
  before(async () => {
    const plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
    scene = await addonScene(suite, plane, { addons: { kubeClientDriver: 'token' } })
    namespace = uniqueName('install')
    await scene.home.of(namespaces).create(aNamespace(namespace))
  })
  const requestsOf = async (addon: string) => {
    const labelSelector = `${labels.clusterName}=${scene.cluster},${labels.addonName}=${addon}`
    return (await scene.admin.of(certificateSigningRequests).list({ labelSelector })).items
  }

  test('R73: one by token and two by signers of their own: only the one gets an account, the others ask for certificates', async () => {
    const signers = ['example.com/one', 'example.com/two']
    const addon = await scene.addon([customSigner('example.com/one'), kubeClient, customSigner('example.com/two')], {
      installNamespace: namespace,
    })
    await scene.reaches(addon, addonConditions.tokenInfrastructureReady, 'True')
    await scene.reaches(addon, 'AddonTokenRefreshed', 'True')
    const { items } = await scene.admin
      .of(serviceAccounts, scene.cluster)
      .list({ labelSelector: `${addonLabels.name}=${addon}` })
    assert.equal(items.length, 1)
    const asked = await eventually(
      'both ask',
      async () => (await requestsOf(addon)).map(({ spec }) => spec.signerName),
      {
        until: (found) => found.length >= 2,
      },
    )
    assert.deepEqual(asked.sort(), signers)
    const { registrations = [] } = (await scene.find(addon))?.status ?? {}
    assert.deepEqual(
      registrations.map(({ kubeClient: kube, customSigner: custom }) => kube?.driver ?? custom?.signerName),
      ['example.com/one', 'token', 'example.com/two'],
    )

    // One is denied: it is told by name, and the others are none the worse for it.
    const [one] = (await requestsOf(addon)).filter(({ spec }) => spec.signerName === signers[0])
    await decide(scene.admin, one?.metadata.name ?? '', 'Denied')
    const told = await scene.reaches(addon, addonConditions.certificateRotated, 'False', 'ClientCertificateDenied')
    assert.match(told.message, /example\.com.one/)
    assert.equal((await scene.addonCondition(addon, 'AddonTokenRefreshed'))?.status, 'True')
    assert.ok((await scene.secretOf(addonSecrets.kubeClient(addon), namespace))?.['token'])
    assert.ok(await scene.secretOf(addonSecrets.customSigner(addon, 'example.com/two'), namespace))
  })

  test('of two that want the same Secret the first gets it, and the second is told why not', async () => {
    const addon = await scene.addon([customSigner('example.com/a-b'), customSigner('example.com/a-b')], {
      installNamespace: namespace,
    })
    const told = await scene.reaches(addon, addonConditions.registrationApplied, 'False', 'RegistrationRefused')
    assert.match(told.message, /is already that of registration 0/)
    await eventually('the first asks', async () => (await requestsOf(addon)).length === 1)

    // Add-ons get in each other's way as well. The older one keeps what it has; the other gets it when that is gone.
    const short = uniqueName('a')
    const [older, younger] = [`${short}-b`, short]
    await scene.addon([customSigner('cc.example.com/x')], { name: older, installNamespace: namespace })
    const name = addonSecrets.customSigner(older, 'cc.example.com/x')
    const kept = scene.home.of(secrets, namespace)
    const { metadata } = await eventually('its Secret is there', () => kept.find(name))
    await scene.addon([customSigner('b-cc.example.com/x')], { name: younger, installNamespace: namespace })
    const refusal = await scene.reaches(younger, addonConditions.registrationApplied, 'False', 'RegistrationRefused')
    assert.match(refusal.message, new RegExp(`is already that of the add-on ${older};`))
    assert.equal((await kept.get(name)).metadata.labels?.[labels.addonName], older)
    await scene.register(older, [])
    await scene.reaches(younger, addonConditions.registrationApplied, 'True')
    const next = await eventually('it is the other one’s', async () => {
      const found = await kept.find(name)
      return found?.metadata.labels?.[labels.addonName] === younger && found
    })
    assert.notEqual(next.metadata.uid, metadata.uid)
  })

  test('an add-on called bootstrap beside the agent does not get at the bootstrap Secret', async () => {
    const addon = await scene.addon([kubeClient], { name: 'bootstrap', installNamespace: scene.namespace })
    const told = await scene.reaches(addon, addonConditions.registrationApplied, 'False', 'RegistrationRefused')
    assert.match(told.message, /is the agent's own/)
    assert.equal(await scene.secretOf(addonSecrets.kubeClient(addon), scene.namespace), undefined)
  })
})
