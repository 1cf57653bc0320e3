import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Rule } from './matching.ts'
import { candidateOf, ruleMatches, selectsNamespace, selectsObject } from './matching.ts'
import { aKind, aWrite, kinds, served } from './testing/scene.ts'
import type { Webhook } from './webhooks.ts'

const aRule = (rule: Partial<Rule> = {}): Rule => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*'],
  ...rule,
})

const aWebhook = (webhook: Partial<Webhook> = {}): Webhook => ({
  type: 'mutating',
  configuration: 'all',
  name: 'a.example.com',
  clientConfig: {},
  timeoutMs: 10_000,
  rules: [aRule()],
  takesEquivalent: true,
  namespaceSelector: [],
  objectSelector: [],
  conditions: [],
  ignoresFailure: false,
  hasSideEffects: false,
  reviewVersions: ['v1'],
  isReinvocable: false,
  ...webhook,
})

const target = (subresource = '') => ({ operation: 'CREATE', served: served(kinds.pods), subresource }) as const
const matches = (rule: Partial<Rule>, subresource = '') =>
  ruleMatches(aRule(rule), target(subresource), served(kinds.pods))

describe('a rule', () => {
  const table: [what: string, rule: Partial<Rule>, subresource: string, expected: boolean][] = [
    ['names the operation', { operations: ['UPDATE', 'CREATE'] }, '', true],
    ['names another operation', { operations: ['DELETE'] }, '', false],
    ['names the group', { apiGroups: [''] }, '', true],
    ['names another group', { apiGroups: ['apps'] }, '', false],
    ['names the version', { apiVersions: ['v1'] }, '', true],
    ['names another version', { apiVersions: ['v2'] }, '', false],
    ['names the resource', { resources: ['pods'] }, '', true],
    ['names another resource', { resources: ['services'] }, '', false],
    ['names the resource, not its part', { resources: ['pods'] }, 'status', false],
    ['names all resources, not their parts', { resources: ['*'] }, 'status', false],
    ['names a part', { resources: ['pods/status'] }, 'status', true],
    ['names another part', { resources: ['pods/log'] }, 'status', false],
    ['names all parts, and so the whole', { resources: ['pods/*'] }, '', true],
    ['names all parts', { resources: ['pods/*'] }, 'status', true],
    ['names everything', { resources: ['*/*'] }, 'status', true],
    ['names a part of all', { resources: ['*/status'] }, 'status', true],
    ['names a part of all, not the whole', { resources: ['*/status'] }, '', false],
    ['wants what is in namespaces', { scope: 'Namespaced' }, '', true],
    ['wants what is not', { scope: 'Cluster' }, '', false],
    ['does not mind', { scope: '*' }, '', true],
  ]
  for (const [what, rule, subresource, expected] of table)
    test(`that ${what} ${expected ? 'matches' : 'does not match'}${subresource && ` pods/${subresource}`}`, () => {
      assert.equal(matches(rule, subresource), expected)
    })

  test('takes a namespace for what is in none', () => {
    const namespace = served(kinds.namespaces)
    const write = { operation: 'CREATE', served: namespace, subresource: '' } as const
    assert.equal(ruleMatches(aRule({ scope: 'Cluster' }), write, namespace), true)
    assert.equal(ruleMatches(aRule({ scope: 'Namespaced' }), write, namespace), false)
  })
})

describe('a webhook', () => {
  const [v1, v2] = [served(kinds.widgets, 'v1'), served(kinds.widgets, 'v2')]
  const write = { operation: 'CREATE', served: v2, subresource: '' } as const

  test('is shown the version of the request where a rule has it, another one where only that has a rule', () => {
    const both = aWebhook({ rules: [aRule({ apiVersions: ['v1'] }), aRule({ apiVersions: ['v2'] })] })
    assert.equal(candidateOf(both, write, [v1])?.served, v2)
    const older = aWebhook({ rules: [aRule({ apiVersions: ['v1'] })] })
    assert.equal(candidateOf(older, write, [v1])?.served, v1)
    assert.equal(candidateOf({ ...older, takesEquivalent: false }, write, [v1]), undefined)
    assert.equal(candidateOf(older, write, []), undefined)
  })

  const red = [{ key: 'colour', operator: '=', values: ['red'] }] as const
  const labelled = (colour?: string) => ({ metadata: { name: 'x', ...(colour && { labels: { colour } }) } })

  test('selects an object as it is to be, or as it was', () => {
    const webhook = aWebhook({ objectSelector: red })
    const selects = (object?: string | null, old?: string | null) =>
      selectsObject(webhook, {
        object: object === null ? undefined : aWrite(kinds.pods, { object: labelled(object) }).object,
        old: old === null ? undefined : aWrite(kinds.pods, { old: labelled(old) }).old,
      })
    assert.deepEqual(
      [selects('red', null), selects('blue', null), selects('blue', 'red'), selects(undefined, 'blue')],
      [true, false, true, false],
    )
    assert.equal(selects(null, 'red'), true)
    assert.equal(selectsObject(aWebhook(), { object: undefined, old: undefined }), true)
  })

  test('selects by the labels of the namespace, of a namespace by its own to be', () => {
    const webhook = aWebhook({ namespaceSelector: red })
    const labelsOf = (namespace: string): Record<string, string> => (namespace === 'red-home' ? { colour: 'red' } : {})
    const selects = (write: Parameters<typeof aWrite>) => selectsNamespace(webhook, aWrite(...write), labelsOf)
    assert.equal(selects([kinds.pods, { namespace: 'red-home' }]), true)
    assert.equal(selects([kinds.pods]), false)
    assert.equal(selects([kinds.nodes]), true)
    assert.equal(selects([kinds.namespaces, { name: 'red-home' }]), false)
    assert.equal(selects([kinds.namespaces, { object: labelled('red') }]), true)
    assert.equal(selects([kinds.namespaces, { name: 'red-home', operation: 'DELETE' }]), true)
  })

  test('without a selector does not look for the namespace', () => {
    const labelsOf = () => {
      throw new Error('nobody asked')
    }
    assert.equal(selectsNamespace(aWebhook(), aWrite(aKind('', 'Thing', 'things')), labelsOf), true)
  })
})
