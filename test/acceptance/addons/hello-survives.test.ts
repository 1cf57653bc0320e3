/** Whatever happens to the credential of an add-on, the add-on works again without a person: its own calls show it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { CheckpointName } from '../../../src/core/checkpoint.ts'
import { addonAccounts, addonSecrets } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { addonHub } from '../../support/addon-scene.ts'
import { bootstrapKubeconfig, withHub } from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { duration, FakeClock } from '../../support/fake-clock.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import type { HelloScene, HelloSceneOptions } from '../../support/hello-scene.ts'
import { hello, helloScene, runHelloHub } from '../../support/hello-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const tokenSeconds = 3_600
const secretName = addonSecrets.kubeClient(hello)
const noise = Buffer.from('noise').toString('base64')

describe('the credential of an add-on', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let admin: KubeClient
  before(async () => {
    timed = await timedPlane(suite)
    ;({ admin } = await addonHub(suite, timed.plane, { clock: timed.clock }))
    await runHelloHub(suite, timed.plane)
  })

  const sceneOn = (t: TestScope, options: HelloSceneOptions = {}): Promise<HelloScene> =>
    helloScene(t, timed.plane, {
      clock: timed.clock,
      ...options,
      addons: Object.assign(options.addons ?? {}, { tokenExpirationSeconds: tokenSeconds }),
    })
  const atWork = async (t: TestScope, options?: HelloSceneOptions): Promise<HelloScene> => {
    const scene = await sceneOn(t, options)
    await scene.greetsAnew()
    return scene
  }

  /** Does something to the credential, and waits until it is another one and whole, and the add-on works with it. */
  async function comesBack(scene: HelloScene, harm: (before: Record<string, string>) => Promise<unknown>) {
    const before = await scene.credential()
    assert.ok(before)
    await harm(before)
    const after = await eventually('there is another token', async () => {
      const found = await scene.credential()
      assert.deepEqual(Object.keys(found ?? {}).sort(), Object.keys(before).sort())
      assert.notEqual(found?.['token'], before['token'])
      assert.notEqual(found?.['token'], 'noise')
      return found
    })
    await scene.greetsAnew()
    return { before, after }
  }

  test('its account is deleted on the hub: there is a new one, and a token of it', async (t) => {
    const scene = await atWork(t)
    const account = addonAccounts(scene.cluster, hello)[0]
    const { before, after } = await comesBack(scene, () => admin.of(serviceAccounts, scene.cluster).delete(account))
    assert.notEqual(after['service-account-uid'], before['service-account-uid'])
    const { metadata } = await admin.of(serviceAccounts, scene.cluster).get(account)
    assert.equal(after['service-account-uid'], metadata.uid)
  })

  test('its Secret is deleted: it is written again', async (t) => {
    const scene = await atWork(t)
    await comesBack(scene, () => scene.home.of(secrets, scene.installNamespace).delete(secretName))
  })

  test('any part of its Secret is overwritten or taken out: it is put right', async (t) => {
    const scene = await atWork(t)
    const kept = scene.home.of(secrets, scene.installNamespace)
    const whole = Object.keys((await scene.credential()) ?? {}).sort()
    for (const key of ['token', 'kubeconfig', 'expiration', 'service-account-uid'])
      for (const value of [noise, null]) {
        await kept.patch(secretName, { type: 'merge', body: { data: { [key]: value } } })
        await eventually(`the ${key} is put right`, async () => {
          const found = (await scene.credential()) ?? {}
          assert.deepEqual(Object.keys(found).sort(), whole)
          assert.notEqual(found[key], 'noise')
          return true
        })
        if (value === null) await scene.greetsAnew()
      }
  })

  test('the clock of the cluster is days ahead: it gets a token, and does not ask for one after the other', async (t) => {
    const ahead = new FakeClock(new Date(timed.clock.now().getTime() + duration('2d')))
    const scene = await atWork(t, { clock: ahead })
    const { token } = (await scene.credential()) ?? {}
    for (let minutes = 0; minutes < 10; minutes += 1) await ahead.advance('1m')
    assert.equal((await scene.credential())?.['token'], token)
    await comesBack(scene, () => scene.home.of(secrets, scene.installNamespace).delete(secretName))
  })

  test('the clock of the cluster jumps ahead: the add-on keeps working', async (t) => {
    const clock = new FakeClock(timed.clock.now())
    const scene = await atWork(t, { clock })
    await comesBack(scene, () => clock.jumpTo(new Date(clock.now().getTime() + duration('50m'))))
  })

  test('R71a: the hub is away when the token is to be renewed: it is renewed once the hub is back', async (t) => {
    const proxy = await startFaultProxy(t, timed.plane.connection().server)
    const bootstrap = withHub(await bootstrapKubeconfig(timed.plane), { server: proxy.url })
    const scene = await atWork(t, { bootstrap, client: { retries: 1 } })
    await comesBack(scene, async (before) => {
      proxy.refuse()
      proxy.resetAll()
      // Past four fifths of its life; where the server lives by this clock, past its end.
      await timed.advance(timed.ownsTime ? '70m' : '50m', 5)
      assert.equal((await scene.credential())?.['token'], before['token'])
      proxy.heal()
      await timed.advance('5m', 5)
    })
  })

  test('the agent is set to another driver: the add-on goes on with the other credential, and back', async (t) => {
    const addons: { kubeClientDriver: 'token' | 'csr' } = { kubeClientDriver: 'token' }
    const scene = await atWork(t, { addons })
    for (const [driver, has, hasNot] of [
      ['csr', 'tls.crt', 'token'],
      ['token', 'token', 'tls.crt'],
    ] as const) {
      await scene.stop()
      addons.kubeClientDriver = driver
      scene.start()
      await eventually(`its credential comes by ${driver}`, async () => {
        const found = (await scene.credential()) ?? {}
        return has in found && !(hasNot in found)
      })
      await scene.greetsAnew()
    }
  })

  const toToken: CheckpointName[] = [
    'addon.declared',
    'addon.secret-recorded',
    'addon-token.requested',
    'addon-token.stored',
    'addon-token.reported',
  ]
  const toCertificate: CheckpointName[] = [
    'addon.declared',
    'addon.secret-recorded',
    'addon-csr.pending-saved',
    'addon-csr.csr-created',
    'addon-csr.certificate-received',
    'addon-csr.identity-saved',
  ]

  /** An agent that ends where it is told to, in the eyes of the server: from there on nothing of it happens. */
  function mortal() {
    let at: CheckpointName | undefined
    let isDead = false
    return {
      checkpoint(passed: CheckpointName) {
        if (!isDead && passed !== at) return
        isDead = true
        throw new Error(`killed at ${passed}`)
      },
      dieAt(name: CheckpointName) {
        at = name
      },
      async diesAndReturns(scene: HelloScene) {
        await eventually(`it is killed at ${at}`, () => isDead)
        await scene.stop()
        at = undefined
        isDead = false
        scene.start()
      },
    }
  }

  for (const [driver, names] of [
    ['token', toToken],
    ['csr', toCertificate],
  ] as const)
    test(`its agent is killed between any two steps to a ${driver}: the next one goes on`, async (t) => {
      const life = mortal()
      const scene = await atWork(t, { checkpoint: life.checkpoint, addons: { kubeClientDriver: driver } })
      for (const name of names) {
        await scene.disable()
        life.dieAt(name)
        await scene.enable()
        await life.diesAndReturns(scene)
        await eventually(`there is a credential after a kill at ${name}`, () => scene.credential())
        await scene.greetsAnew()
        if (['addon.declared', 'addon.secret-recorded'].includes(name)) continue
        // And once more, where there is one to be replaced.
        await timed.advance('1s', 1)
        life.dieAt(name)
        await scene.home.of(secrets, scene.installNamespace).delete(secretName)
        await life.diesAndReturns(scene)
        await eventually(`there is one again after a kill at ${name}`, () => scene.credential())
        await scene.greetsAnew()
      }
    })
})
