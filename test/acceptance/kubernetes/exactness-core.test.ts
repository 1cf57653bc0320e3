/** Corners of reading and deleting that random requests found, held to on both control planes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { RawCall } from '../../support/raw-call.ts'
import { rawCall } from '../../support/raw-call.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { rawWatch } from '../../support/raw-watch.ts'
import type { TestScope } from '../../support/test-scope.ts'

async function scene(t: TestScope) {
  const plane = await startControlPlane(t)
  const namespace = await freshNamespace(t, kubeClient(t, plane.connection()))
  const within = `/api/v1/namespaces/${namespace}`
  const call = (request: RawCall) => rawCall(plane, request)
  const post = (path: string, body: unknown) => call({ method: 'POST', path, body })
  const event = (name: string) =>
    post(`${within}/events`, { metadata: { name }, involvedObject: { namespace, name: 'x' } })
  const remove = (path: string, options: object) => {
    const body = JSON.stringify(options)
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    return rawRequest(plane, { method: 'DELETE', path, headers, body })
  }
  return { plane, namespace, within, call, post, event, remove }
}

const mergePatch = 'application/merge-patch+json'

test('events are read past the cache: in pages, and without a wait', needsControlPlane, async (t) => {
  const { within, call, event } = await scene(t)
  for (const name of ['a', 'b']) await event(name)
  const path = `${within}/events`
  const none = await call({ path: `${path}/a`, query: { resourceVersion: 'x' } })
  assert.equal(none.code, 400)
  assert.match(none.body.message, /^invalid resource version: resourceVersion: Invalid value: "x"/)
  const page = await call({ path, query: { resourceVersion: '0', limit: '1' } })
  assert.deepEqual([page.body.items.length, page.body.metadata.remainingItemCount], [1, 1])
  const early = await call({ path, query: { resourceVersion: '999999999' } })
  assert.deepEqual([early.code, early.body.details.retryAfterSeconds], [504, undefined])
})

test('a patch of an unknown type is refused before anybody warns', needsControlPlane, async (t) => {
  const { within, call } = await scene(t)
  const path = `${within}/endpoints/a`
  const { code, warnings } = await call({ method: 'PATCH', path, contentType: 'application/json', body: {} })
  assert.deepEqual([code, warnings], [415, []])
  const known = await call({ method: 'PATCH', path, contentType: mergePatch, body: {} })
  assert.deepEqual([known.code, known.warnings.length], [404, 1])
})

test('a precondition that fails names what is kept, but for namespaces', needsControlPlane, async (t) => {
  const { namespace, remove: ask, event } = await scene(t)
  await event('a')
  const remove = async (path: string) => (await ask(path, { preconditions: { resourceVersion: '1' } })).json
  const ofEvent = await remove(`/apis/events.k8s.io/v1/namespaces/${namespace}/events/a`)
  assert.match(ofEvent.message, /^Operation cannot be fulfilled on Event "a": the ResourceVersion in the precondition/)
  const ofNamespace = await remove(`/api/v1/namespaces/${namespace}`)
  assert.match(ofNamespace.message, /on namespaces ".*": Precondition failed: ResourceVersion in precondition: 1, /)
})

test('what is wrong with the selectors comes first', needsControlPlane, async (t) => {
  const { plane, within, remove } = await scene(t)
  const path = `${within}/configmaps`
  const options = { propagationPolicy: 'Sideways' }
  for (const query of ['labelSelector=a/b/c=d', 'fieldSelector=no.such=a'])
    assert.equal((await remove(`${path}?${query}`, options)).code, 400)
  assert.equal((await remove(path, options)).code, 422)
  const watched = `${path}?watch=true&fieldSelector=no.such=a`
  assert.equal((await rawRequest(plane, { path: watched, headers: { accept: 'application/yaml' } })).code, 400)
})

test('the answer to a token says whose each part of a bound object is', needsControlPlane, async (t) => {
  const { within, post } = await scene(t)
  await post(`${within}/serviceaccounts`, { metadata: { name: 'a' } })
  await post(`${within}/secrets`, { metadata: { name: 's' } })
  const spec = { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } }
  const { body } = await post(`${within}/serviceaccounts/a/token`, { spec })
  const [entry] = body.metadata.managedFields
  assert.deepEqual(Object.keys(entry.fieldsV1['f:spec']['f:boundObjectRef']).sort(), [
    'f:apiVersion',
    'f:kind',
    'f:name',
  ])
})

test('a text that breaks off is refused in the words of Go', needsControlPlane, async (t) => {
  const { within, call } = await scene(t)
  const refusal = async (body: string, contentType = 'application/json') => {
    const answer = await call({ method: 'POST', path: `${within}/configmaps`, body, contentType })
    return answer.body.message as string
  }
  const yaml = 'application/yaml'
  assert.match(await refusal('{"immutable":f'), /invalid character ' ' in literal false \(expecting 'a'\)/)
  assert.match(await refusal('{"a":"\\'), /invalid character ' ' in string escape code/)
  assert.match(await refusal('{"a":"b'), /unexpected end of JSON input/)
  assert.match(await refusal('{"a":"b', yaml), /: yaml: found unexpected end of stream /)
  assert.match(await refusal('{"a":{"b":1', yaml), /: yaml: line 1: did not find expected ',' or '}' /)
  assert.match(await refusal('{"a":', yaml), /: yaml: line 1: did not find expected node content /)
})

test('an owner that cannot be one is shown in one order', needsControlPlane, async (t) => {
  const { within, call, post } = await scene(t)
  await post(`${within}/configmaps`, { metadata: { name: 'a' } })
  const owner = { uid: 'u', name: 'e', kind: 'Event', apiVersion: 'v1', blockOwnerDeletion: true }
  const body = { metadata: { ownerReferences: [owner] } }
  const { body: refusal } = await call({
    ...{ method: 'PATCH', path: `${within}/configmaps/a`, contentType: mergePatch, body },
  })
  assert.ok(
    refusal.details.causes[0].message.includes(
      '{"apiVersion":"v1","kind":"Event","name":"e","uid":"u","blockOwnerDeletion":true}',
    ),
  )
})

test('the object of a bookmark is an empty one of its kind', needsControlPlane, async (t) => {
  const { plane, namespace } = await scene(t)
  const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const bookmark = async (collection: string, accept = 'application/json') => {
    const path = `${collection}?watch=true&${initial}&labelSelector=no-such`
    // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
    const { lines, hangUp } = rawWatch<any>(t, plane, { path, headers: { accept } })
    const line = await eventually('there is a line', () => lines[0])
    hangUp()
    assert.equal(line.type, 'BOOKMARK')
    const { metadata, kind: _, apiVersion: __, ...rest } = line.object
    return rest
  }
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const of = (kind: string) => `/api/v1/namespaces/${namespace}/${kind}`
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`
  const [events, pods, deployment, role, services, roleTable] = await Promise.all([
    bookmark(of('events')),
    bookmark(of('pods')),
    bookmark(deployments),
    bookmark(roles),
    bookmark(of('services'), table),
    bookmark(roles, table),
  ])
  assert.deepEqual(events, {
    ...{ involvedObject: {}, source: {}, firstTimestamp: null, lastTimestamp: null, eventTime: null },
    ...{ reportingComponent: '', reportingInstance: '' },
  })
  assert.deepEqual(pods, { spec: { containers: null }, status: {} })
  const template = { metadata: {}, spec: { containers: null } }
  assert.deepEqual(deployment, { spec: { replicas: 0, selector: null, template, strategy: {} }, status: {} })
  assert.deepEqual(role, { rules: null })
  assert.deepEqual(services.rows[0].cells, ['', '', '<none>', '<unknown>', '<none>', '<unknown>', '<none>'])
  assert.deepEqual(roleTable.rows[0].cells, ['', '0001-01-01T00:00:00Z'])
})

test(
  'the series of an event is whole in the one group, and what was said in the other',
  needsControlPlane,
  async (t) => {
    const { namespace, within, call, post } = await scene(t)
    const series = { lastObservedTime: '2026-01-02T03:04:05.000006Z' }
    const involvedObject = { namespace, name: 'x' }
    const { body } = await post(`${within}/events`, { metadata: { name: 'a' }, involvedObject, series })
    assert.deepEqual(body.series, series)
    const other = await call({ path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events/a` })
    assert.deepEqual(other.body.series, { count: 0, ...series })
  },
)

test('what is unknown in a YAML text is told in the order of its names', needsControlPlane, async (t) => {
  const { within, call } = await scene(t)
  const body = 'metadata: {name: a}\nzebra: 1\nant: 1\n'
  const path = `${within}/configmaps`
  const { warnings } = await call({ method: 'POST', path, contentType: 'application/yaml', body })
  assert.deepEqual(warnings, ['unknown field "ant"', 'unknown field "zebra"'])
})
