import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { secrets } from '../../kube/kinds.ts'
import { keepRotatedIn } from './keep-rotated.ts'

const place = { namespace: 'hub', name: 'offline', keys: ['token'], field: 'spec.oidcAuth.refreshTokenSecretRef' }
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('the successor goes under its own key, and nothing else is touched', async () => {
  const kube = new MemoryKube(new FakeClock())
  const held = kube.of(secrets, 'hub')
  await held.create({ metadata: { namespace: 'hub', name: 'offline' }, data: { token: base64('first') } })
  await keepRotatedIn(kube)(place, 'rotated', 'second')
  assert.deepEqual((await held.get('offline')).data, { token: base64('first'), rotated: base64('second') })
})

test('a Secret that is gone is not made again', async () => {
  const kube = new MemoryKube(new FakeClock())
  await assert.rejects(keepRotatedIn(kube)(place, 'rotated', 'second'), { reason: 'NotFound' })
})
