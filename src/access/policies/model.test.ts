import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compilePolicies } from './compile.ts'
import type { PolicyFacts, PolicyVerdict } from './contract.ts'
import { known, policySets, requests, sessions } from './testing/arbitraries.ts'
import type { Refusal } from './testing/linear-model.ts'
import { slowRefusal } from './testing/linear-model.ts'

const { signal } = new AbortController()
const refusalOf = (verdict: PolicyVerdict): Refusal =>
  verdict.denied ? { policy: verdict.policy, isError: verdict.isError ?? false } : undefined

test('compiled policies refuse what a look at each of them in turn refuses, and name the same one', async () => {
  let [refusals, passes, errors] = [0, 0, 0]
  const sample = fc.asyncProperty(policySets, requests, known, sessions, async (policies, request, known, session) => {
    const set = compilePolicies(policies)
    let asked = 0
    const facts: PolicyFacts = {
      namespaceLabels: async () => {
        asked += 1
        return known.labels
      },
      pod: async () => undefined,
      isNamespaced: async () => known.isNamespaced,
    }
    const forAll = refusalOf(await set.evaluate(request, facts, signal))
    const forOne = refusalOf(await set.evaluateFor(session, request, facts, signal))
    assert.deepEqual(forAll, slowRefusal(policies, request, known))
    assert.deepEqual(forOne, slowRefusal(policies, request, known, session))
    assert.ok(asked <= 2, 'labels are asked for once an evaluation')
    if (forAll) assert.ok(set.mayMatch(request, []))
    if (forOne) assert.ok(set.mayMatch(request, [session]))
    refusals += Number(forAll !== undefined) + Number(forOne !== undefined)
    passes += Number(forAll === undefined) + Number(forOne === undefined)
    errors += Number(forAll?.isError ?? false)
  })
  await fc.assert(sample, { numRuns: 3_000 })
  assert.ok(refusals > 500 && passes > 500 && errors > 20, `${refusals} refused, ${passes} passed, ${errors} unread`)
})

test('what the labels do not change is answered at once', () => {
  const sample = fc.property(policySets, requests, (policies, request) => {
    const never: PolicyFacts = {
      namespaceLabels: () => new Promise(() => {}),
      pod: () => new Promise(() => {}),
      isNamespaced: () => new Promise(() => {}),
    }
    const verdict = compilePolicies(policies).evaluate(request, never, signal)
    const without = slowRefusal(policies, request, { labels: undefined, isNamespaced: undefined })
    if (!without?.isError) assert.ok(!(verdict instanceof Promise))
  })
  fc.assert(sample, { numRuns: 1_000 })
})
