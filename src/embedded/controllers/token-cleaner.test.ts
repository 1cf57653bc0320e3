import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aBootstrapToken } from '../../../test/support/builders.ts'
import { secrets } from '../../kube/kinds.ts'
import { controllerScene } from './testing/scene.ts'
import { tokenCleaner } from './token-cleaner.ts'

const token = (id: string, expiresAt?: Date) =>
  aBootstrapToken({ id, secret: '0123456789abcdef', ...(expiresAt && { expiresAt }) })

test('E18: a bootstrap token goes at the moment it ends', async (t) => {
  const { clock, kube } = await controllerScene(t, tokenCleaner)
  const tokens = kube.of(secrets, 'kube-system')
  const ends = new Date(clock.now().getTime() + 3_600_000)
  await tokens.create(token('ending', ends))
  await tokens.create(token('always'))
  await clock.advance(3_599_999)
  assert.equal((await tokens.list()).items.length, 2)
  await clock.advance(1)
  assert.deepEqual(
    (await tokens.list()).items.map(({ metadata }) => metadata.name),
    ['bootstrap-token-always'],
  )
})

test('a token that is prolonged in time stays', async (t) => {
  const { clock, kube } = await controllerScene(t, tokenCleaner)
  const tokens = kube.of(secrets, 'kube-system')
  const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000)
  await tokens.create(token('longer', inMinutes(10)))
  await clock.advance('9m')
  const { data = {} } = token('longer', inMinutes(10))
  await tokens.patch('bootstrap-token-longer', { type: 'merge', body: { data } })
  await clock.advance('9m')
  assert.ok(await tokens.find('bootstrap-token-longer'))
  await clock.advance('1m')
  assert.equal(await tokens.find('bootstrap-token-longer'), undefined)
})
