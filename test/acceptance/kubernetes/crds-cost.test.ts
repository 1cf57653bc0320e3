/** What rules in CEL may cost: refused with the definition if they could cost too much, ended when they do. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import facts from '../../support/crd-facts/costs.json' with { type: 'json' }
import { aDefinition, define, refusalOf } from '../../support/custom-resources.ts'
import { inParallel } from '../../support/in-parallel.ts'
import { kubeClient } from '../../support/kube-client.ts'

const start = async (t: TestContext): Promise<Kube> => kubeClient(t, (await startControlPlane(t)).connection())

const words: Readonly<Record<string, string>> = {
  SPEC: 'spec.validation.openAPIV3Schema.properties[spec].properties',
  SCHEMA: 'spec.validation.openAPIV3Schema',
  RULES: 'x-kubernetes-validations',
  HINT: '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
}

const written = (errors: readonly string[]): string[] =>
  errors.map((error) => error.replaceAll(/SPEC|SCHEMA|RULES|HINT/g, (word) => words[word] ?? word)).sort()

const refused = (kube: Kube, spec: object): Promise<string[]> =>
  refusalOf(kube.of(customResourceDefinitions).create(aDefinition({ versions: [{ spec }] }), { dryRun: true }))

/** A list of so many values that the factor by which its rule is over the limit shows the estimate to the last digit. */
const listOf = (items: object, { rule, most }: { rule: string; most: number }) => ({
  type: 'array',
  maxItems: most,
  items: { ...items, 'x-kubernetes-validations': [{ rule }] },
  ...(rule.includes('oldSelf') && { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['s10'] }),
})

/** An API server that has several cores looks at several definitions at once. */
const ask = <T>(facts: readonly T[], about: (fact: T) => Promise<unknown>) => inParallel(facts, about, 4)

describe('the cost of rules', needsControlPlane, () => {
  test('E14k: the estimate of every operator, macro and function is that of the API server', async (t) => {
    const kube = await start(t)
    await ask(facts.groups, async ({ rules, errors }) => {
      const properties = Object.fromEntries(rules.map((rule, index) => [`r${index}`, listOf(facts.schema, rule)]))
      assert.deepEqual(await refused(kube, { type: 'object', properties }), written(errors), JSON.stringify(rules))
    })
  })

  test('E14k: a rule may stand on a value of any type, and counts for as many as can be there', async (t) => {
    const kube = await start(t)
    await ask(facts.places, async ({ schema, rule, most, errors }) => {
      const spec = { type: 'object', properties: { r0: listOf(schema, { rule, most }) } }
      assert.deepEqual(await refused(kube, spec), written(errors), rule)
    })
    await ask(facts.schemas, async ({ spec, errors }) =>
      assert.deepEqual(await refused(kube, spec), written(errors), JSON.stringify(spec)),
    )
  })

  test('E14k: a rule that costs too much on an object ends, and so do all behind it', async (t) => {
    const kube = await start(t)
    const nested = 'self.list.all(x, self.list.all(y, x + y > 0))'
    // Costs 100,000 for each item, and takes next to no time.
    const dear = `self.few.all(x, !self.text.contains('${'b'.repeat(1000)}'))`
    const list = { type: 'array', maxItems: 1000, items: { type: 'integer' } }
    const few = { type: 'array', maxItems: 18, items: { type: 'integer' } }
    const text = { type: 'string', maxLength: 10_000 }
    const withRules = (...rules: string[]) => ({
      type: 'object',
      properties: { list, few, text },
      'x-kubernetes-validations': rules.map((rule) => ({ rule })),
    })
    const properties = {
      one: withRules(nested, 'false'),
      many: withRules(...Array.from({ length: 12 }, () => dear), 'false'),
    }
    const widgets = await define(t, kube, { scope: 'Cluster', versions: [{ spec: { type: 'object', properties } }] })
    const refusal = (spec: Record<string, unknown>) =>
      refusalOf(
        kube
          .of(widgets.of())
          .create(
            { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec },
            { dryRun: true },
          ),
      )
    const ones = (count: number) => Array.from({ length: count }, () => 1)
    assert.deepEqual(await refusal({ one: { list: ones(100) } }), ['spec.one: Invalid value: failed rule: false'])
    assert.deepEqual(await refusal({ one: { list: ones(900) } }), [
      `spec.one: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${nested}`,
    ])
    const many = (count: number) => ({ many: { few: ones(count), text: 'a'.repeat(10_000) } })
    assert.deepEqual(await refusal(many(8)), ['spec.many: Invalid value: failed rule: false'])
    assert.deepEqual(await refusal(many(9)), [
      'spec.many: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })
})
