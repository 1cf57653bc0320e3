import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { processorMs } from '../../../test/support/processor-time.ts'
import { describeRights, missingRights } from './rule-coverage.ts'

const rule = (groups: string, resources: string, verbs: string, names = ''): PolicyRule => ({
  apiGroups: groups.split(','),
  resources: resources.split(','),
  verbs: verbs.split(','),
  ...(names && { resourceNames: names.split(',') }),
})
const paths = (urls: string, verbs = 'get'): PolicyRule => ({
  nonResourceURLs: urls.split(','),
  verbs: verbs.split(','),
})
const covers = (held: PolicyRule[], ...wanted: PolicyRule[]) => missingRights(held, wanted).missing.length === 0

test('rights of several rules add up, thing by thing', () => {
  assert.equal(covers([rule('', 'pods', 'get'), rule('', 'pods', 'list')], rule('', 'pods', 'get,list')), true)
  assert.equal(covers([rule('', 'pods', 'get'), rule('apps', 'pods', 'get')], rule(',apps', 'pods', 'get')), true)
  assert.equal(
    covers([rule('', 'pods', 'get', 'a'), rule('', 'pods', 'get', 'b')], rule('', 'pods', 'get', 'a,b')),
    true,
  )
  assert.equal(covers([rule('', 'pods', 'get', 'a')], rule('', 'pods', 'get')), false)
  assert.equal(covers([rule('', 'pods', 'get')], rule('', 'pods', 'get', 'a')), true)
})

test('a star is covered by a star only', () => {
  assert.equal(covers([rule('', 'pods', 'get,list,watch')], rule('', 'pods', '*')), false)
  assert.equal(covers([rule('*', '*', '*')], rule('*', '*', '*'), rule('x', 'y/z', 'get', 'n')), true)
  assert.equal(covers([rule('*', '*', '*')], paths('/x')), false)
  assert.equal(covers([rule('', '*/log', 'get')], rule('', 'pods/log', 'get')), true)
  assert.equal(covers([rule('', '*/log', 'get')], rule('', 'pods', 'get')), false)
})

test('paths are covered by themselves and by a star at the end', () => {
  assert.equal(covers([paths('/logs/*')], paths('/logs/a,/logs/a/*,/logs/*')), true)
  assert.equal(covers([paths('/logs/*')], paths('/logs')), false)
  assert.equal(covers([paths('*')], paths('/anything', 'get')), true)
  assert.equal(covers([paths('*')], paths('/anything', 'post')), false)
})

test('what is missing is told thing by thing, verbs together, in the order of the text', () => {
  const { missing } = missingRights(
    [],
    [rule('b', 'x', 'list,get'), rule('a', 'y', 'get', 'n'), paths('/p', 'get,post')],
  )
  assert.deepEqual(describeRights(missing), [
    '{APIGroups:["a"], Resources:["y"], ResourceNames:["n"], Verbs:["get"]}',
    '{APIGroups:["b"], Resources:["x"], Verbs:["list" "get"]}',
    '{NonResourceURLs:["/p"], Verbs:["get"]}',
    '{NonResourceURLs:["/p"], Verbs:["post"]}',
  ])
})

test('F13f: a rule that stands for more rights than memory could hold is looked at within milliseconds', () => {
  const list = (prefix: string) => Array.from({ length: 30_000 }, (_, at) => `${prefix}${at}`)
  const huge = { apiGroups: list('g'), resources: list('r'), verbs: list('v'), resourceNames: list('n') }
  const usedMs = processorMs(() => {
    const { missing, isCutOff } = missingRights([rule('', 'pods', 'get')], [huge])
    assert.deepEqual([missing.length, isCutOff], [1_000, true])
    assert.equal(missingRights([rule('*', '*', '*')], [huge]).missing.length, 0)
    assert.equal(missingRights([huge], [huge]).isCutOff, false)
  })
  assert.ok(usedMs < 1_000, `${usedMs} ms`)
})

test('what is more than can be compared is never taken for granted', () => {
  const verbs = Array.from({ length: 2_000 }, (_, at) => `v${at}`)
  const names = Array.from({ length: 2_000 }, (_, at) => `n${at}`)
  const wanted = { apiGroups: [''], resources: ['pods'], verbs, resourceNames: names }
  // Held by two rules, so that it has to be taken apart.
  const half = (from: number) => ({ ...wanted, resourceNames: names.slice(from, from + 1_000) })
  assert.deepEqual(missingRights([half(0), half(1_000)], [wanted]), { missing: [], isCutOff: true })
})
