/** What a watch tells, and when. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { configMaps } from '../../../src/kube/kinds.ts'
import { aConfigMap } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'
import type { Line } from '../../support/raw-watch.ts'
import { rawWatch } from '../../support/raw-watch.ts'

const told = ({ lines }: { lines: Line[] }) =>
  lines
    .filter(({ object }) => object.metadata.name !== 'kube-root-ca.crt')
    .map(({ type, object }) => `${type} ${object.metadata.name}`)

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const maps = kube.of(configMaps, namespace)
  const path = (query: string) => `/api/v1/namespaces/${namespace}/configmaps?watch=true&${query}`
  const watch = (query: string, headers?: Record<string, string>) =>
    rawWatch(t, plane, { path: path(query), ...(headers && { headers }) })
  const tells = (seen: { lines: Line[] }, expected: string[]) =>
    eventually('it is told', () => {
      assert.deepEqual(told(seen), expected)
      return true
    })
  return { plane, kube, namespace, maps, path, watch, tells }
}

describe('watches', needsControlPlane, () => {
  test('E9: from a resourceVersion, everything after it and nothing before', async (t) => {
    const { maps, watch, tells } = await scene(t)
    await maps.create(aConfigMap('before'))
    const { metadata } = await maps.list()
    await maps.create(aConfigMap('a'))
    const seen = watch(`resourceVersion=${metadata.resourceVersion}`)
    await maps.patch('a', { type: 'merge', body: { data: { x: '1' } } })
    await maps.delete('a')
    await tells(seen, ['ADDED a', 'MODIFIED a', 'DELETED a'])
    const versions = seen.lines.map(({ object }) => Number(object.metadata.resourceVersion))
    assert.deepEqual(
      versions,
      [...versions].sort((one, other) => one - other),
    )
    assert.equal(new Set(versions).size, versions.length, 'a deletion has a version of its own')
    assert.equal(seen.headers?.['content-type'], 'application/json')
  })

  test('E9: from now, what is there first and then what happens', async (t) => {
    const { maps, watch, tells } = await scene(t)
    await maps.create(aConfigMap('a'))
    for (const query of ['', 'resourceVersion=0']) {
      const seen = watch(query)
      await tells(seen, ['ADDED a'])
      await maps.patch('a', { type: 'merge', body: { data: { [`x${query.length}`]: '1' } } })
      await tells(seen, ['ADDED a', 'MODIFIED a'])
    }
  })

  test('E9: bookmarks only for those who ask, and initial events that end with one', async (t) => {
    const { maps, watch } = await scene(t)
    await maps.create(aConfigMap('a'))
    const seen = watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')
    const bookmark = await eventually('there is a bookmark', () => seen.lines.find(({ type }) => type === 'BOOKMARK'))
    assert.deepEqual(bookmark.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' })
    assert.equal(bookmark.object.kind, 'ConfigMap')
    assert.equal(bookmark.object.metadata.name, undefined)
    assert.deepEqual(told({ lines: seen.lines.slice(0, seen.lines.indexOf(bookmark)) }), ['ADDED a'])
    const after = watch(`resourceVersion=${bookmark.object.metadata.resourceVersion}`)
    await maps.create(aConfigMap('b'))
    await eventually('it goes on from the bookmark', () => told(after).includes('ADDED b'))
    assert.ok(!after.lines.some(({ type }) => type === 'BOOKMARK'))
  })

  test('E9: initial events are asked for in one way only', async (t) => {
    const { plane, path } = await scene(t)
    const { code, json } = await rawRequest(plane, { path: path('sendInitialEvents=true&timeoutSeconds=1') })
    assert.deepEqual([code, json.reason], [422, 'Invalid'])
    assert.match(
      json.message,
      /resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
    )
    const other = await rawRequest(plane, { path: path('resourceVersionMatch=NotOlderThan&timeoutSeconds=1') })
    assert.equal(other.code, 422)
    assert.match(
      other.json.message,
      /resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/,
    )
  })

  test('E9: timeoutSeconds ends it without a complaint', async (t) => {
    const { maps, watch, tells } = await scene(t)
    await maps.create(aConfigMap('a'))
    const long = watch('timeoutSeconds=600')
    await tells(long, ['ADDED a'])
    // A busy server may not come to tell what is there within that second, but it has nothing else to tell.
    await eventually('one is over that told all', async () => {
      const short = watch('timeoutSeconds=1')
      await eventually('it is over', () => short.isOver)
      assert.match(`${short.headers?.['content-type']}`, /json/)
      for (const { type } of short.lines) assert.equal(type, 'ADDED')
      return told(short).join() === 'ADDED a'
    })
    assert.equal(long.isOver, false)
  })

  test('E9: an object that begins or ceases to match a selector comes or goes', async (t) => {
    const { maps, watch, tells } = await scene(t)
    await maps.create(aConfigMap('a'))
    const { metadata } = await maps.list()
    const seen = watch(`resourceVersion=${metadata.resourceVersion}&labelSelector=on%3Dyes`)
    const label = (on: string | null) => maps.patch('a', { type: 'merge', body: { metadata: { labels: { on } } } })
    await label('yes')
    await maps.patch('a', { type: 'merge', body: { data: { x: '1' } } })
    const { metadata: gone } = await label('no')
    await label('yes')
    await label(null)
    await tells(seen, ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a'])
    const deleted = seen.lines[2]?.object
    assert.equal(deleted?.metadata.resourceVersion, gone.resourceVersion)
    assert.deepEqual(deleted?.metadata.labels, { on: 'yes' }, 'the last state that matched')
  })

  test('E9: one name and one namespace', async (t) => {
    const { plane, kube, maps, namespace, watch, tells } = await scene(t)
    const elsewhere = await freshNamespace(t, kube)
    const { metadata } = await maps.list()
    const one = watch(`resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.name%3Da`)
    const all = rawWatch(t, plane, {
      path: `/api/v1/configmaps?watch=1&resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.namespace%3D${namespace}`,
    })
    await maps.create(aConfigMap('b'))
    await kube.of(configMaps, elsewhere).create(aConfigMap('a'))
    await maps.create(aConfigMap('a'))
    await tells(one, ['ADDED a'])
    await tells(all, ['ADDED b', 'ADDED a'])
  })

  test('E9: the old path of a watch still works', async (t) => {
    const { plane, maps, namespace, tells } = await scene(t)
    await maps.create(aConfigMap('a'))
    const seen = rawWatch(t, plane, { path: `/api/v1/watch/namespaces/${namespace}/configmaps/a` })
    await tells(seen, ['ADDED a'])
  })

  test('E9: a version that is no number is refused', async (t) => {
    const { plane, path } = await scene(t)
    const { code, json } = await rawRequest(plane, { path: path('resourceVersion=abc') })
    assert.equal(code, 500)
    assert.equal(
      json.message,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    )
  })

  test('E9: many watches share one fan-out, and each hears all', async (t) => {
    const { maps, watch } = await scene(t)
    const { metadata } = await maps.list()
    const many = Array.from({ length: 60 }, () => watch(`resourceVersion=${metadata.resourceVersion}`))
    for (let i = 0; i < 10; i++) await maps.create(aConfigMap(`m${i}`))
    await eventually('all have heard', () => many.every((seen) => told(seen).length === 10))
    for (const seen of many) assert.deepEqual(told(seen), told(many[0] as (typeof many)[number]))
  })
})
