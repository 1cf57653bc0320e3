import type { TestContext } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import { silentLog } from '../../../core/log.ts'
import { randomFrom } from '../../../core/random.ts'
import type { Controller } from '../../../kube/controller.ts'
import { informer } from '../../../kube/informer.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { Authority } from '../../../pki/index.ts'
import { createAuthority } from '../../../pki/index.ts'
import { Registry } from '../../kinds/registry.ts'
import type { Store } from '../../storage/store.ts'
import type { ControllerDeps } from '../deps.ts'
import type { Informers } from '../informers.ts'
import { informers } from '../informers.ts'

const start = '2026-06-01T12:00:00Z'
const clientCa: Authority = await createAuthority({
  commonName: 'clients',
  clock: new FakeClock(start),
  lifetimeMs: 3_650 * 86_400_000,
})

/** One controller over objects in memory, on a clock that stands still. For those that read no store. */
export async function controllerScene(
  t: TestContext,
  make: (deps: ControllerDeps, informers: Informers) => Controller,
) {
  const clock = new FakeClock(start)
  const kube = new MemoryKube(clock)
  const deps = { kube, clock, random: randomFrom(() => 0), log: silentLog, registry: new Registry(), clientCa }
  const accountToken: ControllerDeps['accountToken'] = (namespace, { name }, secret) =>
    `token of ${namespace}/${name} in ${secret}`
  const all = { ...deps, store: undefined as unknown as Store, serverCaPem: 'the authority', accountToken }
  const followed = informers(all)
  // The API in memory selects by metadata only.
  const bootstrapTokens = informer(kube.of(secrets, 'kube-system'), all)
  const accountTokens = informer(kube.of(secrets, 'work'), all)
  const ofSecrets = { bootstrapTokens: { value: bootstrapTokens }, accountTokens: { value: accountTokens } }
  const made = make(all, Object.defineProperties(followed, ofSecrets))
  const stop = new AbortController()
  const runs = [...followed.runs(), bootstrapTokens.run, accountTokens.run, made.run]
  const running = runTogether(stop.signal, runs)
  teardown(t, async () => {
    stop.abort()
    await running
  })
  await clock.settle()
  return { clock, kube, deps: all }
}
