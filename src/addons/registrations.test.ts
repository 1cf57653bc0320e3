import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installNamespaceAnnotation } from '../apis/addon/conversion.ts'
import { anAddon, kubeClientItem, signerItem } from './agent/testing/builders.ts'
import { installNamespaceOf, itemName, itemsOf, unusableOf } from './registrations.ts'

test('an add-on is where its status says, else where it was asked to be, else in the namespace of all', () => {
  const addon = anAddon('chart', { namespace: 'said' })
  addon.metadata.annotations = { [installNamespaceAnnotation]: 'asked' }
  assert.equal(installNamespaceOf(addon), 'said')
  assert.equal(installNamespaceOf({ ...addon, status: {} }), 'asked')
  assert.equal(installNamespaceOf(anAddon('chart')), 'open-cluster-management-agent-addon')
})

test('each registration is an item with its own Secret, in its place', () => {
  const addon = anAddon('chart', { registrations: [signerItem('a.example.com/x'), kubeClientItem] })
  assert.deepEqual(
    itemsOf(addon).map((item) => [item.index, itemName(item), item.secret.name]),
    [
      [0, 'a.example.com/x', 'chart-a.example.com-x-client-cert'],
      [1, 'kubeClient', 'chart-hub-kubeconfig'],
    ],
  )
})

test('a custom signer without a name is no item, and is told of', () => {
  const addon = anAddon('chart', { registrations: [kubeClientItem, { type: 'customSigner' }] })
  assert.equal(itemsOf(addon).length, 1)
  assert.deepEqual(unusableOf(addon), ['registration 1: it names no signer'])
})

test('an add-on has a hundred registrations at most, and those after them are told of', () => {
  const registrations = Array.from({ length: 10_000 }, (_, n) => signerItem(`example.com/${n}`))
  const addon = anAddon('chart', { registrations })
  assert.equal(itemsOf(addon).length, 100)
  assert.deepEqual(unusableOf(addon), ['registration 100 and those after it: an add-on has 100 at most'])
})
