import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attributes, ResourceAttributes } from '../authorization/attributes.ts'
import { decide } from './decide.ts'
import type { Level, Policy, Rule } from './policy.ts'
import { nothing } from './policy.ts'

const user = { name: 'jane', groups: ['dev', 'system:authenticated'] }

const policyOf = (...rules: (Omit<Rule, 'wanted'> & { level?: Level })[]): Policy => ({
  rules: rules.map(({ level = 'Metadata', ...rule }) => ({ ...rule, wanted: { ...nothing, level } })),
})

const about = (parts: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
  ...{
    user,
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'default',
    name: 'x',
  },
  ...parts,
})

const at = (path: string): Attributes => ({ user, verb: 'get', path })

const isTold = (rule: Omit<Rule, 'wanted'>, attributes: Attributes, by: typeof user | undefined = user): boolean =>
  decide(policyOf(rule), attributes, by).level !== 'None'

test('the first rule that matches decides', () => {
  const policy = policyOf({ level: 'Request', users: ['joe'] }, { level: 'None', verbs: ['get'] }, {})
  assert.equal(decide(policy, about(), user).level, 'None')
  assert.equal(decide(policy, about({ verb: 'list' }), user).level, 'Metadata')
  assert.equal(decide(policy, about(), { ...user, name: 'joe' }).level, 'Request')
})

test('what no rule matches is not wanted', () => {
  assert.equal(decide(policyOf({ users: ['joe'] }), about(), user).level, 'None')
})

test('a rule for users or groups is not for somebody whom nobody knows', () => {
  assert.equal(isTold({ userGroups: ['ops', 'dev'] }, about()), true)
  assert.equal(isTold({ userGroups: ['ops'] }, about()), false)
  const unknown = (rule: Omit<Rule, 'wanted'>) => decide(policyOf(rule), about(), undefined).level
  assert.deepEqual(
    [unknown({}), unknown({ users: ['jane'] }), unknown({ userGroups: ['dev'] })],
    ['Metadata', 'None', 'None'],
  )
})

test('a rule with resources or namespaces is not for paths, and one with paths not for resources', () => {
  assert.equal(isTold({ resources: [{ group: '' }] }, at('/version')), false)
  assert.equal(isTold({ namespaces: [''] }, at('/version')), false)
  assert.equal(isTold({ nonResourceURLs: ['*'] }, about()), false)
  assert.equal(isTold({}, at('/version')), true)
})

test('resources match by name, by subresource and by stars', () => {
  const log = about({ subresource: 'log' })
  const matches = (pattern: string, attributes: Attributes) =>
    isTold({ resources: [{ group: '', resources: [pattern] }] }, attributes)
  assert.deepEqual(
    ['pods', 'pods/log', 'pods/*', '*/log', '*/status', '*', 'nodes'].map((one) => [
      matches(one, about()),
      matches(one, log),
    ]),
    [
      [true, false],
      [false, true],
      [true, true],
      [false, true],
      [false, false],
      [true, true],
      [false, false],
    ],
  )
  assert.equal(isTold({ resources: [{ group: 'apps' }] }, about()), false)
})

test('names of resources count only with the resources they belong to', () => {
  const rule = { resources: [{ group: '', resources: ['pods'], resourceNames: ['x'] }] }
  assert.deepEqual(
    [isTold(rule, about()), isTold(rule, about({ name: 'y' })), isTold(rule, about({ name: '' }))],
    [true, false, false],
  )
})

test('paths match as a whole, or as a beginning with a star', () => {
  const rule = { nonResourceURLs: ['/version', '/healthz*'] }
  assert.deepEqual(
    ['/version', '/version/', '/healthz', '/healthz/ping', '/'].map((path) => isTold(rule, at(path))),
    [true, false, true, true, false],
  )
})
