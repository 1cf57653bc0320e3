/** What a real kube-apiserver says to every expression of a long list is what is said here. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import facts from '../../../../test/support/cel-facts/functions.json' with { type: 'json' }
import { compile } from '../cel.ts'

interface Fact {
  readonly expression: string
  readonly value?: boolean
  /** What evaluating it fails with. */
  readonly error?: string
  /** Why it cannot be compiled. */
  readonly refused?: string
}

function answerOf(expression: string): Fact {
  try {
    const program = compile(expression, ['self'])
    if (program.type !== 'bool') return { expression, refused: 'cel expression must evaluate to a bool' }
    return resultOf(expression, () => program({ self: { x: 'a' } }) as boolean)
  } catch (error) {
    return { expression, refused: (error as Error).message }
  }
}

function resultOf(expression: string, run: () => boolean): Fact {
  try {
    return { expression, value: run() }
  } catch (error) {
    return { expression, error: (error as Error).message }
  }
}

describe('expressions are answered as by Kubernetes', () => {
  for (const [family, all] of Object.entries(facts) as [string, Fact[]][])
    test(`${family}: ${all.length} of them`, () => {
      assert.deepEqual(
        all.map(({ expression }) => answerOf(expression)),
        all,
      )
    })
})
