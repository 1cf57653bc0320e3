import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually, livesBy } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { runInTest } from '../../../../test/support/fleet-scene.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { silentLog } from '../../../core/log.ts'
import { systemRandom } from '../../../core/random.ts'
import { certificateSigningRequests } from '../../../kube/kinds.ts'
import type { RegistrationItem } from '../../registrations.ts'
import type { AddonRequest } from './read-request.ts'
import type { AddonSignerOptions } from './signer.ts'
import { addonSigner } from './signer.ts'
import { aCustomSigner, aRequest } from './testing/items.ts'

const signerName = 'example.com/signer'
const item = aCustomSigner(signerName)

async function scene(t: TestContext, options: Partial<AddonSignerOptions> = {}) {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  livesBy(t, clock)
  const kube = new MemoryKube(clock)
  const csrs = kube.of(certificateSigningRequests)
  await kube.of(ManagedClusterAddOn.resource, 'west').create({ metadata: { name: 'logs' }, spec: {} })
  const signed: AddonRequest[] = []
  const sign = async (request: AddonRequest) => {
    signed.push(request)
    return 'the certificate'
  }
  const signer = addonSigner({ kube, signerName, sign, clock, random: systemRandom, log: silentLog, ...options })
  runInTest(t, [signer.run])
  const ask = async (of: RegistrationItem = item, given: Parameters<typeof aRequest>[1] = {}) => {
    const { metadata, ...rest } = await aRequest(of, given)
    const { name, labels = {} } = metadata
    return (await csrs.create({ ...rest, metadata: { name, labels } })).metadata.name
  }
  const conditions = async (name: string) =>
    ((await csrs.get(name)).status?.conditions ?? []).map(({ type, message }) => [type, message])
  const certified = (name: string) =>
    eventually('it is signed', async () => {
      const { certificate = '' } = (await csrs.get(name)).status ?? {}
      return certificate ? Buffer.from(certificate, 'base64').toString() : undefined
    })
  const approve = (name: string) => {
    const body = { status: { conditions: [{ type: 'Approved', status: 'True' }] } }
    return csrs.patch(name, { type: 'merge', body }, { subresource: 'approval' })
  }
  return { clock, signed, ask, conditions, certified, approve }
}

test('what may be approved is approved and signed', async (t) => {
  const { ask, conditions, certified, signed } = await scene(t, { mayApprove: ({ addon }) => addon === 'logs' })
  const name = await ask()
  assert.equal(await certified(name), 'the certificate')
  assert.deepEqual(await conditions(name), [
    ['Approved', 'Agent a1 asks for a certificate of the add-on logs on its cluster.'],
  ])
  assert.deepEqual(
    signed.map(({ cluster, addon, agent }) => [cluster, addon, agent]),
    [['west', 'logs', 'a1']],
  )
})

test('without a word on approvals each request waits for a person', async (t) => {
  const { ask, conditions, certified, approve, clock } = await scene(t)
  const name = await ask()
  await clock.advance('1m')
  assert.deepEqual(await conditions(name), [])
  await approve(name)
  await certified(name)
})

test('an add-on that the cluster does not have, another requester and another signer get nothing', async (t) => {
  const { ask, conditions, certified, signed } = await scene(t, { mayApprove: () => true })
  const left = [
    await ask(aCustomSigner(signerName, {}, 'metrics')),
    await ask(item, { username: 'system:open-cluster-management:westbar:a1' }),
    await ask(aCustomSigner('example.com/other')),
  ]
  await certified(await ask())
  for (const name of left) assert.deepEqual(await conditions(name), [])
  assert.equal(signed.length, 1)
})

test('what a person approved is failed if it is not what it says', async (t) => {
  const { ask, conditions, signed } = await scene(t)
  const name = await ask(item, { username: 'somebody', decided: 'Approved' })
  await eventually('it failed', async () => (await conditions(name)).length === 2)
  assert.deepEqual((await conditions(name)).at(-1), ['Failed', 'It is no proper request of an add-on: NotAsked.'])
  assert.equal(signed.length, 0)
})

test('a refusal is for good, and what could not be signed now is tried again', async (t) => {
  const refusing = await scene(t, { sign: async () => ({ refused: 'no' }) })
  const name = await refusing.ask(item, { decided: 'Approved' })
  await eventually('it failed', async () => (await refusing.conditions(name)).length === 2)
  assert.deepEqual((await refusing.conditions(name)).at(-1), ['Failed', 'no'])

  let tries = 0
  const slow = await scene(t, {
    sign: async () => {
      tries += 1
      if (tries < 3) throw new Error('not now')
      return 'late'
    },
  })
  assert.equal(await slow.certified(await slow.ask(item, { decided: 'Approved' })), 'late')
  assert.equal(tries, 3)
})
