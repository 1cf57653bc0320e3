import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { kubeFailure } from '../../../../test/support/memory-kube-parts.ts'
import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { after } from '../../../core/clock.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import { aborted } from '../../../core/lifecycle.ts'
import { silentLog } from '../../../core/log.ts'
import { createMetrics } from '../../../core/metrics.ts'
import { systemRandom } from '../../../core/random.ts'
import { accountUser, addonConditions, clientSigner } from '../../../fleet/names.ts'
import { textOf } from '../../../fleet/secret-texts.ts'
import { aToken } from '../../../fleet/testing/account-tokens.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import { defaultAddonSettings } from '../../agent/deps.ts'
import type { ItemReport } from '../driver.ts'
import { formatAnnouncement } from './announcement.ts'
import { longestPauseMs, tokenCredential } from './credential.ts'

const account = 'west-logs-agent'
const place = { namespace: 'apps', name: 'logs-hub-kubeconfig' }

type Conditions = NonNullable<NonNullable<ManagedClusterAddOn['status']>['conditions']>

async function scene({ seconds, grants }: { seconds: number; grants: number } = { seconds: 600, grants: 600 }) {
  const clock = new FakeClock()
  const spoke = new MemoryKube(clock)
  const metrics = await createMetrics()
  const world = {
    uid: '1',
    error: undefined as Error | undefined,
    isSilent: false,
    asked: [] as { at: Date; seconds: number }[],
    conditions: [] as Conditions,
    reports: [] as ItemReport[],
    passed: [] as string[],
  }
  const hub = {
    of: () => ({
      async createSubresource(
        name: string,
        subresource: string,
        body: { spec: { expirationSeconds: number } },
        options: { signal: AbortSignal },
      ) {
        assert.deepEqual([name, subresource], [account, 'token'])
        world.asked.push({ at: clock.now(), seconds: body.spec.expirationSeconds })
        if (world.isSilent) await aborted(options.signal)
        options.signal.throwIfAborted()
        if (world.error) throw world.error
        const issuedAt = clock.now()
        const expiresAt = after(issuedAt, grants * 1_000)
        const token = aToken({ namespace: 'west', account, uid: world.uid, issuedAt, expiresAt })
        return { status: { token: token.reveal(), expirationTimestamp: rfc3339(expiresAt) } }
      },
    }),
  } as unknown as Kube
  const announce = (uid: string) => {
    const message = formatAnnouncement({ namespace: 'west', account, uid })
    world.conditions = [
      { type: addonConditions.tokenInfrastructureReady, status: 'True', message, reason: 'x', lastTransitionTime: '' },
    ]
  }
  const start = (server = 'https://hub') => {
    const ending = new AbortController()
    const credential = tokenCredential({
      management: spoke,
      spoke,
      clock,
      random: systemRandom,
      log: silentLog,
      metrics,
      checkpoint: (name) => world.passed.push(name),
      settings: { ...defaultAddonSettings, namespace: 'agent', tokenExpirationSeconds: seconds },
      joined: { cluster: 'west', agent: 'a1', kube: hub, stanza: { name: 'hub', server } },
      item: {
        cluster: 'west',
        addon: 'logs',
        index: 0,
        type: 'kubeClient',
        signer: clientSigner,
        subject: { user: accountUser('west', account) },
        driver: 'token',
        secret: place,
      },
      addon: () => ({ metadata: {}, status: { conditions: world.conditions } }) as Stored<ManagedClusterAddOn>,
      report: (report) => world.reports.push(report),
    })
    const over = credential.run(ending.signal)
    const stop = async () => {
      ending.abort()
      await over
    }
    return { poke: credential.poke, stop }
  }
  const token = async () => textOf((await spoke.of(secrets, place.namespace).find(place.name))?.data ?? {}, 'token')
  const reasons = () => world.reports.map(({ conditions }) => `${conditions[0]?.reason}`)
  return { clock, spoke, metrics, world, announce, start, token, reasons }
}

test('it waits for the hub, asks, stores, and only then says so', async () => {
  const { clock, world, announce, start, token, reasons } = await scene()
  const { poke, stop } = start()
  await clock.settle()
  assert.deepEqual(reasons(), ['AwaitingTokenInfrastructure'])
  assert.equal(world.asked.length, 0)
  announce('1')
  poke()
  await clock.settle()
  assert.ok(await token())
  assert.equal(reasons().at(-1), 'AddonTokenRefreshed')
  assert.deepEqual(world.passed, ['addon-token.requested', 'addon-token.stored'])
  const [told] = world.reports.at(-1)?.conditions ?? []
  world.conditions = [
    ...world.conditions,
    ...addonConditions.tokenRefreshed.map((type) => ({ ...world.conditions[0], type, message: told?.message ?? '' })),
  ] as Conditions
  poke()
  poke()
  await clock.settle()
  assert.deepEqual(world.passed, ['addon-token.requested', 'addon-token.stored', 'addon-token.reported'])
  assert.equal(world.asked.length, 1)
  await stop()
})

test('80 % of what was granted decides, not of what was asked', async () => {
  const { clock, world, announce, start } = await scene({ seconds: 0, grants: 3_600 })
  announce('1')
  const { stop } = start()
  await clock.settle()
  assert.equal(world.asked[0]?.seconds, 31_536_000)
  const first = world.asked[0]?.at ?? new Date()
  await clock.advance('2880s')
  assert.deepEqual(
    world.asked.map(({ at }) => at),
    [first, after(first, 2_880_000)],
  )
  await stop()
})

test('a restart goes on with what is kept; another way to the hub means another token', async () => {
  const { clock, world, announce, start, token } = await scene()
  announce('1')
  const first = start()
  await clock.settle()
  const old = await token()
  await first.stop()
  const second = start()
  await clock.settle()
  await second.stop()
  assert.equal(await token(), old)
  const third = start('https://elsewhere')
  await clock.settle()
  await third.stop()
  assert.notEqual(await token(), old)
  assert.equal(world.asked.length, 2)
})

test('a hub that fails is asked again after growing pauses, and nothing that changes elsewhere shortens them', async () => {
  const { clock, world, announce, start, token, reasons } = await scene()
  announce('1')
  const { poke, stop } = start()
  await clock.settle()
  const old = await token()
  world.error = kubeFailure(500, 'InternalError', account)
  const before = world.asked.length
  for (let second = 0; second < 600; second += 5) {
    await clock.advance('5s')
    poke()
  }
  const tries = world.asked.length - before
  assert.ok(tries >= 6 && tries <= 20, `${tries} tries in 120 seconds`)
  assert.equal(await token(), old)
  assert.equal(reasons().at(-1), 'TokenCreationFailed')
  world.error = undefined
  world.uid = '2'
  announce('2')
  poke()
  await clock.settle()
  assert.notEqual(await token(), old)
  await stop()
})

test('it ends at once while the hub is silent, and tells nobody of it', async () => {
  const { clock, world, metrics, announce, start } = await scene()
  announce('1')
  world.isSilent = true
  const { stop } = start()
  await clock.settle()
  assert.equal(world.asked.length, 1)
  await stop()
  assert.deepEqual(world.reports, [])
  assert.doesNotMatch(await metrics.text(), /errors_total\{.*\} 1/)
})

test('how long tokens are good for and what failed shows in the metrics, while there is a credential', async () => {
  const { clock, world, metrics, announce, start } = await scene()
  announce('1')
  const { stop } = start()
  await clock.settle()
  await clock.advance('100s')
  assert.match(await metrics.text(), /lanyard_addons_token_expiry_seconds\{cluster="west",addon="logs"\} 500\n/)
  world.error = kubeFailure(403, 'Forbidden', account)
  await clock.advance('380s')
  assert.match(await metrics.text(), /lanyard_addons_token_refresh_errors_total\{reason="Forbidden"\} 1\n/)
  await stop()
  assert.doesNotMatch(await metrics.text(), /expiry_seconds\{/)
})

test('pauses are short for short tokens and never long', () => {
  assert.equal(longestPauseMs(600_000), 30_000)
  assert.equal(longestPauseMs(31_536_000_000), 300_000)
  assert.equal(longestPauseMs(1_000), 5_000)
})
