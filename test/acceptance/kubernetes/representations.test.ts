/** In which forms objects are sent and answered. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { configMaps } from '../../../src/kube/kinds.ts'
import { aConfigMap } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { RawRequest } from '../../support/raw-request.ts'
import { rawRequest } from '../../support/raw-request.ts'

const json = { 'content-type': 'application/json' }
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const partial = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` })

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const maps = kube.of(configMaps, namespace)
  const base = `/api/v1/namespaces/${namespace}/configmaps`
  const ask = (request: RawRequest) => rawRequest(plane, request)
  return { plane, kube, namespace, maps, base, ask }
}

describe('representations', needsControlPlane, () => {
  test('E10: dryRun=All goes all the way and keeps nothing', async (t) => {
    const { maps, base, ask } = await scene(t)
    const dry = (method: string, path: string, body?: object, headers = json) =>
      ask({ method, path: `${path}?dryRun=All`, headers, ...(body && { body: JSON.stringify(body) }) })
    const created = await dry('POST', base, { metadata: { name: 'a' }, data: { x: '1' } })
    assert.equal(created.code, 201)
    assert.ok(created.json.metadata.uid)
    assert.equal(created.json.metadata.resourceVersion, undefined)
    assert.equal(await maps.find('a'), undefined)
    const before = await maps.create(aConfigMap('a', { x: '1' }))
    assert.equal((await dry('POST', base, { metadata: { name: 'a' } })).code, 409)
    const updated = await dry('PUT', `${base}/a`, { metadata: { name: 'a' }, data: { x: '2' } })
    assert.deepEqual([updated.code, updated.json.data], [200, { x: '2' }])
    const merge = { 'content-type': 'application/merge-patch+json' }
    const patched = await dry('PATCH', `${base}/a`, { data: { y: '1' } }, merge)
    assert.deepEqual([patched.code, patched.json.data], [200, { x: '1', y: '1' }])
    const deleted = await dry('DELETE', `${base}/a`)
    assert.deepEqual([deleted.code, deleted.json.status], [200, 'Success'])
    assert.deepEqual(await maps.get('a'), before)
    const invalid = await dry('POST', base, { metadata: { name: 'b' }, data: { 'not a key': '' } })
    assert.deepEqual([invalid.code, invalid.json.reason], [422, 'Invalid'])
  })

  test('E10: dryRun takes no other value', async (t) => {
    const { base, ask } = await scene(t)
    const body = JSON.stringify({ metadata: { name: 'a' } })
    const { code, json: status } = await ask({ method: 'POST', path: `${base}?dryRun=Some`, headers: json, body })
    assert.equal(code, 422)
    assert.equal(
      status.message,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    )
  })

  test('E10: a Table of one object and of a list', async (t) => {
    const { maps, base, ask } = await scene(t)
    await maps.create(aConfigMap('a', { x: '1', y: '2' }))
    const { json: list } = await ask({ path: `${base}?fieldSelector=metadata.name%3Da`, headers: table })
    assert.deepEqual([list.kind, list.apiVersion], ['Table', 'meta.k8s.io/v1'])
    assert.match(list.metadata.resourceVersion, /^\d+$/)
    assert.deepEqual(
      list.columnDefinitions.map(({ name, type, format, priority }: Record<string, unknown>) => [
        name,
        type,
        format,
        priority,
      ]),
      [
        ['Name', 'string', 'name', 0],
        ['Data', 'string', '', 0],
        ['Age', 'string', '', 0],
      ],
    )
    const [row] = list.rows
    assert.deepEqual(row.cells.slice(0, 2), ['a', 2])
    assert.match(row.cells[2], /^\d+s$/)
    assert.deepEqual([row.object.kind, row.object.metadata.name], ['PartialObjectMetadata', 'a'])
    const { json: one } = await ask({ path: `${base}/a?includeObject=None`, headers: table })
    assert.deepEqual([one.rows.length, one.rows[0].object], [1, null])
    const { json: whole } = await ask({ path: `${base}/a?includeObject=Object`, headers: table })
    assert.deepEqual(whole.rows[0].object.data, { x: '1', y: '2' })
  })

  test('E10: PartialObjectMetadata of one object and of a list', async (t) => {
    const { maps, base, ask } = await scene(t)
    const { metadata } = await maps.create(aConfigMap('a', { x: '1' }))
    const { json: one } = await ask({ path: `${base}/a`, headers: partial('PartialObjectMetadata') })
    assert.deepEqual(one, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
    const path = `${base}?fieldSelector=metadata.name%3Da`
    const { json: list } = await ask({ path, headers: partial('PartialObjectMetadataList') })
    assert.deepEqual([list.kind, list.items], ['PartialObjectMetadataList', [one]])
  })

  test('E10: YAML where it is asked for, and lines for people who use curl', async (t) => {
    const { maps, base, ask } = await scene(t)
    const object = await maps.create(aConfigMap('a', { x: '1' }))
    const yaml = await ask({ path: `${base}/a`, headers: { accept: 'application/yaml' } })
    assert.equal(yaml.headers['content-type'], 'application/yaml')
    assert.deepEqual(parse(yaml.text), object)
    const pretty = await ask({ path: `${base}/a`, headers: { 'user-agent': 'curl/8' } })
    assert.equal(pretty.text, JSON.stringify(pretty.json, null, 2))
    const asked = await ask({ path: `${base}/a?pretty=true` })
    assert.equal(asked.text, pretty.text)
    const compact = await ask({ path: `${base}/a?pretty=false`, headers: { 'user-agent': 'curl/8' } })
    assert.equal(compact.text, `${JSON.stringify(compact.json)}\n`)
  })

  test('E10: JSON is chosen where a client also accepts what is not served', async (t) => {
    const { maps, base, ask } = await scene(t)
    await maps.create(aConfigMap('a'))
    const accept = 'text/html, application/json;q=0.9, */*;q=0.1'
    const { code, headers } = await ask({ path: `${base}/a`, headers: { accept } })
    assert.deepEqual([code, headers['content-type']], [200, 'application/json'])
  })

  test('E10: a form that nobody serves is 406', async (t) => {
    const { maps, base, ask } = await scene(t)
    await maps.create(aConfigMap('a'))
    for (const accept of ['text/plain', 'image/png, text/html']) {
      const { code, headers, json: status } = await ask({ path: `${base}/a`, headers: { accept } })
      assert.deepEqual([code, status.reason, headers['content-type']], [406, 'NotAcceptable', 'application/json'])
    }
  })

  test('E10: large answers are packed for those who can unpack them', async (t) => {
    const { maps, base, ask } = await scene(t)
    const data = { text: 'lanyard '.repeat(20_000) }
    await maps.create(aConfigMap('large', data))
    const packed = await ask({ path: `${base}/large`, headers: { 'accept-encoding': 'gzip' } })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.deepEqual(packed.json.data, data)
    const plain = await ask({ path: `${base}/large` })
    assert.equal(plain.headers['content-encoding'], undefined)
    await maps.create(aConfigMap('small'))
    const small = await ask({ path: `${base}/small`, headers: { 'accept-encoding': 'gzip' } })
    assert.equal(small.headers['content-encoding'], undefined)
  })

  test('E10: warnings come in headers', async (t) => {
    const { base, ask } = await scene(t)
    const body = JSON.stringify({ metadata: { name: 'a' }, unknown: 1, other: 2 })
    const { code, headers } = await ask({ method: 'POST', path: base, headers: json, body })
    assert.equal(code, 201)
    assert.match(String(headers['warning']), /299 - "unknown field \\"(other|unknown)\\""/)
  })
})
