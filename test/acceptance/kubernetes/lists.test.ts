/** What a list answers: selectors, pages, versions. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { configMaps, pods, secrets } from '../../../src/kube/kinds.ts'
import { aConfigMap, aSecret } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace, untilPodsCanBeMade } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const maps = kube.of(configMaps, namespace)
  const add = (name: string, labels: Record<string, string> = {}) =>
    maps.create({ ...aConfigMap(name), metadata: { name, labels } })
  const ask = (query: string, headers: Record<string, string> = {}) =>
    rawRequest(plane, { path: `${path}?${query}`, headers })
  const names = async (query: string) => {
    const { json } = await ask(query)
    return json.items
      .map(({ metadata }: { metadata: { name: string } }) => metadata.name)
      .filter((name: string) => name !== 'kube-root-ca.crt')
  }
  return { plane, kube, namespace, path, maps, add, ask, names }
}

describe('lists', needsControlPlane, () => {
  test('E8: label selectors by equality, by set and by existence', async (t) => {
    const { add, names } = await scene(t)
    await add('a', { tier: 'front', stage: 'test' })
    await add('b', { tier: 'back' })
    await add('c')
    const selects = async (selector: string, expected: string[]) =>
      assert.deepEqual(await names(`labelSelector=${encodeURIComponent(selector)}`), expected, selector)
    await selects('tier=front', ['a'])
    await selects('tier==front', ['a'])
    await selects('tier!=front', ['b', 'c'])
    await selects('tier in (front, back)', ['a', 'b'])
    await selects('tier notin (front)', ['b', 'c'])
    await selects('tier', ['a', 'b'])
    await selects('!tier', ['c'])
    await selects('tier,!stage', ['b'])
    await selects('tier in (back),stage notin (test)', ['b'])
  })

  test('E8: a label selector that cannot be understood is told why', async (t) => {
    const { ask } = await scene(t)
    const refused: [selector: string, message: RegExp][] = [
      ['a===b', /^unable to parse requirement: found '=', expected: identifier$/],
      ['a in b', /^unable to parse requirement: found 'b',? expected: '\('$/],
      ['a b', /^unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt$/],
      ['a/b/c=d', /Invalid value: "a\/b\/c"/],
      ['a=b!', /Invalid value|found '!', expected/],
    ]
    for (const [selector, message] of refused) {
      const { code, json } = await ask(`labelSelector=${encodeURIComponent(selector)}`)
      assert.deepEqual([code, json.reason], [400, 'BadRequest'], selector)
      assert.match(json.message, message)
    }
  })

  test('E8: field selectors by name and namespace, and those of built-in kinds', async (t) => {
    const { kube, namespace, add, names, ask } = await scene(t)
    await add('a')
    await add('b')
    assert.deepEqual(await names('fieldSelector=metadata.name%3Da'), ['a'])
    assert.deepEqual(await names('fieldSelector=metadata.name!%3Da'), ['b'])
    assert.deepEqual(await names(`fieldSelector=metadata.namespace%3D${namespace},metadata.name%3Db`), ['b'])
    assert.deepEqual(await names('fieldSelector=metadata.namespace%3Delsewhere'), [])
    await kube.of(secrets, namespace).create({ ...aSecret('plain'), type: 'example.com/one' })
    await kube.of(secrets, namespace).create({ ...aSecret('other'), type: 'example.com/two' })
    const typed = await kube.of(secrets, namespace).list({ fieldSelector: 'type=example.com/one' })
    assert.deepEqual(
      typed.items.map(({ metadata }) => metadata.name),
      ['plain'],
    )
    await untilPodsCanBeMade(kube, namespace)
    const spec = { containers: [{ name: 'main', image: 'example' }] }
    await kube.of(pods, namespace).create({ metadata: { name: 'placed' }, spec: { ...spec, nodeName: 'n1' } })
    await kube.of(pods, namespace).create({ metadata: { name: 'waiting' }, spec })
    const placed = await kube.of(pods, namespace).list({ fieldSelector: 'spec.nodeName=n1' })
    assert.deepEqual(
      placed.items.map(({ metadata }) => metadata.name),
      ['placed'],
    )
    const unknown = await ask('fieldSelector=data.a%3Db')
    assert.deepEqual([unknown.code, unknown.json.reason], [400, 'BadRequest'])
    assert.match(
      unknown.json.message,
      /"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"/,
    )
  })

  test('E8: limit and continue give a consistent snapshot', async (t) => {
    const { add, maps, ask } = await scene(t)
    for (const name of ['a', 'b', 'c', 'd', 'e']) await add(name)
    await eventually('the root certificate is there', () => maps.find('kube-root-ca.crt'))
    const first = await ask('limit=2')
    assert.deepEqual(namesOf(first.json), ['a', 'b'])
    assert.equal(first.json.metadata.remainingItemCount, 4, 'the root certificate is one of them')
    await maps.delete('c')
    await maps.patch('d', { type: 'merge', body: { data: { changed: 'yes' } } })
    await add('cc')
    const second = await ask(`limit=2&continue=${first.json.metadata.continue}`)
    assert.deepEqual(namesOf(second.json), ['c', 'd'])
    assert.equal(second.json.items[1].data, undefined, 'the state of the first page')
    assert.equal(second.json.metadata.resourceVersion, first.json.metadata.resourceVersion)
    const third = await ask(`limit=5&continue=${second.json.metadata.continue}`)
    assert.deepEqual(namesOf(third.json), ['e', 'kube-root-ca.crt'])
    assert.equal(third.json.metadata.continue, undefined)
    assert.equal(third.json.metadata.remainingItemCount, undefined)
  })

  test('E8: pages of a selected list say nothing of how many remain', async (t) => {
    const { add, ask } = await scene(t)
    for (const name of ['a', 'b', 'c']) await add(name, { mine: 'yes' })
    const { json } = await ask('limit=2&labelSelector=mine')
    assert.deepEqual(namesOf(json), ['a', 'b'])
    assert.ok(json.metadata.continue)
    assert.equal(json.metadata.remainingItemCount, undefined)
    const rest = await ask(`limit=2&labelSelector=mine&continue=${json.metadata.continue}`)
    assert.deepEqual(namesOf(rest.json), ['c'])
  })

  test('E8: a continue token that is none is refused', async (t) => {
    const { ask } = await scene(t)
    const { code, json } = await ask('limit=1&continue=abc')
    assert.deepEqual([code, json.reason], [400, 'BadRequest'])
    assert.match(json.message, /^invalid continue token: continue key is not valid/)
  })

  test('E8: resourceVersion and resourceVersionMatch', async (t) => {
    const { add, ask, names } = await scene(t)
    await add('a')
    const { json } = await ask('')
    const then = json.metadata.resourceVersion
    await add('b')
    // A list of the newest state, so that the watch cache, which answers below, has seen it as well.
    await ask('')
    const exact = await ask(`resourceVersion=${then}&resourceVersionMatch=Exact`)
    assert.deepEqual([namesOf(exact.json), exact.json.metadata.resourceVersion], [namesOf(json), then])
    assert.deepEqual(await names(`resourceVersion=${then}&resourceVersionMatch=NotOlderThan`), ['a', 'b'])
    assert.deepEqual(await names(`resourceVersion=${then}`), ['a', 'b'])
    assert.deepEqual(await names('resourceVersion=0'), ['a', 'b'])
  })

  test('E8: rules of resourceVersion that are broken are told by field', async (t) => {
    const { ask } = await scene(t)
    const broken: [query: string, message: string][] = [
      [
        'resourceVersionMatch=Exact',
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        'resourceVersionMatch=Exact&resourceVersion=0',
        'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      [
        'resourceVersionMatch=Some&resourceVersion=1',
        'resourceVersionMatch: Unsupported value: "Some": supported values: "Exact", "NotOlderThan", ""',
      ],
      ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    ]
    for (const [query, message] of broken) {
      const { code, json } = await ask(query)
      assert.deepEqual(
        [code, json.reason, json.message],
        [422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${message}`],
      )
    }
    const future = await ask('resourceVersion=99999999999')
    assert.deepEqual([future.code, future.json.reason, future.headers['retry-after']], [504, 'Timeout', '1'])
    assert.match(future.json.message, /^Timeout: Too large resource version: 99999999999, current: \d+$/)
    assert.equal(future.json.details.causes[0].reason, 'ResourceVersionTooLarge')
    const word = await ask('resourceVersion=abc')
    assert.deepEqual([word.code, word.json.status], [400, 'Failure'])
    const limit = await ask('limit=x')
    assert.deepEqual([limit.code, limit.json.message], [400, 'strconv.ParseInt: parsing "x": invalid syntax'])
  })

  test('E8: a list across namespaces and the items of a list', async (t) => {
    const { kube, namespace, add } = await scene(t)
    await add('a')
    const list = await kube.request<{
      kind: string
      apiVersion: string
      items: { kind?: string; metadata: { name: string; namespace: string } }[]
    }>({ path: '/api/v1/configmaps', query: { fieldSelector: 'metadata.name=a' } })
    assert.deepEqual([list.kind, list.apiVersion], ['ConfigMapList', 'v1'])
    const mine = list.items.find(({ metadata }) => metadata.namespace === namespace)
    assert.equal(mine?.metadata.name, 'a')
    assert.equal(mine?.kind, undefined, 'items say nothing of their type')
  })
})

const namesOf = (list: { items: { metadata: { name: string } }[] }): string[] =>
  list.items.map(({ metadata }) => metadata.name)
