import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyReserved } from './reserved-names.ts'

for (const name of ['kube-system', 'kube-node-lease', 'open-cluster-management-hub', 'work', 'registration'])
  test(`no cluster may be called ${name}`, () => assert.ok(whyReserved(name)))

for (const name of ['west', 'works', 'kube-system-2', 'default'])
  test(`a cluster may be called ${name}`, () => assert.equal(whyReserved(name), undefined))
