/** How an add-on gets its certificate and keeps it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { Secret } from '../../../src/core/secret.ts'
import { readHubKubeconfig } from '../../../src/fleet/hub-stanza.ts'
import { addonConditions, addonGroup, addonSecrets, addonUser, labels } from '../../../src/fleet/names.ts'
import { events, leases, namespaces, secrets } from '../../../src/kube/kinds.ts'
import { readCertificate } from '../../../src/pki/index.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient as clientFor } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { startTestSigner } from '../../support/test-signer.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const kubeClient = { type: 'kubeClient' as const }
const signerName = 'example.com/quick'
const customSigner = { type: 'customSigner' as const, customSigner: { signerName } }
const rotated = addonConditions.certificateRotated

describe('the certificate of an add-on', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: AddonScene
  let installNamespace: string
  before(async () => {
    timed = await timedPlane(suite)
    const { plane, clock } = timed
    const { admin } = await addonHub(suite, plane, { clock })
    await startTestSigner(suite, admin, signerName, { clock, lifeSeconds: 600 })
    scene = await addonScene(suite, plane, { clock })
    installNamespace = uniqueName('install')
    await scene.home.of(namespaces).create(aNamespace(installNamespace))
  })
  const texts = (name: string) => scene.secretOf(name, installNamespace)
  const certified = (name: string, other?: string) =>
    eventually(`${name} has ${other ? 'another' : 'its'} certificate`, async () => {
      const found = await texts(name)
      return found?.['tls.crt'] !== undefined && found['tls.crt'] !== other ? found : undefined
    })
  const requestsOf = async (addon: string) =>
    (await scene.csrs()).filter(({ metadata }) => metadata.labels?.[labels.addonName] === addon)

  test('R60: an add-on gets its certificate for the hub in a Secret with a kubeconfig, and one of another signer without', async (t) => {
    const { cluster, admin } = scene
    const addon = await scene.addon([kubeClient, customSigner], { installNamespace })
    const name = addonSecrets.kubeClient(addon)
    const held = await certified(name)
    assert.deepEqual(Object.keys(held).sort(), ['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key'])
    assert.equal(held['cluster-name'], cluster)
    const { metadata } = await scene.home.of(secrets, installNamespace).get(name)
    assert.deepEqual([metadata.labels?.[labels.clusterName], metadata.labels?.[labels.addonName]], [cluster, addon])
    const certificate = readCertificate(held['tls.crt'] ?? '')
    assert.deepEqual(certificate.sans.dnsNames, [`${addon}.addon.open-cluster-management.io`])

    // As the add-on would, with the files that the kubeconfig names.
    const { server = '' } = readHubKubeconfig(held['kubeconfig'] ?? '') ?? {}
    assert.equal(server, timed.plane.connection().server)
    const pair = { certPem: held['tls.crt'] ?? '', keyPem: Secret.of(held['tls.key'] ?? '') }
    const me = await whoAmI(clientFor(t, timed.plane.connection({ certificate: pair })))
    assert.equal(me.username, addonUser(cluster, addon))
    assert.ok(me.groups.includes(addonGroup(cluster, addon)))

    const other = addonSecrets.customSigner(addon, signerName)
    assert.equal(other, `${addon}-example.com-quick-client-cert`)
    assert.deepEqual(Object.keys(await certified(other)).sort(), ['cluster-name', 'tls.crt', 'tls.key'])
    const condition = await scene.reaches(addon, rotated, 'True', 'ClientCertificateUpdated')
    assert.match(condition.message, /the client certificate is valid from .* to /)

    const { registrations = [] } = (await scene.find(addon))?.status ?? {}
    const subject = { user: addonUser(cluster, addon), groups: [addonGroup(cluster, addon)] }
    assert.deepEqual(registrations[0]?.kubeClient, { driver: 'csr', subject })
    assert.deepEqual(registrations[1]?.customSigner, { signerName })
    assert.deepEqual((await requestsOf(addon)).map(({ spec }) => spec.signerName).sort(), [
      signerName,
      'kubernetes.io/kube-apiserver-client',
    ])
    await eventually('the hub tells of its approval', async () => {
      const { items } = await admin.of(events, cluster).list({ fieldSelector: `involvedObject.name=${addon}` })
      return items.some(({ reason }) => reason === 'AddonCSRAutoApproved')
    })

    const feature = async () =>
      (await admin.of(ManagedCluster.resource).get(cluster)).metadata.labels?.[`${labels.featurePrefix}${addon}`]
    await eventually('the feature is shown', feature, { until: (found) => found === 'unreachable' })
    const renewTime = timed.clock.now().toISOString().replace('Z', '000Z') as never
    await scene.home.of(leases, installNamespace).create({ metadata: { name: addon }, spec: { renewTime } })
    await eventually('its lease is seen', feature, { until: (found) => found === 'available' })
  })

  test('a certificate is renewed in the last quarter of its life, with a new key', async () => {
    const addon = await scene.addon([customSigner], { installNamespace })
    const name = addonSecrets.customSigner(addon, signerName)
    const first = await certified(name)
    await timed.clock.advance('440s')
    assert.equal((await texts(name))?.['tls.crt'], first['tls.crt'])
    await timed.clock.advance('41s')
    const second = await certified(name, first['tls.crt'])
    assert.notEqual(second['tls.key'], first['tls.key'])
    assert.equal(second['pending'], undefined)
    assert.equal((await requestsOf(addon)).length, 2)
    await scene.reaches(addon, rotated, 'True')
  })

  test('what is deleted or damaged is replaced; a damaged kubeconfig is written again without a new certificate', async () => {
    const addon = await scene.addon([kubeClient], { installNamespace })
    const name = addonSecrets.kubeClient(addon)
    const collection = scene.home.of(secrets, installNamespace)
    let last = await certified(name)
    const { kubeconfig } = last
    for (const damage of [
      () => collection.delete(name),
      () => collection.patch(name, { type: 'merge', body: { data: { 'tls.crt': 'bm8=' } } }),
      () => collection.patch(name, { type: 'merge', body: { data: { 'tls.key': null } } }),
      () => collection.patch(name, { type: 'merge', body: { data: { 'cluster-name': 'b3RoZXI=' } } }),
    ]) {
      await scene.reaches(addon, rotated, 'True')
      await damage()
      last = await eventually('it has another certificate', async () => {
        const found = await texts(name)
        const isWhole = found?.['tls.key'] && found['cluster-name'] === scene.cluster
        return isWhole && found['tls.crt'] !== last['tls.crt'] && found['tls.crt'] !== 'no' ? found : undefined
      })
    }
    await collection.patch(name, { type: 'merge', body: { data: { kubeconfig: 'bm8=' } } })
    const whole = await eventually('the kubeconfig is back', async () => {
      const found = await texts(name)
      return found?.['kubeconfig'] === kubeconfig ? found : undefined
    })
    assert.equal(whole['tls.crt'], last['tls.crt'])
  })

  test('a denial is told, and another key asks after a pause', async () => {
    const refusing = 'example.com/refusing'
    await startTestSigner(suite, scene.admin, refusing, {
      clock: timed.clock,
      sign: async () => ({ refused: 'not today' }),
    })
    const registration = { type: 'customSigner' as const, customSigner: { signerName: refusing } }
    const addon = await scene.addon([registration], { installNamespace })
    const told = await scene.reaches(addon, rotated, 'False', 'ClientCertificateDenied')
    assert.match(told.message, /was failed \(RefusedBySigner: not today\); a new one follows/)
    const [first] = await requestsOf(addon)
    await timed.clock.advance('11s')
    await eventually('it asks again', async () => (await requestsOf(addon)).length === 2)
    assert.ok((await requestsOf(addon)).some(({ metadata }) => metadata.name === first?.metadata.name))
  })
})
