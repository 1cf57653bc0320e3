import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bySeniorityIn } from './seniority.ts'

const one = (name: string, second: number, place?: string) => ({
  metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
  ...(place && {
    status: { relatedResources: [{ group: '', version: 'v1', resource: 'r', namespace: place, name: 'n' }] },
  }),
})
const first = (...all: ReturnType<typeof one>[]) => all.sort(bySeniorityIn('here'))[0]?.metadata.name

test('whoever is there stays there, then the oldest, then by name', () => {
  assert.equal(first(one('b', 1), one('a', 2)), 'b')
  assert.equal(first(one('b', 1), one('a', 1)), 'a')
  assert.equal(first(one('a', 1), one('b', 1, 'here')), 'b')
  assert.equal(first(one('a', 1, 'elsewhere'), one('b', 2, 'here')), 'b')
})
