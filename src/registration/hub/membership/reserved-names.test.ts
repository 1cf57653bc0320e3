import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyReserved } from './reserved-names.ts'

const reserved = ['default', 'kube-system', 'kube-node-lease', 'open-cluster-management-hub', 'work', 'registration']
for (const name of [...reserved, 'managed-clusters'])
  test(`no cluster may be called ${name}`, () => assert.ok(whyReserved(name)))

for (const name of ['west', 'works', 'kube-system-2', 'default-2'])
  test(`a cluster may be called ${name}`, () => assert.equal(whyReserved(name), undefined))

test('no cluster may have the namespace that the hub runs in', () => {
  assert.ok(whyReserved('own-hub', 'own-hub'))
  assert.equal(whyReserved('own-hub-2', 'own-hub'), undefined)
})
