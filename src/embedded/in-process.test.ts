import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../test/support/test-scope.ts'
import { systemRandom } from '../core/random.ts'
import { configMaps } from '../kube/kinds.ts'
import type { User } from './authentication/user.ts'
import { ownKube } from './in-process.ts'
import { route } from './serving/routes.ts'
import { routeScene } from './serving/testing/routes.ts'

async function scene(t: TestScope) {
  const routed = await routeScene(t)
  const users: User[] = []
  const kube = ownKube({
    ...{ random: systemRandom, user: { name: 'system:apiserver', groups: [] }, userAgent: 'kube-apiserver' },
    async route(request, info, user, warn) {
      users.push(user)
      return route(routed.deps, request, info, user, warn)
    },
  })
  return { ...routed, users, here: kube.of(configMaps, 'home') }
}

test('the control plane writes through its own API, as itself', async (t) => {
  const { here, users } = await scene(t)
  const made = await here.create({ metadata: { name: 'a' }, data: { k: 'v' } })
  assert.equal(made.metadata.managedFields?.[0]?.manager, 'kube-apiserver')
  assert.deepEqual((await here.get('a')).data, { k: 'v' })
  assert.deepEqual((await here.list()).items.length, 1)
  await here.delete('a')
  assert.equal(await here.find('a'), undefined)
  assert.deepEqual([...new Set(users.map(({ name }) => name))], ['system:apiserver'])
})

test('the API’s "no" is a failure as over the network, anything else is thrown as it is', async (t) => {
  const { here } = await scene(t)
  await here.create({ metadata: { name: 'a' } })
  await assert.rejects(here.create({ metadata: { name: 'a' } }), { message: /already exists/ })
  const broken = ownKube({
    ...{ random: systemRandom, user: { name: '', groups: [] }, userAgent: '' },
    route: async () => assert.fail('broken'),
  })
  await assert.rejects(broken.of(configMaps, 'home').get('a'), { message: 'broken' })
})

test('a watch hears what happens, and ends when it is left', async (t) => {
  const { here, fanOut } = await scene(t)
  await here.create({ metadata: { name: 'a' } })
  const names: string[] = []
  for await (const event of here.watch()) {
    if (event.type !== 'BOOKMARK') names.push(`${event.type} ${event.object.metadata.name}`)
    if (names.length === 1) await here.create({ metadata: { name: 'b' } })
    if (names.length === 2) break
  }
  assert.deepEqual([names, fanOut.size], [['ADDED a', 'ADDED b'], 0])
})

test('a watch that is aborted throws the reason and leaves nothing behind', async (t) => {
  const { here, fanOut } = await scene(t)
  const stop = new AbortController()
  const watch = here.watch({ signal: stop.signal })[Symbol.asyncIterator]()
  await here.create({ metadata: { name: 'a' } })
  await watch.next()
  const waiting = assert.rejects(watch.next(), { message: 'enough' })
  assert.equal(fanOut.size, 1)
  stop.abort(new Error('enough'))
  await waiting
  assert.equal(fanOut.size, 0)
})

test('a reader that is slow gets everything, in order', async (t) => {
  const { here } = await scene(t)
  const watch = here.watch()[Symbol.asyncIterator]()
  await here.create({ metadata: { name: 'first' } })
  await watch.next()
  const data = { large: 'x'.repeat(200_000) }
  for (let index = 0; index < 20; index++) await here.create({ metadata: { name: `c-${index}` }, data })
  const names: string[] = []
  while (names.length < 20) {
    const { value } = await watch.next()
    if (value?.type === 'ADDED') names.push(value.object.metadata.name)
  }
  assert.deepEqual(
    names,
    Array.from({ length: 20 }, (_, index) => `c-${index}`),
  )
  await watch.return?.()
})
