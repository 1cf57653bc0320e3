/** The subject of an add-on changes faster than anybody decides on its requests. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addonOrder } from '../../../src/addons/drivers/csr/order.ts'
import { itemsOf } from '../../../src/addons/registrations.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { decisionOn } from '../../../src/fleet/csr/approval.ts'
import { csrObject } from '../../../src/fleet/csr/request.ts'
import { addonConditions, addonGroup, addonSecrets, labels } from '../../../src/fleet/names.ts'
import { informer } from '../../../src/kube/informer.ts'
import { certificateSigningRequests, events, namespaces } from '../../../src/kube/kinds.ts'
import { generateKey, readCertificate, readRequest } from '../../../src/pki/index.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import { decide } from '../../support/agent-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { runInTest } from '../../support/fleet-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'

const users = (prefix: string) => Array.from({ length: 15 }, (_, index) => `${prefix}${index}`)

describe('the requests of an add-on whose subject changes', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: ControlPlane
  let hub: HubScene
  let scene: AddonScene
  let installNamespace: string
  before(async () => {
    plane = await startControlPlane(suite, {})
    hub = await addonHub(suite, plane)
    scene = await addonScene(suite, plane)
    installNamespace = uniqueName('install')
    await scene.home.of(namespaces).create(aNamespace(installNamespace))
  })

  /** Watches the requests of an add-on, and how many of them wait for a decision at a time. */
  async function watched(t: TestScope, addon: string) {
    const csrs = informer(scene.admin.of(certificateSigningRequests), {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      labelSelector: `${labels.clusterName}=${scene.cluster},${labels.addonName}=${addon}`,
    })
    const seen = { made: 0, mostOpen: 0 }
    const open = () => csrs.list().filter((csr) => decisionOn(csr) === 'none')
    csrs.on(({ type }) => {
      if (type === 'added') seen.made += 1
      seen.mostOpen = Math.max(seen.mostOpen, open().length)
    })
    runInTest(t, [csrs.run])
    await csrs.synced()
    return {
      seen,
      open,
      openFor: (user: string) =>
        open().find(({ spec }) => readRequest(plain(spec.request)).subject.commonName === user)?.metadata.name,
    }
  }
  const plain = (value: string) => Buffer.from(value, 'base64').toString()
  const heldBy = async (addon: string) => {
    const certPem = (await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace))?.['tls.crt']
    return certPem === undefined ? undefined : readCertificate(certPem).subject.commonName
  }
  const registrationOf = (user: string, groups: string[] = ['some:people']) => [
    { type: 'kubeClient' as const, kubeClient: { subject: { user, groups } } },
  ]

  for (const pace of ['as fast as it can be written', 'once each is asked for'])
    test(`R64${pace.startsWith('as') ? '' : 'a'}: 15 changes ${pace}: one request is open at most, the hub removes the others, the last gets its certificate`, async (t) => {
      const name = uniqueName('addon')
      const { seen, openFor } = await watched(t, name)
      // People decide on these subjects, and take their time.
      const [first = '', ...others] = users('somebody-')
      const last = others.at(-1) ?? ''
      const addon = await scene.addon(registrationOf(first), { name, installNamespace })
      await eventually('the first is asked for', () => openFor(first))
      for (const user of others) {
        await scene.register(addon, registrationOf(user))
        if (!pace.startsWith('as')) await eventually(`${user} is asked for`, () => openFor(user))
      }
      const request = await eventually('the last is asked for', () => openFor(last))
      await decide(scene.admin, request, 'Approved')
      await eventually('the last has its certificate', async () => (await heldBy(addon)) === last)
      await scene.reaches(addon, addonConditions.certificateRotated, 'True')
      t.diagnostic(`${seen.made} requests were made`)
      assert.equal(seen.mostOpen, 1)
      await eventually('the hub tells of what it removed', async () => {
        const { items } = await scene.admin
          .of(events, scene.cluster)
          .list({ fieldSelector: `involvedObject.name=${addon}` })
        return items.some(({ reason }) => reason === 'SupersededAddonCSRRemoved')
      })
    })

  test('15 certificates in a row that the hub approves by itself are no reason to stop', async (t) => {
    const name = uniqueName('addon')
    const { seen } = await watched(t, name)
    const group = addonGroup(scene.cluster, name)
    const [first = '', ...others] = users(`${group}:agent:a`)
    const addon = await scene.addon(registrationOf(first, [group]), { name, installNamespace })
    for (const user of [first, ...others]) {
      await scene.register(addon, registrationOf(user, [group]))
      await eventually(`${user} has its certificate`, async () => (await heldBy(addon)) === user)
    }
    assert.deepEqual(seen, { made: 15, mostOpen: 1 })
  })

  test('with ten open requests that it made itself no other is added, which is told, until the hub removes them', async (t) => {
    await hub.stop()
    const agent = (await agentsClient(t, plane, scene.home, scene.namespace)).of(certificateSigningRequests)
    const name = uniqueName('addon')
    const addon = await scene.addon([], { name, installNamespace })
    const object = await scene.find(addon)
    assert.ok(object)
    const [item] = itemsOf({ ...object, status: { registrations: registrationOf('old') } })
    assert.ok(item)
    for (let index = 0; index < 10; index += 1)
      await agent.create(await csrObject(addonOrder(item), generateKey().keyPem))
    const { seen } = await watched(t, addon)
    await scene.register(addon, [{ type: 'kubeClient' }])
    const told = await scene.reaches(
      addon,
      addonConditions.certificateRotated,
      'False',
      'ClientCertificateUpdateFailed',
    )
    assert.match(told.message, /the hub has too many certificate requests of this add-on/)
    assert.equal(seen.made, 10)

    hub = await addonHub(suite, plane)
    await scene.reaches(addon, addonConditions.certificateRotated, 'True')
    assert.equal(seen.made, 11)
  })
})
