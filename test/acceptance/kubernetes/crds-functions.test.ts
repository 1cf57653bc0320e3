/** The functions that rules in CEL may use: what compiles, what it comes to, and in which words it fails. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import facts from '../../support/cel-facts/functions.json' with { type: 'json' }
import objects from '../../support/cel-facts/objects.json' with { type: 'json' }
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Defined } from '../../support/custom-resources.ts'
import { aDefinition, define, refusalOf } from '../../support/custom-resources.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'

/** An expression, and one of three: what it comes to, why it fails then, or why it cannot be compiled. */
interface Fact {
  readonly expression: string
  readonly value?: boolean
  readonly error?: string
  readonly refused?: string
}

async function start(t: TestContext) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  return { admin, namespace: await freshNamespace(t, admin) }
}

const families = Object.entries(facts) as [family: string, facts: Fact[]][]

/** Each family is a field, and its expressions are rules of it. */
const specWith = (isWanted: (fact: Fact) => boolean) => ({
  type: 'object',
  properties: Object.fromEntries(
    families.map(([family, all]) => [
      family,
      {
        type: 'object',
        properties: { x: { type: 'string' } },
        'x-kubernetes-validations': all
          .filter(isWanted)
          .map(({ expression }, index) => ({ rule: expression, message: `#${index}` })),
      },
    ]),
  ),
})

const isRefused = ({ refused }: Fact): boolean => refused !== undefined
const isCompiled = (fact: Fact): boolean => !isRefused(fact)

const expectedRefusals = (all: readonly Fact[]): string[] =>
  all.filter(isRefused).map(({ refused }, index) => `${index} ${refused}`)

/** The words for a rule that is not kept, for one that failed, and for one whose arguments fit no function. */
function expectedFailures(all: readonly Fact[]): string[] {
  return all.filter(isCompiled).flatMap(({ value, error }, index) => {
    if (error?.startsWith('no such overload'))
      return `"object": '${error}': call arguments did not match a supported operator, function or macro signature for rule: #${index}`
    if (error !== undefined) return `"object": ${error} evaluating rule: #${index}`
    return value ? [] : `#${index}`
  })
}

const trial = (admin: Kube, kind: Defined, namespace: string, spec: object): Promise<string[]> =>
  refusalOf(
    admin.of(kind.of()).create(
      {
        apiVersion: `${kind.group}/v1`,
        kind: 'Widget',
        metadata: { name: 'a', namespace },
        spec: spec as Record<string, unknown>,
      },
      { dryRun: true },
    ),
  )

const sorted = (lines: readonly string[]): string[] => [...lines].sort()

describe('the functions of rules', needsControlPlane, () => {
  test('E14f: an expression that Kubernetes does not compile is refused with the definition, in its words', async (t) => {
    const { admin } = await start(t)
    const definition = aDefinition({ versions: [{ spec: specWith(isRefused) }] })
    const told = await refusalOf(admin.of(customResourceDefinitions).create(definition, { dryRun: true }))
    for (const [family, all] of families) {
      const place = `spec.validation.openAPIV3Schema.properties[spec].properties[${family}].x-kubernetes-validations`
      const found = told.filter((line) => line.startsWith(place))
      const shortened = found.map((line) =>
        line.replace(/^.*?-validations\[(\d+)\].*?"OptionalOldSelf":null\}: /s, '$1 '),
      )
      assert.deepEqual(sorted(shortened), sorted(expectedRefusals(all)), family)
    }
  })

  test('E14f: every expression of every family of functions comes to what it does in Kubernetes', async (t) => {
    const { admin, namespace } = await start(t)
    const kind = await define(t, admin, { versions: [{ spec: specWith(isCompiled) }] })
    const spec = Object.fromEntries(families.map(([family]) => [family, { x: 'a' }]))
    const told = await trial(admin, kind, namespace, spec)
    for (const [family, all] of families) {
      const place = `spec.${family}: Invalid value: `
      const found = told.filter((line) => line.startsWith(place)).map((line) => line.slice(place.length))
      assert.deepEqual(sorted(found), sorted(expectedFailures(all)), family)
    }
  })

  test('E14f: objects are held to rules that use each family, and told which of them they break', async (t) => {
    const { admin, namespace } = await start(t)
    const properties = Object.fromEntries(
      objects.map(({ family, schema, rule }) => [
        family,
        { ...schema, 'x-kubernetes-validations': [{ rule, message: `${family} are not as they should be` }] },
      ]),
    )
    const kind = await define(t, admin, { versions: [{ spec: { type: 'object', properties } }] })
    for (const { family, good, bad } of objects) {
      for (const value of good) assert.deepEqual(await trial(admin, kind, namespace, { [family]: value }), [], family)
      for (const value of bad) {
        const [flaw, ...more] = await trial(admin, kind, namespace, { [family]: value })
        assert.match(flaw ?? '', new RegExp(`^spec\\.${family}: Invalid value: .*${family} are not as they should be$`))
        assert.deepEqual(more, [], JSON.stringify(value))
      }
    }
  })
})
