/** How an add-on gets its token, and how the token is replaced: in time, and at once whenever it is not what it should be. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { rfc3339 } from '../../../src/core/conditions.ts'
import { Secret } from '../../../src/core/secret.ts'
import { accountUser, addonAccounts, addonConditions, addonSecrets } from '../../../src/fleet/names.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import type { AddonScene, AddonSceneOptions } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { bootstrapKubeconfig, withHub } from '../../support/agent-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'
import { whoAmI } from '../../support/who-am-i.ts'

type Texts = Record<string, string>

describe('the token of an add-on', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  before(async () => {
    timed = await timedPlane(suite)
    await addonHub(suite, timed.plane, { clock: timed.clock })
  })
  /** The plane's own time; or, where that is real, time that begins at the present for each test. */
  function time(): Pick<TimedPlane, 'clock' | 'advance'> {
    if (timed.ownsTime) return timed
    const clock = new FakeClock(new Date())
    return { clock, advance: (by) => clock.advance(by) }
  }

  interface TokenScene extends AddonScene {
    addon1: string
    account: string
    kept(): Promise<Texts | undefined>
    /** The Secret once its token is another than this. */
    another(old?: string): Promise<Texts>
    /** Whom the hub takes the holder of this token for; undefined when it takes it for nobody. */
    userOf(token: string | undefined): Promise<string | undefined>
    patch(data: Record<string, string | null>): Promise<void>
    /** Waits until both conditions say until when this token is good. */
    isTold(texts: Texts): Promise<void>
  }

  async function tokenScene(t: TestScope, seconds: number, options: AddonSceneOptions = {}): Promise<TokenScene> {
    const addons = { kubeClientDriver: 'token', tokenExpirationSeconds: seconds } as const
    const scene = await addonScene(t, timed.plane, { ...options, addons })
    const namespace = await freshNamespace(t, scene.home)
    const addon1 = await scene.addon([{ type: 'kubeClient' }], { installNamespace: namespace })
    const name = addonSecrets.kubeClient(addon1)
    const kept = () => scene.secretOf(name, namespace)
    return Object.assign(scene, {
      addon1,
      account: addonAccounts(scene.cluster, addon1)[0],
      kept,
      another: (old?: string) =>
        eventually('there is another token', async () => {
          const texts = await kept()
          return texts?.['token'] !== undefined && texts['token'] !== old ? texts : undefined
        }),
      async userOf(token: string | undefined) {
        const client = kubeClient(t, timed.plane.connection({ authorization: Secret.of(token ?? '') }))
        const asked = whoAmI(client).catch((error: unknown) => {
          if (isUnauthorized(error)) return undefined
          throw error
        })
        return (await asked)?.username
      },
      async patch(data: Record<string, string | null>) {
        const encoded = Object.entries(data).map(([key, text]) => [key, text && Buffer.from(text).toString('base64')])
        const body = { data: Object.fromEntries(encoded) }
        await scene.home.of(secrets, namespace).patch(name, { type: 'merge', body })
      },
      async isTold(texts: Texts) {
        for (const type of addonConditions.tokenRefreshed)
          await eventually(`${type} tells of it`, async () => {
            const condition = await scene.addonCondition(addon1, type)
            const { status, reason, message } = condition ?? {}
            const expected = ['True', 'AddonTokenRefreshed', `Addon token refreshed, expires at ${texts['expiration']}`]
            assert.deepEqual([status, reason, message], expected)
            return true
          })
      },
    })
  }

  test('R69: it is kept with its end, the UID of its account and a kubeconfig, and the hub is told until when it is good', async (t) => {
    const { clock } = time()
    const scene = await tokenScene(t, 3_600, { clock })
    const texts = await scene.another()
    assert.deepEqual(Object.keys(texts).sort(), [
      'cluster-name',
      'expiration',
      'kubeconfig',
      'service-account-uid',
      'token',
    ])
    const account = await scene.admin.of(serviceAccounts, scene.cluster).get(scene.account)
    assert.equal(texts['service-account-uid'], account.metadata.uid)
    assert.equal(texts['cluster-name'], scene.cluster)
    const expiresAt = new Date(texts['expiration'] ?? '')
    assert.equal(rfc3339(expiresAt), texts['expiration'])
    const aboutMs = Math.abs(expiresAt.getTime() - clock.now().getTime() - 3_600_000)
    assert.ok(aboutMs < 60_000, `expires ${texts['expiration']}`)
    await scene.isTold(texts)
    assert.equal(await scene.userOf(texts['token']), accountUser(scene.cluster, scene.account))
    const { clusters, users } = parseKubeconfig(texts['kubeconfig'] ?? '', { name: 'kept' })
    assert.deepEqual(clusters[0]?.value.server, timed.plane.url)
    assert.deepEqual(users[0]?.value, { tokenFile: 'token' })
  })

  test('a life of 0 seconds means a year', async (t) => {
    const { clock } = time()
    const scene = await tokenScene(t, 0, { clock })
    const { expiration = '' } = await scene.another()
    const days = (new Date(expiration).getTime() - clock.now().getTime()) / 86_400_000
    assert.ok(days > 364.9 && days <= 365.1, `${days} days`)
  })

  test('R70: an account that is deleted on the hub is made anew, and the token is replaced', async (t) => {
    const { clock } = time()
    const scene = await tokenScene(t, 3_600, { clock })
    const first = await scene.another()
    await scene.isTold(first)
    await scene.admin.of(serviceAccounts, scene.cluster).delete(scene.account)
    const second = await scene.another(first['token'])
    const account = await scene.admin.of(serviceAccounts, scene.cluster).get(scene.account)
    assert.notEqual(second['service-account-uid'], first['service-account-uid'])
    assert.equal(second['service-account-uid'], account.metadata.uid)
    // The API server may hold the account of before for a moment.
    const user = await eventually('the hub knows its holder', () => scene.userOf(second['token']))
    assert.equal(user, accountUser(scene.cluster, scene.account))
    await scene.isTold(second)
  })

  test('R71: a deleted Secret gets a new token; one of 600 seconds is replaced after 480 of them and never lapses', async (t) => {
    const { clock, advance } = time()
    const scene = await tokenScene(t, 600, { clock })
    const first = await scene.another()
    await scene.isTold(first)
    const [namespace, name] = [
      (await scene.find(scene.addon1))?.status?.namespace,
      addonSecrets.kubeClient(scene.addon1),
    ]
    await scene.home.of(secrets, namespace).delete(name)
    let current = await scene.another(first['token'])
    await scene.isTold(current)

    await advance('470s')
    assert.equal((await scene.kept())?.['token'], current['token'])
    await advance('10s')
    const refreshed = await scene.another(current['token'])
    await scene.isTold(refreshed)
    if (!timed.ownsTime) return
    assert.notEqual(refreshed['expiration'], current['expiration'])
    current = refreshed
    const seen = new Set<string>()
    for (let step = 0; step < 60; step += 1) {
      await advance('30s', 1)
      const texts = (await scene.kept()) ?? {}
      seen.add(texts['token'] ?? '')
      assert.equal(await scene.userOf(texts['token']), accountUser(scene.cluster, scene.account), `after ${step} steps`)
    }
    assert.ok(seen.size >= 4 && seen.size <= 5, `${seen.size} tokens in 30 minutes`)
  })

  test('damage of whatever kind means a new token', async (t) => {
    const { clock } = time()
    const scene = await tokenScene(t, 3_600, { clock })
    const other = await tokenScene(t, 3_600, { clock })
    const foreign = await other.another()
    let current = await scene.another()
    const part = (token: string, index: number) => token.split('.')[index] ?? ''
    const damages: Record<string, () => Record<string, string | null>> = {
      'the token is no token': () => ({ token: 'nonsense' }),
      'the token is cut': () => ({ token: (current['token'] ?? '').slice(0, 40) }),
      'the token is missing': () => ({ token: null }),
      'its payload is another': () => ({
        token: [part(current['token'] ?? '', 0), 'eyJhIjoxfQ', part(current['token'] ?? '', 2)].join('.'),
      }),
      'its signature is another': () => ({
        token: [part(current['token'] ?? '', 0), part(current['token'] ?? '', 1), 'AAAA'].join('.'),
      }),
      'it is that of another account': () => ({ token: foreign['token'] ?? '' }),
      'all is that of another account': () => ({ ...foreign }),
      'its end is missing': () => ({ expiration: null }),
      'its end is another': () => ({ expiration: '2040-01-01T00:00:00Z' }),
      'its end is no time': () => ({ expiration: 'tomorrow' }),
      'the UID is another': () => ({ 'service-account-uid': foreign['service-account-uid'] ?? '' }),
      'the UID is missing': () => ({ 'service-account-uid': null }),
      'the kubeconfig leads elsewhere': () => ({
        kubeconfig: (current['kubeconfig'] ?? '').replace(timed.plane.url, 'https://example.com'),
      }),
      'the kubeconfig is missing': () => ({ kubeconfig: null }),
      'the cluster is missing': () => ({ 'cluster-name': null }),
    }
    for (const [what, damage] of Object.entries(damages)) {
      const data = damage()
      await scene.patch(data)
      const next = await eventually(`it recovers when ${what}`, async () => {
        const texts = await scene.kept()
        const token = texts?.['token']
        return token && token !== current['token'] && token !== data['token'] ? texts : undefined
      })
      assert.equal(await scene.userOf(next['token']), accountUser(scene.cluster, scene.account), what)
      assert.deepEqual(Object.keys(next).sort(), Object.keys(current).sort(), what)
      assert.equal(next['kubeconfig'], current['kubeconfig'], what)
      current = next
    }
    await scene.isTold(current)
  })

  test('a hub that is away when a token is due: the old one stays, and a new one comes when the hub is back', async (t) => {
    const { clock, advance } = time()
    const way = await startFaultProxy(t, timed.plane.url)
    const bootstrap = withHub(await bootstrapKubeconfig(timed.plane), { server: way.url })
    const scene = await tokenScene(t, 600, { clock, bootstrap, client: { retries: 0 } })
    const first = await scene.another()
    await scene.isTold(first)
    way.refuse()
    way.resetAll()
    await advance('540s', 54)
    assert.equal((await scene.kept())?.['token'], first['token'])
    assert.equal(await scene.userOf(first['token']), accountUser(scene.cluster, scene.account))
    way.heal()
    await advance('40s', 40)
    const second = await scene.another(first['token'])
    assert.equal(await scene.userOf(second['token']), accountUser(scene.cluster, scene.account))
    await scene.isTold(second)
  })

  for (const skew of [2, -2])
    test(`an agent whose clock is ${Math.abs(skew)} hours ${skew > 0 ? 'ahead' : 'behind'} has a token at all times`, async (t) => {
      const clock = new FakeClock(new Date(timed.clock.now().getTime() + skew * 3_600_000))
      const scene = await tokenScene(t, 600, { clock })
      const first = await scene.another()
      await scene.isTold(first)
      await clock.advance('475s')
      assert.equal((await scene.kept())?.['token'], first['token'])
      await clock.advance('5s')
      const second = await scene.another(first['token'])
      assert.equal(await scene.userOf(second['token']), accountUser(scene.cluster, scene.account))
    })

  test('a clock that jumps ahead and back again: the token is replaced in time', async (t) => {
    const clock = new FakeClock(timed.clock.now())
    const scene = await tokenScene(t, 600, { clock })
    const first = await scene.another()
    await scene.isTold(first)
    await clock.jumpTo(new Date(clock.now().getTime() + 86_400_000))
    const second = await scene.another(first['token'])
    await scene.isTold(second)
    await clock.jumpTo(new Date(clock.now().getTime() - 86_400_000))
    await clock.advance('480s')
    const third = await scene.another(second['token'])
    assert.equal(await scene.userOf(third['token']), accountUser(scene.cluster, scene.account))
  })
})
