import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kube } from '../../../kube/kube.ts'
import type { HubDeps } from '../../hub/deps.ts'
import { csrEffects } from './hub-effects.ts'
import type { SeenRequest } from './hub-requests.ts'

test('a record is written onto the very cluster it was read for, not onto a later one of its name', async () => {
  const written: unknown[] = []
  const kube = { of: () => ({ patch: async (_: string, patch: { body: unknown }) => written.push(patch.body) }) }
  const at = new Date('2026-03-01T12:00:00Z')
  const issued = { agent: 'a1', issuedAt: at, expiresAt: at, fingerprint: 'f', version: '1' }
  const effects = csrEffects({ kube: kube as unknown as Kube } as HubDeps, new AbortController().signal)
  const cluster = { metadata: { name: 'west', uid: 'first', resourceVersion: '1' } }
  await effects.record(cluster, [{ issued } as SeenRequest])
  assert.equal((written[0] as typeof cluster).metadata.uid, 'first')
})
