/** Rules in CEL in a CustomResourceDefinition: what they may say, and what they make of objects. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import syntax from '../../support/crd-facts/rule-syntax.json' with { type: 'json' }
import values from '../../support/crd-facts/rule-values.json' with { type: 'json' }
import rules from '../../support/crd-facts/rules.json' with { type: 'json' }
import { aDefinition, define, refusalOf } from '../../support/custom-resources.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { inParallel } from '../../support/in-parallel.ts'
import { kubeClient } from '../../support/kube-client.ts'

async function start(t: TestContext) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  return { admin, namespace: await freshNamespace(t, admin) }
}

/** A rule is printed as a whole before what is wrong with it, and its type has a name that is made up each time. */
const plain = (error: string): string =>
  error
    .replace(/Invalid value: \{"Rule".*?"OptionalOldSelf":\w+\}: /s, 'Invalid value: RULE: ')
    .replaceAll(/selfType\d+/g, 'selfType')
    .replaceAll('spec.validation.openAPIV3Schema', 'ROOT')
    .replaceAll('ROOT.properties[spec]', 'SPEC')

async function refused(kube: Kube, schema: object): Promise<string[]> {
  const definition = aDefinition({ versions: [{ schema }] })
  return (await refusalOf(kube.of(customResourceDefinitions).create(definition, { dryRun: true }))).map(plain)
}

const withSpec = (spec: object) => ({ type: 'object', properties: { spec } })

describe('rules in CEL of custom resources', needsControlPlane, () => {
  test('E14r: a rule is compiled against its schema, and every flaw of it is told with its place', async (t) => {
    const { admin } = await start(t)
    const { properties } = rules
    await inParallel(rules.rules, async ({ errors, ...rule }) => {
      const spec = { type: 'object', properties, 'x-kubernetes-validations': [rule] }
      const told = await refused(admin, withSpec(spec))
      const own = told.map((error) => error.replace('SPEC.x-kubernetes-validations[0].', ''))
      assert.deepEqual(own, errors.toSorted(), JSON.stringify(rule))
    })
  })

  test('E14r: what is no expression is told in the words of the parser', async (t) => {
    const { admin } = await start(t)
    const text = { type: 'string', maxLength: 10 }
    const properties = {
      a: text,
      b: text,
      list: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 3 } },
    }
    await inParallel(syntax, async ({ rule, error }) => {
      const spec = { type: 'object', properties, 'x-kubernetes-validations': [{ rule, message: 'm' }] }
      const told = await refused(admin, withSpec(spec))
      assert.deepEqual(told, [`SPEC.x-kubernetes-validations[0].rule: Invalid value: RULE: ${error}`], rule)
    })
  })

  test('E14r: where rules may stand, where oldSelf means something, and that defaults pass them', async (t) => {
    const { admin } = await start(t)
    await inParallel(rules.schemas as { root?: object; spec?: object; errors: string[] }[], async (fact) => {
      const told = await refused(admin, fact.root ?? withSpec(fact.spec ?? {}))
      assert.deepEqual(told, fact.errors.toSorted(), JSON.stringify(fact.root ?? fact.spec))
    })
  })

  test('E14r: an unknown function makes a definition refused, and it is not there then', async (t) => {
    const { admin } = await start(t)
    const definition = aDefinition({
      versions: [{ spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'frobnicate(self)' }] } }],
    })
    const collection = admin.of(customResourceDefinitions)
    const [why = ''] = await refusalOf(collection.create(definition))
    assert.match(why, /undeclared reference to 'frobnicate' \(in container ''\)/)
    assert.equal(await collection.find(definition.metadata.name), undefined)
  })

  test('E14r: a rule holds or fails on a value as its expression says, errors of evaluation included', async (t) => {
    const { admin, namespace } = await start(t)
    const fields = values.runs.map(({ rule }, index): [string, object] => [
      `r${index}`,
      { type: 'object', properties: values.properties, 'x-kubernetes-validations': [{ rule }] },
    ])
    const spec = { type: 'object', properties: Object.fromEntries(fields) }
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const collection = admin.of(widgets.of(), namespace)
    const questions = values.runs.flatMap(({ rule, values: asked }, index) =>
      asked.map((one) => ({ rule, field: `r${index}`, ...one })),
    )
    await inParallel(questions, async ({ rule, field, value, errors }) => {
      const widget = { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name: 'w' } }
      const told = await refusalOf(collection.create({ ...widget, spec: { [field]: value } }, { dryRun: true }))
      const own = told.map((error) => error.replace(`spec.${field}: `, ''))
      assert.deepEqual(own, errors, `${rule} on ${JSON.stringify(value)}`)
    })
  })

  test('E14r: names that every object of JavaScript has are names and formats like others', async (t) => {
    const { admin, namespace } = await start(t)
    const text = (format: string) => ({
      type: 'string',
      format,
      'x-kubernetes-validations': [{ rule: "self.size() == 1 && self != 'b'", message: format }],
    })
    const spec = {
      type: 'object',
      required: ['constructor'],
      properties: {
        constructor: text('constructor'),
        valueOf: text('hasOwnProperty'),
        toString: { type: 'string', default: 'a' },
        number: { type: 'string', 'x-kubernetes-validations': [{ rule: 'double(self) > 0.0' }] },
      },
    }
    const widgets = await define(t, admin, { versions: [{ spec }] })
    const collection = admin.of(widgets.of(), namespace)
    const create = (fields: Record<string, unknown>) =>
      collection.create(
        { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name: 'w' }, spec: fields },
        { dryRun: true },
      )
    assert.equal((await create({ constructor: 'a', valueOf: 'a' })).spec?.['toString'], 'a')
    assert.deepEqual(await refusalOf(create({})), [
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      'spec.constructor: Required value',
    ])
    assert.deepEqual(await refusalOf(create({ constructor: 'b', valueOf: 'b', number: 'constructor' })), [
      'spec.constructor: Invalid value: "b": constructor',
      `spec.number: Invalid value: "string": type conversion error from 'string' to 'double' evaluating rule: double(self) > 0.0`,
      'spec.valueOf: Invalid value: "b": hasOwnProperty',
    ])
  })
})
