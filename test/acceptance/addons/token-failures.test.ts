/** What people are told when an add-on cannot get a token, and what they must never be told: the token. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createLog } from '../../../src/core/log.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { addonConditions, addonSecrets, agentNamespace } from '../../../src/fleet/names.ts'
import { events, namespaces, roleBindings } from '../../../src/kube/kinds.ts'
import type { AddonScene, AddonSceneOptions } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import { assertNoCanary } from '../../support/canary.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import type { Traffic } from '../../support/traffic.ts'
import { traffic } from '../../support/traffic.ts'

const byToken = [{ type: 'kubeClient' as const }]
const asked = 'POST serviceaccounts/token'

describe('an add-on that cannot get its token', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let hub: HubScene
  before(async () => {
    timed = await timedPlane(suite)
    hub = await addonHub(suite, timed.plane, { clock: timed.clock })
  })
  const time = () => (timed.ownsTime ? timed.clock : new FakeClock(new Date()))

  async function tokenScene(t: TestScope, options: AddonSceneOptions = {}, seconds = 600) {
    const clock = time()
    const heard: Traffic = traffic(clock)
    const scene = await addonScene(t, timed.plane, {
      clock,
      client: { onRequest: heard.onRequest },
      ...options,
      addons: { kubeClientDriver: 'token', tokenExpirationSeconds: seconds },
    })
    /** Tokens that were given. A right that the API server has not heard of yet is asked for once more. */
    const requests = () => heard.all.filter(({ what }) => what === asked)
    const granted = () => requests().filter(({ code }) => code >= 200 && code < 300).length
    return Object.assign(scene, { clock, granted, requests: () => requests().length })
  }
  const refreshed = addonConditions.tokenRefreshed
  const fails = async (scene: AddonScene, addon: string, message: RegExp) => {
    for (const type of refreshed)
      await eventually(`${type} of ${addon} says what is wrong`, async () => {
        const condition = await scene.addonCondition(addon, type)
        assert.deepEqual([condition?.status, condition?.reason], ['False', 'TokenCreationFailed'])
        assert.match(condition?.message ?? '', message)
        return true
      })
  }
  const succeeds = async (scene: AddonScene, addon: string) => {
    for (const type of refreshed) await scene.reaches(addon, type, 'True', 'AddonTokenRefreshed')
  }

  test('a life that the hub does not grant: the condition names the setting', async (t) => {
    const scene = await tokenScene(t, {}, 60)
    const addon = await scene.addon(byToken, { installNamespace: await freshNamespace(t, scene.home) })
    await fails(scene, addon, /60 seconds.*--addon-token-expiration-seconds/)
  })

  test('R87a: a right that is missing at the refresh: the condition says so and until when the old token is good; metrics count it', async (t) => {
    const metrics = await createMetrics()
    const scene = await tokenScene(t, { metrics })
    const installNamespace = await freshNamespace(t, scene.home)
    const addon = await scene.addon(byToken, { installNamespace })
    await succeeds(scene, addon)
    const first = await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace)
    const sample = async (name: string, label: string) => {
      const line = (await metrics.text()).split('\n').find((text) => text.startsWith(`${name}{${label}}`))
      return line === undefined ? undefined : Number(line.split(' ').at(-1))
    }
    const left = () => sample('lanyard_addons_token_expiry_seconds', `cluster="${scene.cluster}",addon="${addon}"`)
    const errors = (reason: string) => sample('lanyard_addons_token_refresh_errors_total', `reason="${reason}"`)
    const atFirst = (await left()) ?? 0
    assert.ok(atFirst > 590 && atFirst <= 600, `${atFirst} seconds left`)
    // Not always 0: the first token may have been asked for before the API server knew of the right.
    const refusals = (await errors('Forbidden')) ?? Number.NaN

    // Nobody repairs it while no hub runs.
    await hub.stop()
    await scene.admin.of(roleBindings, scene.cluster).delete(`${addon}-token-role`)
    await scene.clock.advance('485s')
    await fails(scene, addon, new RegExp(`${addon}-token-role.*good until ${first?.['expiration']}`))
    assert.equal((await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace))?.['token'], first?.['token'])
    assert.ok(((await errors('Forbidden')) ?? 0) >= refusals + 1)
    const later = (await left()) ?? 0
    assert.ok(later > 0 && later < 120, `${later} seconds left`)

    hub = await addonHub(suite, timed.plane, { clock: timed.clock })
    await eventually(
      'it has another token',
      async () => {
        await scene.clock.advance('1s')
        const texts = await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace)
        return texts?.['token'] !== first?.['token']
      },
      { everyMs: 100 },
    )
    await succeeds(scene, addon)
    await scene.stop()
    assert.equal(await left(), undefined)
  })

  test('a namespace that is missing: one token is asked for, put there once it exists, and shown to nobody', async (t) => {
    const lines: string[] = []
    const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } })
    const scene = await tokenScene(t, { log })
    const installNamespace = uniqueName('later')
    const addon = await scene.addon(byToken, { installNamespace })
    await fails(scene, addon, new RegExp(`namespace ${installNamespace} is not on the managed cluster`))
    for (let tries = 0; tries < 20; tries += 1) await scene.clock.advance('5s')
    assert.equal(scene.granted(), 1)
    assert.ok(scene.requests() <= 5, `${scene.requests()} requests`)
    await scene.home.of(namespaces).create(aNamespace(installNamespace))
    await succeeds(scene, addon)
    assert.equal(scene.granted(), 1)

    const { token = '' } = (await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace)) ?? {}
    assert.notEqual(token, '')
    const told = await scene.find(addon)
    const happened = await Promise.all(
      [scene.cluster, scene.namespace, installNamespace, agentNamespace].map((name) =>
        scene.admin.of(events, name).list(),
      ),
    )
    assert.ok(lines.length > 0)
    assertNoCanary({ log: lines.join(''), status: JSON.stringify(told), events: JSON.stringify(happened) }, [
      token,
      token.split('.')[1] ?? '',
      token.split('.')[2] ?? '',
    ])
    await scene.home.of(namespaces).delete(installNamespace)
  })
})
