import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Stored } from '../../kube/objects.ts'
import type { DriverName } from '../registrations.ts'
import { isDeclared, planOf } from './plan.ts'
import { anAddon, fakeDriver, kubeClientItem, signerItem } from './testing/builders.ts'

const drivers = { csr: fakeDriver('csr'), token: fakeDriver('token') }
const plan = (
  addons: Stored<ManagedClusterAddOn>[],
  kubeClientDriver: DriverName = 'token',
  holderOf?: (secret: string) => string | undefined,
) => planOf(addons, drivers, { namespace: 'agent', kubeClientDriver }, holderOf)
const itemsIn = (plans: ReturnType<typeof plan>, addon: string) =>
  plans.get(addon)?.items.map(({ item, driver }) => `${item.secret.name} by ${driver.name}`)

test('the hub’s own API is reached by the driver of the settings, other signers by certificate', () => {
  const addon = anAddon('chart', { registrations: [kubeClientItem, signerItem()] })
  const signed = 'chart-example.com-one-client-cert by csr'
  assert.deepEqual(itemsIn(plan([addon], 'token'), 'chart'), ['chart-hub-kubeconfig by token', signed])
  assert.deepEqual(itemsIn(plan([addon], 'csr'), 'chart'), ['chart-hub-kubeconfig by csr', signed])
})

test('an item counts as declared only when everything is as its driver says', () => {
  const said = (kubeClient: object) => {
    const addon = anAddon('chart', { registrations: [{ type: 'kubeClient', kubeClient }] })
    const [planned] = plan([addon]).get('chart')?.items ?? []
    return planned !== undefined && isDeclared(planned)
  }
  assert.equal(said({}), false)
  assert.equal(said({ driver: 'token' }), false)
  assert.equal(said({ driver: 'csr', subject: { user: 'token:chart' } }), false)
  assert.equal(said({ driver: 'token', subject: { user: 'token:chart', groups: ['others'] } }), false)
  assert.equal(said({ driver: 'token', subject: { user: 'token:chart' } }), true)
  assert.equal(said({ driver: 'token', subject: { user: 'token:chart', groups: [] } }), true)
})

test('of two items for one Secret the first wins, and the second hears why', () => {
  const { items, refused } =
    plan([anAddon('chart', { registrations: [signerItem(), signerItem()] })]).get('chart') ?? {}
  assert.equal(items?.length, 1)
  assert.match(`${refused?.[0]}`, /^example\.com\/one: the Secret .* is already that of registration 0;/)
})

test('of two add-ons for one Secret the one that has it wins, then the oldest', () => {
  const old = anAddon('a-b', { registrations: [signerItem('cc.example.com/x')] }, 1)
  const young = anAddon('a', { registrations: [signerItem('b-cc.example.com/x')] }, 2)
  const winner = (plans: ReturnType<typeof plan>) =>
    ['a', 'a-b'].filter((name) => (plans.get(name)?.items.length ?? 0) > 0)
  assert.deepEqual(winner(plan([young, old])), ['a-b'])
  assert.deepEqual(winner(plan([young, old], 'token', () => 'a')), ['a'])
  assert.match(`${plan([young, old]).get('a')?.refused}`, /is already that of the add-on a-b;/)
  const elsewhere = anAddon('a', { namespace: 'other', registrations: [signerItem('b-cc.example.com/x')] }, 2)
  assert.deepEqual(winner(plan([elsewhere, old])), ['a', 'a-b'], 'in another namespace it is another Secret')
})

test('what cannot be is refused with a sentence', () => {
  const refusal = (addon: Stored<ManagedClusterAddOn>) => {
    const { items, refused } = plan([addon]).get(addon.metadata.name) ?? {}
    assert.deepEqual(items, [])
    return `${refused}`
  }
  assert.match(refusal(anAddon('bootstrap', { namespace: 'agent', registrations: [kubeClientItem] })), /agent's own/)
  assert.match(refusal(anAddon('chart', { namespace: '../x', registrations: [kubeClientItem] })), /name of a namespace/)
  assert.match(refusal(anAddon('a'.repeat(250), { registrations: [kubeClientItem] })), /more than 253 characters/)
  assert.match(refusal(anAddon('chart', { registrations: [{ type: 'customSigner' }] })), /0: it names no signer/)
})

test('what a driver refuses does not keep the Secret from others', () => {
  const picky = {
    ...fakeDriver('csr'),
    declaration: ({ addon }: { addon: string }) => (addon === 'a-b' ? 'no' : { subject: {} }),
  }
  const old = anAddon('a-b', { registrations: [signerItem('cc.example.com/x')] }, 1)
  const young = anAddon('a', { registrations: [signerItem('b-cc.example.com/x')] }, 2)
  const plans = planOf([old, young], { ...drivers, csr: picky }, { namespace: 'agent', kubeClientDriver: 'csr' })
  assert.deepEqual(plans.get('a-b')?.refused, ['cc.example.com/x: no'])
  assert.equal(plans.get('a')?.items.length, 1)
})
