import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { routeScene } from '../serving/testing/routes.ts'
import { openLines } from './lines.ts'

const home = '/api/v1/namespaces/home/configmaps'

async function scene(t: TestScope) {
  const routed = await routeScene(t)
  const { json } = routed
  return {
    ...routed,
    add: (name: string, more: object = {}) => json('POST', home, { body: { metadata: { name, ...more } } }),
    /** Code and message of a refusal. */
    async refused(method: string, uri: string, asked?: Parameters<typeof json>[2]): Promise<string> {
      const { code, object } = await json(method, uri, asked)
      assert.equal(object.kind, 'Status', JSON.stringify(object))
      return `${code} ${object.message}`
    },
  }
}

test('what is made can be read, changed, listed and deleted', async (t) => {
  const { json, add } = await scene(t)
  const made = await add('a')
  assert.deepEqual([made.code, made.object.kind, made.object.metadata.resourceVersion], [201, 'ConfigMap', '1'])
  assert.deepEqual((await json('GET', `${home}/a`)).object, made.object)
  const put = await json('PUT', `${home}/a`, { body: { ...made.object, data: { k: 'v' } } })
  assert.deepEqual([put.code, put.object.data], [200, { k: 'v' }])
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patched = await json('PATCH', `${home}/a`, { body: { data: { k: 'w' } }, headers })
  assert.deepEqual([patched.code, patched.object.data], [200, { k: 'w' }])
  const listed = await json('GET', '/api/v1/configmaps')
  assert.deepEqual(
    [listed.object.kind, listed.object.metadata, listed.object.items.length],
    [...['ConfigMapList', { resourceVersion: '3' }, 1]],
  )
  const gone = await json('DELETE', `${home}/a`)
  assert.deepEqual([gone.code, gone.object.status, gone.object.details.uid], [200, 'Success', made.object.metadata.uid])
  assert.equal((await json('GET', `${home}/a`)).code, 404)
})

test('E9: a selector that is wrong is told before a watch begins', async (t) => {
  const { refused } = await scene(t)
  const wrong = `labelSelector=${encodeURIComponent('a b')}`
  const words = "400 unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"
  assert.equal(await refused('GET', `${home}?${wrong}`), words)
  assert.equal(await refused('GET', `${home}?watch=1&${wrong}`), words)
  assert.match(
    await refused('GET', `${home}?watch=1&fieldSelector=foo%3D1`),
    /^400 "foo" is not a known field selector/,
  )
  assert.match(await refused('DELETE', `${home}?${wrong}`), /^400 unable to parse requirement/)
})

test('a watch is JSON or it is refused', async (t) => {
  const { refused } = await scene(t)
  assert.match(
    await refused('GET', `${home}?watch=1`, { headers: { accept: 'application/yaml' } }),
    /^406 only the following/,
  )
})

test('a watch tells what is there and what happens, by name where the path has one', async (t) => {
  const { add, watch, clock } = await scene(t)
  await add('a')
  await add('b')
  const heard = { all: [] as string[], one: [] as string[] }
  const listen = async (uri: string, lines: string[]) => {
    const answer = await watch(uri)
    return openLines(answer, {
      take(line) {
        const { type, object } = JSON.parse(line.toString())
        lines.push(`${type} ${object.metadata.name}`)
        return true
      },
      end() {},
    })
  }
  using _all = await listen(`${home}?watch=true`, heard.all)
  using _one = await listen('/api/v1/watch/namespaces/home/configmaps/b', heard.one)
  await clock.settle()
  await add('c')
  assert.deepEqual(heard, { all: ['ADDED a', 'ADDED b', 'ADDED c'], one: ['ADDED b'] })
})

test('a get that must not be older than a version waits for it', async (t) => {
  const { add, json, refused, clock } = await scene(t)
  await add('a')
  const early = json('GET', `${home}/a?resourceVersion=2`)
  await add('b')
  assert.equal((await early).code, 200)
  const never = refused('GET', `${home}/a?resourceVersion=9`)
  await clock.advance('3s')
  assert.equal(await never, '504 Timeout: Too large resource version: 9, current: 2')
  assert.match(await refused('GET', `${home}/a?resourceVersion=x`), /^500 resourceVersion: Invalid value: "x"/)
})

test('a dry run of any write keeps everything as it is', async (t) => {
  const { add, json, store } = await scene(t)
  const { object } = await add('a')
  const { revision } = store
  await json('POST', `${home}?dryRun=All`, { body: { metadata: { name: 'b' } } })
  await json('PUT', `${home}/a?dryRun=All`, { body: { ...object, data: { k: 'v' } } })
  const headers = { 'content-type': 'application/merge-patch+json' }
  await json('PATCH', `${home}/a?dryRun=All`, { body: { data: { k: 'v' } }, headers })
  await json('DELETE', `${home}/a?dryRun=All`)
  await json('DELETE', `${home}?dryRun=All`)
  assert.equal((await json('DELETE', `${home}/a?dryRun=`)).code, 422)
  assert.equal((await json('POST', `${home}?dryRun=`, { body: { metadata: { name: 'b' } } })).code, 422)
  assert.equal(store.revision, revision)
})

test('a collection is deleted as far as it is selected, and what is left over is told as it is', async (t) => {
  const { add, json } = await scene(t)
  await add('a', { labels: { on: '' } })
  await add('b')
  await add('c', { labels: { on: '' }, finalizers: ['example.com/f'] })
  const { code, object } = await json('DELETE', `${home}?labelSelector=on`)
  const names = object.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
  assert.deepEqual([code, object.kind, names], [200, 'ConfigMapList', ['a', 'c']])
  const left = (await json('GET', home)).object.items as { metadata: { name: string; deletionTimestamp?: string } }[]
  assert.deepEqual(
    left.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined]),
    [
      ['b', false],
      ['c', true],
    ],
  )
})

test('of many that PUT what is not there one makes it, and the others change it', async (t) => {
  const { json } = await scene(t)
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/home/roles'
  const put = (label: string) => json('PUT', `${roles}/r`, { body: { metadata: { name: 'r', labels: { by: label } } } })
  const codes = (await Promise.all(['a', 'b', 'c'].map(put))).map(({ code }) => code)
  assert.deepEqual(codes.sort(), [200, 200, 201])
})

test('what is served nowhere is not found, and what cannot be done is not allowed', async (t) => {
  const { refused, ask } = await scene(t)
  const missing = '404 the server could not find the requested resource'
  assert.equal(await refused('GET', '/api/v1/namespaces/home/gadgets'), missing)
  assert.equal(await refused('GET', `${home}/a/status`), missing)
  assert.equal(await refused('GET', `${home}/a/constructor`), missing)
  assert.equal(await refused('GET', '/api/v1/namespaces/home/nodes/n'), missing)
  assert.match(await refused('POST', `${home}/a`, { body: {} }), /^405 /)
  assert.match(await refused('PUT', home, { body: {} }), /^405 /)
  assert.match(await refused('POST', '/api/v1/configmaps', { body: {} }), /^405 /)
  assert.match(await refused('DELETE', '/api/v1/configmaps'), /^405 /)
  const nowhere = await ask('GET', '/apis/none.example.com/v1/things')
  assert.deepEqual('body' in nowhere && [nowhere.code, nowhere.body], [404, '404 page not found\n'])
})

test('names that would lead elsewhere in a tree of folders are refused', async (t) => {
  const { refused } = await scene(t)
  assert.equal(await refused('GET', `${home}/a%2525b`), `400 Name parameter invalid: "a%25b": may not contain '%'`)
})

test('a collection that several delete at once is deleted, and nobody is told of what others took', async (t) => {
  const { add, json, store } = await scene(t)
  for (const name of ['a', 'b', 'c', 'd']) await add(name)
  const results = await Promise.all([0, 1, 2].map(() => json('DELETE', home)))
  assert.deepEqual(
    results.map(({ code }) => code),
    [200, 200, 200],
  )
  assert.equal(store.count('configmaps'), 0)
})
