/** An add-on is registered before the namespace it is installed in exists. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addonConditions, addonSecrets, labels } from '../../../src/fleet/names.ts'
import { certificateSigningRequests, namespaces, secrets } from '../../../src/kube/kinds.ts'
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
      // Long enough for many a try, in which nobody was asked for anything.
      for (let step = 0; step < 20; step += 1) await clock.advance('5s')
      assert.equal((await requestsOf(scene, addon)).length, 0)

      await scene.home.of(namespaces).create(aNamespace(installNamespace))
      await eventually('the credential is there', async () => {
        return (await scene.secretOf(name, installNamespace))?.[key] !== undefined
      })
      for (const type of types) await scene.reaches(addon, type, 'True')
      assert.equal((await requestsOf(scene, addon)).length, driver === 'csr' ? 1 : 0)
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
