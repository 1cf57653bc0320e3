import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chapters } from '../chapters/index.ts'
import { named } from '../step.ts'
import { allowed } from './index.ts'

const steps = new Map(
  Object.values(chapters)
    .flat()
    .map(({ title, steps }) => [title, new Set(named(steps).map(({ name }) => name))]),
)

test('what may differ is a step of a chapter, and says why', () => {
  for (const { chapter, step, why, lines } of allowed) {
    assert.ok(steps.get(chapter)?.has(step), `${chapter}: ${step}`)
    assert.ok(why.length > 0 && lines.length > 0, `${chapter}: ${step}`)
  }
})

test('chapters have names of their own', () => {
  assert.equal(steps.size, Object.values(chapters).flat().length)
})
