import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { copyName, legal, nameRules, ownerMark } from './names.ts'

const clusterId = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/)

test('a cluster id that is legal everywhere is used as it is', () => {
  const id = '019466a0-8f8e-7abc-9def-0123456789ab'
  for (const rules of [nameRules.kubernetes, nameRules.aws, nameRules.google, nameRules.azure, nameRules.vault])
    assert.equal(copyName(id, rules), `hyperfleet-${id}-pull-secret`)
})

test('ids that differ only in what a store cannot tell apart get different names', () => {
  const names = ['a.b', 'a-b', 'A-b', 'a_b', 'a-B'].map((id) => copyName(id, nameRules.kubernetes))
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.includes('hyperfleet-a-b-pull-secret'))
})

test('every id makes a name that its store accepts', () => {
  const patterns = {
    kubernetes: /^[a-z0-9]([a-z0-9-]{0,251}[a-z0-9])?$/,
    aws: /^[A-Za-z0-9/_+=.@-]{1,512}$/,
    google: /^[A-Za-z0-9_-]{1,255}$/,
    azure: /^[A-Za-z0-9-]{1,127}$/,
    vault: /^[A-Za-z0-9._-]{1,253}$/,
  } as const
  fc.assert(
    fc.property(clusterId, (id) => {
      for (const [store, pattern] of Object.entries(patterns))
        assert.match(copyName(id, nameRules[store as keyof typeof patterns]), pattern)
      assert.match(legal(id, nameRules.label), /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/)
      assert.match(legal(id, nameRules.googleLabel), /^[a-z0-9_-]{1,63}$/)
    }),
  )
})

test('the mark of an owner tells installations and clusters apart', () => {
  const marks = [ownerMark('a', 'b'), ownerMark('a', 'c'), ownerMark('b', 'b'), ownerMark('ab', '')]
  assert.equal(new Set(marks).size, marks.length)
})
