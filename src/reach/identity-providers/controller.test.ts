import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Condition } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import { everywhere } from '../../core/egress.ts'
import { runTogether } from '../../core/lifecycle.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { randomFrom } from '../../core/random.ts'
import { spokeFailures, spokeView } from '../../fleet/spoke/index.ts'
import type { Happening } from '../../kube/events.ts'
import { defaultReachSettings } from '../hub/deps.ts'
import { identityProviderController } from './controller.ts'

type Spec = NonNullable<IdentityProvider['spec']>
const authority = 'https://id.example.com'
const aSpec = (changes: Partial<Spec> = {}): Spec => ({ oidc: { authority, clientID: 'ui' }, ...changes })

/** A controller, an issuer whose answer the test decides, and what people are told. */
function scene(t: { after(action: () => void): void }) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const deps = { kube, clock, random: randomFrom(() => 0), log: silentLog, metrics: noMetrics }
  const view = spokeView(kube, deps)
  const told: Happening[] = []
  const asked: { at: Date; issuer: string; ca: string | undefined }[] = []
  const issuer = { isUp: true }
  const events = { record: (_: unknown, __: unknown, happening: Happening) => void told.push(happening) }
  const { run } = identityProviderController(
    { ...deps, view, events: events as never, settings: () => defaultReachSettings, egress: () => everywhere },
    async (url, ca) => {
      asked.push({ at: clock.now(), issuer: url, ca })
      if (!issuer.isUp) throw spokeFailures.SPOKE_DISCOVERY_FAILED({ issuer: url, detail: 'it is down' })
    },
  )
  const stop = new AbortController()
  runTogether(stop.signal, [view.run, run]).catch(() => {})
  t.after(() => stop.abort())
  const providers = kube.of(IdentityProvider.resource)
  return {
    ...{ clock, kube, providers, told, asked, issuer },
    make: (name: string, spec: Spec = aSpec()) => providers.create({ metadata: { name }, spec }),
    async ready(name: string) {
      await clock.settle(50)
      const { status, metadata } = await providers.get(name)
      const found = findCondition(status?.conditions as Condition[] | undefined, 'Ready')
      assert.equal(status?.observedGeneration, found?.observedGeneration)
      return [found?.status, found?.reason, found?.observedGeneration === metadata.generation]
    },
  }
}

const writesIn = (kube: MemoryKube) => kube.count('apply', 'patch', 'update')

test('one that answers is ready, is looked at every ten minutes, and is written once', async (t) => {
  const { clock, kube, make, ready, asked, told } = scene(t)
  await make('corp', aSpec({ oidc: { authority, clientID: 'ui', certificateAuthority: '' } }))
  assert.deepEqual(await ready('corp'), ['True', 'ConfigReloadSuccess', true])
  assert.deepEqual([asked.length, asked[0]?.issuer, asked[0]?.ca, writesIn(kube)], [1, authority, undefined, 1])
  for (let looks = 2; looks <= 5; looks += 1) {
    await clock.advance('10m')
    assert.equal(asked.length, looks)
  }
  assert.deepEqual([writesIn(kube), told.map(({ reason }) => reason)], [1, ['ConfigReloadSuccess']])
})

test('one that does not answer is asked again soon, less and less often, and heals by itself', async (t) => {
  const { clock, kube, make, ready, asked, told, issuer } = scene(t)
  issuer.isUp = false
  await make('corp')
  assert.deepEqual(await ready('corp'), ['False', 'ConfigReloadFailed', true])
  await clock.advance('10m')
  assert.ok(asked.length >= 5 && asked.length <= 12, `${asked.length}`)
  assert.equal(writesIn(kube), 1)
  issuer.isUp = true
  await clock.advance('2m')
  assert.deepEqual(await ready('corp'), ['True', 'ConfigReloadSuccess', true])
  assert.deepEqual(
    told.map(({ type, reason }) => [type, reason]),
    [
      ['Warning', 'ConfigReloadFailed'],
      ['Normal', 'ConfigReloadSuccess'],
    ],
  )
})

test('a change is looked at on the spot, and one that is switched off is left in peace', async (t) => {
  const { clock, make, ready, asked, providers, told } = scene(t)
  await make('corp')
  await ready('corp')
  const change = (spec: object) => providers.patch('corp', { type: 'merge', body: { spec } })
  await change({ disabled: true })
  assert.deepEqual(await ready('corp'), ['False', 'Disabled', true])
  await clock.advance('1h')
  assert.equal(asked.length, 1)
  await change({ disabled: false, oidc: { authority: 'https://other.example.com' } })
  assert.deepEqual(await ready('corp'), ['True', 'ConfigReloadSuccess', true])
  assert.equal(asked.at(-1)?.issuer, 'https://other.example.com')
  assert.deepEqual(
    told.map(({ type }) => type),
    ['Normal', 'Normal', 'Normal'],
  )
})

test('two of one issuer are both unusable until one of them is gone', async (t) => {
  const { make, ready, providers } = scene(t)
  await make('first')
  assert.deepEqual(await ready('first'), ['True', 'ConfigReloadSuccess', true])
  await make('second')
  assert.deepEqual(await ready('second'), ['False', 'ValidationFailed', true])
  assert.deepEqual(await ready('first'), ['False', 'ValidationFailed', true])
  await providers.delete('second')
  assert.deepEqual(await ready('first'), ['True', 'ConfigReloadSuccess', true])
})
