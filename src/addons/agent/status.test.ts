import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../core/conditions.ts'
import type { Stored } from '../../kube/objects.ts'
import { reasons } from '../reasons.ts'
import { planOf } from './plan.ts'
import type { AddonFacts } from './status.ts'
import { addonStatusPatch } from './status.ts'
import { anAddon, fakeDriver, kubeClientItem, signerItem } from './testing/builders.ts'

const now = new Date('2026-01-02T03:04:05Z')
const lastTransitionTime = '2026-01-01T00:00:00Z'
const drivers = { csr: fakeDriver('csr'), token: fakeDriver('token') }
const applied = (status: Condition['status'], reason: string): Condition => ({
  type: 'RegistrationApplied',
  status,
  reason,
  message: 'm',
  lastTransitionTime,
})

function patchOf(addon: Stored<ManagedClusterAddOn>, facts: Partial<AddonFacts> = {}) {
  const plans = planOf([addon], drivers, { namespace: 'agent', kubeClientDriver: 'token' })
  const plan = plans.get(addon.metadata.name) ?? { items: [], refused: [] }
  return addonStatusPatch(addon, { plan, conditions: [], isComplete: false, hasToldTrouble: false, ...facts }, now)
}
const after = (addon: Stored<ManagedClusterAddOn>, facts?: Partial<AddonFacts>) =>
  patchOf(addon, facts)?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)

test('what is missing in registrations is declared, and the rest of them stays', () => {
  const subject = { user: 'u', groups: ['g'] }
  const addon = anAddon('chart', {
    registrations: [
      { type: 'kubeClient', kubeClient: { subject } },
      { type: 'customSigner', customSigner: { signerName: 'example.com/one', subject: { user: 'csr:chart' } } },
      signerItem('example.com/two'),
    ],
  })
  assert.deepEqual(patchOf(addon)?.registrations, [
    { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user: 'token:chart' } } },
    { type: 'customSigner', customSigner: { signerName: 'example.com/one', subject: { user: 'csr:chart' } } },
    { type: 'customSigner', customSigner: { signerName: 'example.com/two', subject: { user: 'csr:chart' } } },
  ])
})

test('nothing is written when the hub has everything', () => {
  const kubeClient = { driver: 'token' as const, subject: { user: 'token:chart' } }
  const registrations = [{ type: 'kubeClient' as const, kubeClient }]
  const addon = anAddon('chart', { registrations })
  const conditions = patchOf(addon)?.conditions
  assert.deepEqual(
    conditions?.map(({ reason }) => reason),
    [reasons.RegistrationDeclared],
  )
  assert.equal(patchOf(anAddon('chart', { registrations, conditions: conditions ?? [] })), undefined)
  assert.equal(patchOf(anAddon('chart')), undefined)
})

test('what was told of a credential goes once every item has spoken and none tells of it', () => {
  const told = { type: 'TokenRefreshed', status: 'True' as const, reason: 'x', message: 'm', lastTransitionTime }
  const addon = anAddon('chart', { conditions: [told] })
  assert.equal(patchOf(addon), undefined)
  assert.deepEqual(patchOf(addon, { isComplete: true })?.conditions, [])
  const still = { type: 'TokenRefreshed', status: 'True' as const, reason: reasons.AddonTokenRefreshed, message: 'n' }
  assert.deepEqual(after(addon, { isComplete: true, conditions: [still] }), ['TokenRefreshed True AddonTokenRefreshed'])
})

test('the condition that hubs of the field write too is theirs, unless something is wrong, and then told once', () => {
  const theirs = applied('True', 'SetPermissionApplied')
  const good = anAddon('chart', { registrations: [kubeClientItem], conditions: [theirs] })
  assert.equal(patchOf(good)?.conditions, undefined)
  const bad = anAddon('chart', { registrations: [{ type: 'customSigner' }], conditions: [theirs] })
  assert.deepEqual(after(bad), ['RegistrationApplied False RegistrationRefused'])
  assert.equal(patchOf(bad, { hasToldTrouble: true }), undefined, 'the other writer has the last word')
  const failed = { trouble: 'the Secrets could not be put in order' }
  assert.deepEqual(after(good, failed), ['RegistrationApplied False RegistrationFailed'])
  const ours = anAddon('chart', {
    registrations: [kubeClientItem],
    conditions: [applied('False', 'RegistrationFailed')],
  })
  assert.deepEqual(after(ours), ['RegistrationApplied True RegistrationDeclared'])
  const none = anAddon('chart', { conditions: [applied('False', 'RegistrationRefused')] })
  assert.deepEqual(after(none), [])
})
