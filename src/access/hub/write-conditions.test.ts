import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { Condition } from '../../core/conditions.ts'
import { KubeFailure } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { reasons } from './reasons.ts'
import type { Finding } from './write-conditions.ts'
import { writeConditions } from './write-conditions.ts'

const policy = (
  resourceVersion: string,
  changes: Pick<DenyPolicy, 'status'> = {},
  generation = 1,
): Stored<DenyPolicy> => ({
  metadata: { name: 'p', uid: 'u', resourceVersion, generation },
  spec: {},
  ...changes,
})
const ready: Finding = { type: 'Ready', status: 'True', reason: reasons.ValidationSucceeded, message: 'fine' }
const other: Condition = {
  type: 'Other',
  status: 'True',
  reason: 'a',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}
const now = new Date('2026-05-01T10:00:00Z')

/** A server on which one version is the current one. */
function server(current: Stored<DenyPolicy> | undefined) {
  const written: { metadata: object; status: { conditions: { type: string }[] } }[] = []
  const collection = {
    async patch(
      _name: string,
      { body }: { body: (typeof written)[number] & { metadata: { resourceVersion: string } } },
    ) {
      if (body.metadata.resourceVersion !== current?.metadata.resourceVersion)
        throw new KubeFailure({ code: 409, reason: 'Conflict' }, { method: 'PATCH', path: '/' })
      written.push(body)
    },
    find: async () => current,
  }
  const kube = { of: () => collection } as unknown as Kube
  const write = (seen: Stored<DenyPolicy>, findings = [ready]) =>
    writeConditions(kube, DenyPolicy.resource, seen, findings, { now, signal: new AbortController().signal })
  return { written, write }
}

test('conditions of others stay, and what another wrote in between is kept', async () => {
  const { written, write } = server(policy('2', { status: { conditions: [other] } }))
  await write(policy('1'))
  assert.deepEqual(
    written.map(({ status }) => status.conditions.map(({ type }) => type)),
    [['Other', 'Ready']],
  )
})

test('what is said already is not written again', async () => {
  const said = { ...ready, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }
  const { written, write } = server(policy('1'))
  const before = await write(policy('1', { status: { observedGeneration: 1, conditions: [said] } }))
  assert.ok(before)
  assert.deepEqual(written, [])
})

test('nothing is said of another object than was looked at', async () => {
  for (const current of [
    undefined,
    policy('2', {}, 2),
    { ...policy('2'), metadata: { ...policy('2').metadata, uid: 'x' } },
  ]) {
    const { written, write } = server(current)
    assert.equal(await write(policy('1')), undefined)
    assert.deepEqual(written, [])
  }
})
