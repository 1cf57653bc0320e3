import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Asked, Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'

/** Serves `total` ConfigMaps in pages; the continue token is where the next page starts. */
const paged =
  (total: number, onPage: (asked: Asked) => boolean = () => false): Handler =>
  (asked) => {
    if (onPage(asked)) return
    const start = Number(asked.query.get('continue') ?? 0)
    const end = Math.min(total, start + Number(asked.query.get('limit') ?? total))
    const items = Array.from({ length: end - start }, (_, i) => ({ metadata: { name: `c-${start + i}` } }))
    const metadata = { resourceVersion: '42', ...(end < total && { continue: `${end}` }) }
    asked.json(200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items })
  }

const queries = (asked: Asked[]) => asked.map(({ query }) => query.toString())

test('a list is fetched in pages of 500 and comes as one', async (t) => {
  const api = await startApi(t, paged(1_200))
  const list = await api.client().of(configMaps).list({ labelSelector: 'a=b', resourceVersion: '0' })
  assert.equal(list.items.length, 1_200)
  assert.deepEqual(list.metadata, { resourceVersion: '42' })
  assert.deepEqual(queries(api.asked), [
    'labelSelector=a%3Db&limit=500&resourceVersion=0',
    'labelSelector=a%3Db&limit=500&continue=500',
    'labelSelector=a%3Db&limit=500&continue=1000',
  ])
})

test('items get the apiVersion and kind that typed lists leave out', async (t) => {
  const api = await startApi(t, paged(2))
  const { items } = await api.client().of(configMaps, 'here').list()
  assert.deepEqual(items[1], { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c-1' } })
})

test('a list without items is an empty one', async (t) => {
  const api = await startApi(t, (asked) => asked.json(200, { metadata: { resourceVersion: '1' }, items: null }))
  assert.deepEqual((await api.client().of(configMaps).list()).items, [])
})

test('a continue token that expires on the way is followed by one list without pages', async (t) => {
  const api = await startApi(
    t,
    paged(12, (asked) => {
      const expired = asked.query.get('continue') === '10'
      if (expired) asked.status(410, 'Expired')
      return expired
    }),
  )
  const { items } = await api.client().of(configMaps).list({ pageSize: 5, resourceVersion: '0' })
  assert.deepEqual(items.map(({ metadata }) => metadata.name).length, 12)
  assert.deepEqual(queries(api.asked), [
    'limit=5&resourceVersion=0',
    'limit=5&continue=5',
    'limit=5&continue=10',
    'resourceVersion=0',
  ])
})

test('a version that is gone from the start is thrown, not worked around', async (t) => {
  const api = await startApi(t, (asked) => asked.status(410, 'Expired'))
  await assert.rejects(api.client().of(configMaps).list(), { code: 410 })
  assert.equal(api.asked.length, 1)
})

test('pages come one by one, are fetched as they are needed, and throw Expired', async (t) => {
  const api = await startApi(
    t,
    paged(15, (asked) => {
      const expired = asked.query.get('continue') === '10'
      if (expired) asked.status(410, 'Expired')
      return expired
    }),
  )
  const sizes: number[] = []
  await assert.rejects(
    async () => {
      for await (const page of api.client().of(configMaps).pages({ pageSize: 5 })) {
        sizes.push(page.items.length)
        assert.equal(api.asked.length, sizes.length)
      }
    },
    { code: 410 },
  )
  assert.deepEqual(sizes, [5, 5])
})

test('what is not a list is a bad answer', async (t) => {
  const api = await startApi(t, (asked) => asked.json(200, { metadata: {}, items: 'many' }))
  await assert.rejects(api.client().of(configMaps).list(), { code: 'KUBE_BAD_ANSWER' })
})

test('metadata is asked for as such', async (t) => {
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }
  const api = await startApi(t, (asked) =>
    asked.path.endsWith('/a')
      ? asked.json(200, partial)
      : asked.json(200, {
          kind: 'PartialObjectMetadataList',
          metadata: { resourceVersion: '1' },
          items: [{ metadata: { name: 'a' } }],
        }),
  )
  const { metadata } = api.client().of(configMaps, 'here')
  assert.deepEqual(await metadata.get('a'), partial)
  assert.deepEqual((await metadata.list()).items, [{ metadata: { name: 'a' } }])
  assert.deepEqual(
    api.asked.map(({ headers }) => headers['accept']),
    [
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    ],
  )
})

test('a server that sends whole objects all the same has them cut down to their metadata', async (t) => {
  const whole = aConfigMap('a', { data: { big: 'x' } })
  const api = await startApi(t, (asked) =>
    asked.path.endsWith('/a')
      ? asked.json(200, whole)
      : asked.json(200, { kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [whole] }),
  )
  const { metadata } = api.client().of(configMaps, 'here')
  assert.deepEqual(await metadata.get('a'), { metadata: whole.metadata })
  assert.deepEqual((await metadata.list()).items, [{ metadata: whole.metadata }])
})

test('lists are packed where that is asked for, and unpacked', async (t) => {
  const list = { metadata: { resourceVersion: '1' }, items: [aConfigMap('ä')] }
  const api = await startApi(t, (asked) => {
    const packed = asked.headers['accept-encoding'] === 'gzip'
    asked.res.writeHead(200, { 'content-type': 'application/json', ...(packed && { 'content-encoding': 'gzip' }) })
    asked.res.end(packed ? gzipSync(JSON.stringify(list)) : JSON.stringify(list))
  })
  for (const compress of [true, false]) {
    const { items } = await api.client({ options: { compress } }).of(configMaps).list()
    assert.equal(items[0]?.metadata.name, 'ä')
  }
  // On loopback the default is not to.
  await api.client().of(configMaps).list()
  const encodings = api.asked.map(({ headers }) => headers['accept-encoding'])
  assert.deepEqual(encodings, ['gzip', undefined, undefined])
})

test('a packed answer that breaks off is a bad one', async (t) => {
  const api = await startApi(t, (asked) => {
    asked.res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    asked.res.end(gzipSync(JSON.stringify({ metadata: {}, items: [] })).subarray(0, 20))
  })
  await assert.rejects(api.client().of(configMaps).list(), { code: 'KUBE_BAD_ANSWER' })
})
