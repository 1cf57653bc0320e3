/** An add-on is registered before the namespace it is installed in exists. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { Secret } from '../../../src/core/secret.ts'
import { addonConditions, addonSecrets, agentSecrets, labels } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, namespaces, secrets } from '../../../src/kube/kinds.ts'
import { keyMatches, readCertificate, readRequest } from '../../../src/pki/index.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const kubeClient = { type: 'kubeClient' as const }

describe('an install namespace that is not there yet', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  before(async () => {
    timed = await timedPlane(suite)
    await addonHub(suite, timed.plane, { clock: timed.clock })
  })
  const requestsOf = async (scene: AddonScene, addon: string) => {
    const labelSelector = `${labels.clusterName}=${scene.cluster},${labels.addonName}=${addon}`
    return (await scene.admin.of(certificateSigningRequests).list({ labelSelector })).items
  }

  for (const [driver, key] of [
    ['csr', 'tls.crt'],
    ['token', 'token'],
  ] as const)
    test(`R62${driver === 'csr' ? '' : 'a'}: the Secret appears once its namespace does, by ${driver}; nothing failed for good, and one request is all`, async (t) => {
      const { plane, clock } = timed
      const scene = await addonScene(t, plane, { clock, addons: { kubeClientDriver: driver } })
      const installNamespace = uniqueName('install')
      const addon = await scene.addon([kubeClient], { installNamespace })
      const name = addonSecrets.kubeClient(addon)
      const types = driver === 'csr' ? [addonConditions.certificateRotated] : addonConditions.tokenRefreshed
      for (const type of types)
        await eventually('its trouble names the namespace', () => scene.addonCondition(addon, type), {
          until: (found) => found?.status === 'False' && found.message.includes(installNamespace),
        })
      // Long enough for many a try.
      for (let step = 0; step < 20; step += 1) await clock.advance('5s')
      assert.equal((await requestsOf(scene, addon)).length, driver === 'csr' ? 1 : 0)

      await scene.home.of(namespaces).create(aNamespace(installNamespace))
      await eventually('the credential is there', async () => {
        return (await scene.secretOf(name, installNamespace))?.[key] !== undefined
      })
      for (const type of types) await scene.reaches(addon, type, 'True')
      assert.equal((await requestsOf(scene, addon)).length, driver === 'csr' ? 1 : 0)
    })

  test('F48: the certificate is asked for before the namespace is there, once, over restarts and after the hub forgot the request', async (t) => {
    const { plane, clock } = timed
    const scene = await addonScene(t, plane, { clock })
    const installNamespace = uniqueName('install')
    const waiting = { type: 'customSigner' as const, customSigner: { signerName: 'example.com/nobody' } }
    const addon = await scene.addon([kubeClient, waiting], { installNamespace })
    const signerOf = ({ spec }: CertificateSigningRequest) => spec.signerName
    const both = await eventually('it asks for both', () => requestsOf(scene, addon), {
      until: (found) => found.length === 2,
    })
    assert.deepEqual(both.map(signerOf).sort(), ['example.com/nobody', 'kubernetes.io/kube-apiserver-client'])
    const names = both.map(({ metadata }) => metadata.name).sort()
    const asked = async () => (await requestsOf(scene, addon)).map(({ metadata }) => metadata.name).sort()
    const tellsOfNamespace = () =>
      eventually(
        'its trouble names the namespace',
        () => scene.addonCondition(addon, addonConditions.certificateRotated),
        {
          until: (found) => found?.status === 'False' && found.message.includes(installNamespace),
        },
      )
    for (let start = 0; start < 2; start += 1) {
      await tellsOfNamespace()
      await scene.restart()
      for (let step = 0; step < 5; step += 1) await clock.advance('5s')
      assert.deepEqual(await asked(), names)
    }
    // The hub forgets what it has answered; what is still open stays.
    const [answered] = both.filter((csr) => signerOf(csr) === 'kubernetes.io/kube-apiserver-client')
    assert.ok(answered)
    await scene.admin.of(certificateSigningRequests).delete(answered.metadata.name)
    await scene.restart()
    for (let step = 0; step < 5; step += 1) await clock.advance('5s')
    const left = names.filter((name) => name !== answered.metadata.name)
    assert.deepEqual(await asked(), left)
    const own = async () => Object.keys((await scene.secretOf(agentSecrets.hubKubeconfig, scene.namespace)) ?? {})
    assert.equal((await own()).filter((key) => key.startsWith('addon-request-')).length, 2)

    await scene.home.of(namespaces).create(aNamespace(installNamespace))
    const name = addonSecrets.kubeClient(addon)
    const held = await eventually('the credential is there', () => scene.secretOf(name, installNamespace))
    const { subject } = readRequest(Buffer.from(answered.spec.request, 'base64').toString())
    assert.equal(readCertificate(held['tls.crt'] ?? '').subject.commonName, subject.commonName)
    assert.ok(keyMatches(held['tls.crt'] ?? '', Secret.of(held['tls.key'] ?? '')))
    await scene.reaches(addon, addonConditions.certificateRotated, 'True')
    assert.deepEqual(await asked(), left)
    await scene.admin.of(ManagedClusterAddOn.resource, scene.cluster).delete(addon)
    await eventually(
      'nothing of it is left',
      async () => !(await own()).some((key) => key.startsWith('addon-request-')),
    )
  })

  test('a namespace that goes and comes again brings a new Secret', async (t) => {
    const { plane, clock } = timed
    const scene = await addonScene(t, plane, { clock, addons: { kubeClientDriver: 'token' } })
    const installNamespace = uniqueName('install')
    const spaces = scene.home.of(namespaces)
    await spaces.create(aNamespace(installNamespace))
    const addon = await scene.addon([kubeClient], { installNamespace })
    const name = addonSecrets.kubeClient(addon)
    const kept = scene.home.of(secrets, installNamespace)
    const { metadata } = await eventually('the Secret is there', () => kept.find(name))
    await spaces.delete(installNamespace)
    await eventually('the namespace is gone', async () => !(await spaces.find(installNamespace)))
    await spaces.create(aNamespace(installNamespace))
    await eventually('another one is there', async () => {
      const found = await kept.find(name)
      return found && found.metadata.uid !== metadata.uid
    })
  })
})
