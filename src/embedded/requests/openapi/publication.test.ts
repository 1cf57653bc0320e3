import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { aKind, registryOf } from '../../admission/testing/scene.ts'
import { resourceFacts } from '../../kinds/facts/facts.ts'
import type { Kind } from '../../kinds/kind.ts'
import { apiVersionOf } from '../../objects.ts'
import { publicationOf } from './publication.ts'

const aWidget = (description: string, more: Partial<Kind> = {}) =>
  aKind('example.com', 'Widget', 'widgets', {
    custom: true,
    versions: [{ name: 'v1', schema: { type: 'object', description }, columns: [], selectable: {} }],
    ...more,
  })

const path = 'apis/example.com/v1'
const openIn = async (...kinds: Kind[]) => {
  const registry = registryOf(...kinds)
  const clock = new FakeClock()
  return { registry, clock, publication: await publicationOf(registry, clock) }
}

test('the index has every version of built-in and of custom kinds', async () => {
  const { publication } = await openIn(aWidget('a'))
  const { paths } = await publication.index()
  for (const { group, version } of resourceFacts())
    assert.ok(paths[`${group === '' ? 'api' : 'apis'}/${apiVersionOf(group, version)}`], group)
  assert.equal(paths[path]?.serverRelativeURL, `/openapi/v3/${path}?hash=${publication.at(path)?.hash}`)
  assert.deepEqual(Object.keys(paths), Object.keys(paths).toSorted())
})

test('a document is written anew when its kinds change, and only then', async () => {
  const { registry, clock, publication } = await openIn(aWidget('a'))
  const first = publication.at(path)
  await clock.advance(5_000)
  registry.set(aKind('other.example.com', 'Other', 'others', { custom: true }))
  assert.equal(publication.at(path), first)
  registry.set(aWidget('b'))
  const second = publication.at(path)
  assert.notEqual(second?.hash, first?.hash)
  assert.equal(second && first && second.since.getTime() - first.since.getTime(), 5_000)
  registry.set(aWidget('a'))
  assert.equal(publication.at(path)?.hash, first?.hash)
  registry.remove('example.com', 'widgets')
  assert.equal(publication.at(path), undefined)
  assert.equal((await publication.index()).paths[path], undefined)
})

test('built-in kinds are told by what was written down of them, whatever the registry', async () => {
  const { publication } = await openIn()
  const { components } = JSON.parse(publication.at('apis/apps/v1')?.text() ?? '')
  assert.ok(components.schemas['io.k8s.api.apps.v1.Deployment'])
  assert.equal(components.schemas['io.k8s.api.rbac.v1.Role'], undefined)
  assert.equal(publication.at('apis/apps/v2'), undefined)
})

test('what looks like a reference in a value refers to nothing', async () => {
  const schema = { type: 'object', description: 'a', default: { $ref: '#/components/schemas/nothing' } } as const
  const versions = [{ name: 'v1', schema, columns: [], selectable: {} }]
  const { publication } = await openIn(aWidget('a', { versions }))
  const { components } = JSON.parse(publication.at(path)?.text() ?? '')
  assert.deepEqual(components.schemas['com.example.v1.Widget'].default, schema.default)
  assert.ok(components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference'])
  assert.ok(!('nothing' in components.schemas))
})

test('OpenAPI v2 is written once for each state of the kinds, and in their order', async () => {
  const { registry, publication } = await openIn(aWidget('a'))
  const [first, same] = await Promise.all([publication.whole(), publication.whole()])
  assert.equal(first, same)
  const { swagger, definitions, security } = JSON.parse(first.text())
  assert.deepEqual([swagger, definitions['com.example.v1.Widget'].description], ['2.0', 'a'])
  assert.ok(definitions['io.k8s.api.core.v1.ConfigMap'] && security.length > 0)
  assert.deepEqual(Object.keys(definitions), Object.keys(definitions).toSorted())
  registry.set(aWidget('b'))
  const second = await publication.whole()
  assert.notEqual(second.hash, first.hash)
  assert.ok(second.protobuf().includes('com.example.v1.WidgetList'))
  registry.set(aWidget('a'))
  assert.equal((await publication.whole()).hash, first.hash)
})
