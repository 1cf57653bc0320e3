import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base, checkPath } from './paths.ts'

const at = (id: string) => checkPath(`${base}/clusters/${id}/pull-secrets`)?.code

for (const id of ['a', 'cls-abc-123', '019466a0-8f8e-7abc-9def-0123456789ab', 'a.b_c', 'pull-secrets', 'x'.repeat(253)])
  test(`${id.slice(0, 40)} is an id of a cluster`, () => assert.equal(at(id), undefined))

for (const id of ['', '-a', 'a-', '..', 'a/b', 'a%2Fb', 'a b', 'é', 'x'.repeat(254), 'a/../b', 'a;b', 'a?b'])
  test(`"${id.slice(0, 40)}" is none`, () => assert.equal(at(id), 'PULL_BAD_CLUSTER_ID'))

test('other paths are not looked at', () => {
  for (const path of ['/', `${base}/clusters`, `${base}/credentials`, '/docs']) assert.equal(checkPath(path), undefined)
})
