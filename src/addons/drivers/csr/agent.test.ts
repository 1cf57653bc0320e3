import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually, livesBy } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { runInTest } from '../../../../test/support/fleet-scene.ts'
import { kubeFailure, MemoryKube } from '../../../../test/support/memory-kube.ts'
import type { CheckpointName } from '../../../core/checkpoint.ts'
import { passBy } from '../../../core/checkpoint.ts'
import { after } from '../../../core/clock.ts'
import { silentLog } from '../../../core/log.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { systemRandom } from '../../../core/random.ts'
import type { HubStanza } from '../../../fleet/hub-stanza.ts'
import { readHubKubeconfig } from '../../../fleet/hub-stanza.ts'
import { agentUser } from '../../../fleet/names.ts'
import { certificateSigningRequests, namespaces, secrets } from '../../../kube/kinds.ts'
import { createAuthority, issueCertificate, readRequest } from '../../../pki/index.ts'
import { defaultAddonSettings } from '../../agent/deps.ts'
import type { RegistrationItem } from '../../registrations.ts'
import type { ItemReport } from '../driver.ts'
import { csrAgentDriver } from './agent.ts'
import { aCustomSigner, aKubeClient } from './testing/items.ts'

const hubStanza: HubStanza = { name: 'hub', server: 'https://hub.example.com', ca: 'first CA' }
const item = aKubeClient()

async function scene(t: TestContext) {
  const clock = new FakeClock(new Date())
  livesBy(t, clock)
  const [hub, spoke] = [new MemoryKube(clock), new MemoryKube(clock)]
  const me = agentUser('west', 'a1')
  const asAgent = hub.through((call, proceed) =>
    call.plural === 'selfsubjectreviews'
      ? Promise.resolve({ status: { userInfo: { username: me } } } as never)
      : proceed(),
  )
  const csrs = hub.of(certificateSigningRequests)
  const authority = await createAuthority({ commonName: 'ca', clock, lifetimeMs: 86_400_000 })
  /** As the hub would: one call answers all that is open. */
  const answer = async () => {
    for (const { metadata, spec, status } of (await csrs.list()).items) {
      if (status?.certificate) continue
      const request = readRequest(Buffer.from(spec.request, 'base64').toString())
      const terms = { usages: ['client'] as const, notBefore: clock.now(), notAfter: after(clock.now(), 600_000) }
      const certificate = Buffer.from(await issueCertificate(authority, request, terms)).toString('base64')
      const body = { status: { certificate, conditions: [{ type: 'Approved', status: 'True' }] } }
      await csrs.patch(metadata.name, { type: 'merge', body }, { subresource: 'status' })
    }
  }
  const start = (
    given: RegistrationItem = item,
    { stanza = hubStanza, to = spoke as Pick<MemoryKube, 'of'>, checkpoint = passBy } = {},
  ) => {
    const reports: ItemReport[] = []
    const joined = { cluster: 'west', agent: 'a1', kube: asAgent, stanza }
    const credential = csrAgentDriver.credential({
      management: spoke,
      spoke: to as MemoryKube,
      clock,
      random: systemRandom,
      log: silentLog,
      metrics: noMetrics,
      checkpoint,
      settings: { ...defaultAddonSettings, namespace: 'here' },
      joined,
      item: given,
      addon: () => undefined,
      report: (report) => reports.push(report),
    })
    return { ...credential, stop: runInTest(t, [credential.run]), last: () => reports.at(-1) }
  }
  const texts = async ({ secret }: RegistrationItem = item) => {
    const { data = {} } = (await spoke.of(secrets, secret.namespace).find(secret.name)) ?? {}
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
  }
  const asked = async (count: number) =>
    await eventually(`${count} are asked for`, async () => (await csrs.list()).items.length === count)
  const certified = async (of: RegistrationItem = item) =>
    await eventually('it is certified', async () => {
      const found = await texts(of)
      return found['tls.crt'] !== undefined && found['pending'] === undefined ? found : undefined
    })
  return { clock, hub, spoke, csrs, answer, start, texts, asked, certified }
}

const ofTheAgent: readonly CheckpointName[] = [
  'addon-csr.pending-saved',
  'addon-csr.csr-created',
  'addon-csr.certificate-received',
  'addon-csr.identity-saved',
]

for (const name of ofTheAgent)
  test(`ended at ${name}, it goes on where it was: one request, one certificate`, async (t) => {
    const { csrs, answer, start, certified } = await scene(t)
    const passed: CheckpointName[] = []
    const ended = Promise.withResolvers<void>()
    const dying = start(item, {
      checkpoint(at) {
        passed.push(at)
        if (at !== name) return
        ended.resolve()
        throw new Error('it ends here')
      },
    })
    await eventually('it ends', async () => {
      await answer()
      return passed.includes(name)
    })
    await ended.promise
    await dying.stop()
    const { last } = start()
    await eventually('it has its certificate', async () => {
      await answer()
      return last()?.conditions[0]?.status === 'True'
    })
    await certified()
    assert.equal((await csrs.list()).items.length, 1)
  })

test('ten items that wait share one watch of requests, and none is left when all have what they want', async (t) => {
  const { clock, hub, answer, start, asked, certified } = await scene(t)
  const items = [item, ...Array.from({ length: 9 }, (_, index) => aCustomSigner(`example.com/s${index}`))]
  for (const one of items) start(one)
  await asked(10)
  await eventually('they watch', () => hub.count('watch') > 0)
  await answer()
  for (const one of items) await certified(one)
  // A watch that is still wanted would be opened again.
  hub.dropWatches()
  await clock.advance('10s')
  assert.equal(hub.count('watch'), 1)
})

for (const refusal of ['NotFound', 'Forbidden'] as const)
  test(`F48a: while the namespace is not there (${refusal}) it is asked for once, and what comes of it waits with the agent's own identity`, async (t) => {
    const { clock, csrs, spoke, answer, start, asked, certified } = await scene(t)
    const own = async () => Object.keys((await spoke.of(secrets, 'here').find('hub-kubeconfig-secret'))?.data ?? {})
    let isThere = false
    const to = spoke.through((call, proceed) =>
      isThere || call.plural === 'namespaces' || (refusal === 'NotFound' && call.verb === 'get')
        ? proceed()
        : Promise.reject(kubeFailure(refusal === 'NotFound' ? 404 : 403, refusal, 'namespaces "addons"')),
    )
    const first = start(item, { to: to as MemoryKube })
    await asked(1)
    assert.equal((await own()).length, 1)
    await first.stop()
    const { last, poke } = start(item, { to: to as MemoryKube })
    await answer()
    poke()
    await eventually('it is told', () => last()?.conditions[0]?.status === 'False')
    assert.deepEqual([last()?.conditions[0]?.reason, last()?.pass], ['ClientCertificateUpdateFailed', undefined])
    assert.match(
      last()?.conditions[0]?.message ?? '',
      /Secret addons\/logs-hub-kubeconfig could not be read or written/,
    )
    const [asks] = (await csrs.list()).items
    await csrs.delete(asks?.metadata.name ?? '')
    await clock.advance('2m')
    assert.equal((await csrs.list()).items.length, 0)
    isThere = true
    await spoke.of(namespaces).create({ metadata: { name: 'addons' } })
    poke()
    await certified()
    await eventually('nothing waits any more', async () => (await own()).length === 0)
    assert.equal((await csrs.list()).items.length, 0)
  })

test('where the Secret cannot be written for another reason, nothing is asked for', async (t) => {
  const { clock, csrs, spoke, start } = await scene(t)
  await spoke.of(namespaces).create({ metadata: { name: 'addons' } })
  const to = spoke.through((call, proceed) =>
    call.verb === 'get' ? proceed() : Promise.reject(kubeFailure(403, 'Forbidden', 'no right')),
  )
  const { last } = start(item, { to: to as MemoryKube })
  await eventually('it is told', () => last()?.conditions[0]?.status === 'False')
  await clock.advance('10m')
  assert.equal((await csrs.list()).items.length, 0)
})

test('a hub at another address or behind a proxy changes the kubeconfig and nothing else; another CA is another hub', async (t) => {
  const { answer, start, texts, asked, certified } = await scene(t)
  const first = start()
  await asked(1)
  await answer()
  const before = await certified()
  await first.stop()

  const server = 'https://elsewhere.example.com'
  const moved = start(item, { stanza: { ...hubStanza, server } })
  const serverNow = async () => readHubKubeconfig((await texts())['kubeconfig'] ?? '')?.server
  await eventually('the kubeconfig says so', async () => (await serverNow()) === server)
  assert.equal((await texts())['tls.crt'], before['tls.crt'])
  await asked(1)
  await moved.stop()

  start(item, { stanza: { ...hubStanza, ca: 'second CA' } })
  await asked(2)
  await answer()
  await eventually('it has another certificate', async () => (await texts())['tls.crt'] !== before['tls.crt'])
})

test('what the token driver left goes with the write that brings the certificate', async (t) => {
  const { spoke, answer, start, texts, asked, certified } = await scene(t)
  const left = { token: 'dA==', expiration: 'ZQ==', 'service-account-uid': 'dQ==', kubeconfig: 'aw==', mine: 'bQ==' }
  await spoke.of(secrets, 'addons').create({ metadata: { name: item.secret.name }, data: left })
  start()
  await asked(1)
  assert.equal((await texts())['token'], 't')
  await answer()
  const found = await certified()
  assert.deepEqual(Object.keys(found).sort(), ['cluster-name', 'kubeconfig', 'mine', 'tls.crt', 'tls.key'])
})

test('another subject is asked for at once, whatever became of the last one', async (t) => {
  const { csrs, answer, start, texts, asked, certified } = await scene(t)
  const first = start(aKubeClient({ user: 'first' }))
  await asked(1)
  const [denied] = (await csrs.list()).items
  const body = { status: { conditions: [{ type: 'Denied', status: 'True' }] } }
  await csrs.patch(denied?.metadata.name ?? '', { type: 'merge', body }, { subresource: 'status' })
  await eventually('it is told', () => first.last()?.conditions[0]?.reason === 'ClientCertificateDenied')
  await first.stop()
  await csrs.delete(denied?.metadata.name ?? '')
  assert.ok((await texts())['pending'])
  const second = start(aKubeClient({ user: 'second' }))
  await asked(1)
  await answer()
  await certified()
  await eventually('it is told', () => second.last()?.conditions[0]?.status === 'True')
  assert.ok(second.last()?.pass)
})
