/** The client against a real API: what it sends is understood, and what it is sent is understood by it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { TokenRequest } from 'kubernetes-types/authentication/v1.d.ts'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { Secret } from '../../src/core/secret.ts'
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isUnauthorized,
} from '../../src/kube/failures.ts'
import {
  certificateSigningRequests,
  configMaps,
  customResourceDefinitions,
  secrets,
  serviceAccounts,
} from '../../src/kube/kinds.ts'
import type { Collection, Kube, WatchEvent } from '../../src/kube/kube.ts'
import type { KubeObject } from '../../src/kube/objects.ts'
import { resource } from '../../src/kube/objects.ts'
import type { CertifiedKey } from '../../src/pki/index.ts'
import { createRequest, generateKey } from '../../src/pki/index.ts'
import { aConfigMap, aSecret, aServiceAccount, uniqueName } from '../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { teardown } from '../support/test-scope.ts'
import { whoAmI } from '../support/who-am-i.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  return { plane, kube, namespace, here: kube.of(configMaps, namespace) }
}

/** The events of a watch until one will do. */
async function until<T extends KubeObject>(
  watch: AsyncIterable<WatchEvent<T>>,
  isLast: (event: WatchEvent<T>) => boolean,
): Promise<WatchEvent<T>[]> {
  const events: WatchEvent<T>[] = []
  for await (const event of watch) {
    events.push(event)
    if (isLast(event)) return events
  }
  assert.fail(`the watch ended after ${JSON.stringify(events)}`)
}

const told = (event: WatchEvent<ConfigMap>) =>
  event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.object.metadata.name}`

const fill = async (here: Collection<ConfigMap>, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - made) }, (_, i) => here.create(aConfigMap(`c-${made + i}`))),
    )
}

describe('the client', needsControlPlane, () => {
  test('creates, reads, updates and deletes', async (t) => {
    const { here, namespace } = await start(t)
    const created = await here.create({ metadata: { name: 'a' }, data: { k: 'ä€😀' } })
    assert.deepEqual([created.apiVersion, created.kind, created.metadata.namespace], ['v1', 'ConfigMap', namespace])
    await assert.rejects(here.create({ metadata: { name: 'a' } }), isAlreadyExists)
    assert.deepEqual(await here.get('a'), created)
    assert.deepEqual(await here.find('a'), created)
    const updated = await here.update(
      { ...created, data: { k: '2' } },
      { fieldManager: 'me', fieldValidation: 'Strict' },
    )
    assert.deepEqual(updated.data, { k: '2' })
    await assert.rejects(here.update({ ...created, data: { k: '3' } }), isConflict)
    await assert.rejects(here.delete('a', { preconditions: { uid: 'another' } }), isConflict)
    assert.equal(await here.delete('a', { dryRun: true }), true)
    assert.equal(await here.delete('a', { propagationPolicy: 'Background', gracePeriodSeconds: 0 }), true)
    assert.equal(await here.delete('a'), false)
    assert.equal(await here.find('a'), undefined)
    await assert.rejects(here.get('a'), isNotFound)
  })

  test('takes generated names, dry runs and refusals as the server gives them', async (t) => {
    const { here } = await start(t)
    const { metadata } = await here.create({ metadata: { generateName: 'a-' } })
    assert.match(metadata.name, /^a-.{5}$/)
    await here.create(aConfigMap('dry'), { dryRun: true })
    assert.equal(await here.find('dry'), undefined)
    await assert.rejects(here.create(aConfigMap('Not_A_Name')), isInvalid)
    await assert.rejects(here.create({ ...aConfigMap('a'), wrong: 1 } as ConfigMap, { fieldValidation: 'Strict' }), {
      code: 400,
    })
  })

  test('a kind that is not served is an error, not an absence', async (t) => {
    const { kube, namespace } = await start(t)
    const widgets = kube.of(resource('no.such.group/v1', 'Widget', 'widgets'), namespace)
    await assert.rejects(widgets.find('a'), isNotFound)
    await assert.rejects(widgets.delete('a'), isNotFound)
    await assert.rejects(widgets.list(), isNotFound)
  })

  test('patches in three ways', async (t) => {
    const { here } = await start(t)
    await here.create(aConfigMap('a', { keep: '1', drop: '2' }))
    const operations = [
      { op: 'test', path: '/data/keep', value: '1' },
      { op: 'add', path: '/data/json', value: 'j' },
    ]
    await here.patch('a', { type: 'json', operations })
    await here.patch('a', { type: 'merge', body: { data: { drop: null, merge: 'm' } } })
    const patched = await here.patch('a', { type: 'strategic', body: { data: { strategic: 's' } } })
    assert.deepEqual(patched.data, { keep: '1', json: 'j', merge: 'm', strategic: 's' })
    await assert.rejects(
      here.patch('a', { type: 'json', operations: [{ op: 'test', path: '/data/keep', value: 'no' }] }),
      isInvalid,
    )
    await assert.rejects(here.patch('b', { type: 'merge', body: {} }), isNotFound)
  })

  test('applies, meets a conflict that names the owner, and overrides it by force', async (t) => {
    const { here } = await start(t)
    await here.apply(aConfigMap('a', { k: '1' }), { fieldManager: 'first' })
    const mine = aConfigMap('a', { k: '2' })
    await assert.rejects(here.apply(mine, { fieldManager: 'second' }), (error) => {
      assert.ok(isConflict(error))
      assert.equal(error.details?.causes?.[0]?.reason, 'FieldManagerConflict')
      assert.match(error.message, /first/)
      return true
    })
    const applied = await here.apply(mine, { fieldManager: 'second', force: true })
    assert.deepEqual(applied.data, { k: '2' })
    // Applying without what one owned takes it away.
    assert.equal((await here.apply(aConfigMap('a'), { fieldManager: 'second' })).data?.['k'], undefined)
  })

  test('writes to subresources', async (t) => {
    const { kube, namespace } = await start(t)
    const { name } = aServiceAccount('robot').metadata
    await kube.of(serviceAccounts, namespace).create(aServiceAccount(name))
    const { status } = await kube
      .of(serviceAccounts, namespace)
      .createSubresource<TokenRequest, TokenRequest>(name, 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [], expirationSeconds: 3_600 },
      })
    assert.match(status?.token ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/)

    const requests = kube.of(certificateSigningRequests)
    const request = await createRequest({ keyPem: generateKey().keyPem, subject: { commonName: 'someone' } })
    const made = await requests.create({
      metadata: { name: uniqueName('csr') },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'example.com/none',
        usages: ['client auth'],
      },
    })
    teardown(t, async () => {
      await requests.delete(made.metadata.name)
    })
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'in a test' }
    const approved = await requests.update(
      { ...made, status: { ...made.status, conditions: [condition] } },
      { subresource: 'approval' },
    )
    assert.equal(approved.status?.conditions?.[0]?.reason, 'Test')
  })

  test('lists 1,200 objects in pages of 500, filtered or not, and deletes them by label', async (t) => {
    const { here } = await start(t)
    await fill(here, 1_200)
    await here.patch('c-7', { type: 'merge', body: { metadata: { labels: { pick: 'me' } } } })
    const sizes: number[] = []
    for await (const page of here.pages({ pageSize: 500, labelSelector: '!kubernetes.io/none' })) {
      sizes.push(page.items.length)
      assert.deepEqual([page.items[0]?.apiVersion, page.items[0]?.kind], ['v1', 'ConfigMap'])
    }
    assert.equal(sizes[0], 500)
    assert.equal(sizes.length, 3)
    const { items, metadata } = await here.list()
    const mine = items.filter((item) => item.metadata.name.startsWith('c-'))
    assert.equal(new Set(mine.map((item) => item.metadata.uid)).size, 1_200)
    assert.match(metadata.resourceVersion, /^\d+$/)
    assert.equal(metadata.continue, undefined)
    const picked = await here.list({ labelSelector: 'pick in (me)', fieldSelector: 'metadata.name!=x' })
    assert.deepEqual(
      picked.items.map((item) => item.metadata.name),
      ['c-7'],
    )
    await here.deleteCollection({ labelSelector: 'pick=me' })
    assert.equal(await here.find('c-7'), undefined)
    assert.ok(await here.find('c-8'))
  })

  test('watches from a version on, and from now on', async (t) => {
    const { here } = await start(t)
    const { metadata } = await here.list()
    const created = await here.create(aConfigMap('a'))
    await here.update({ ...created, data: { k: '1' } })
    await here.delete('a')
    const { resourceVersion } = metadata
    // The server puts a ConfigMap of its own into each namespace, at a moment of its choice.
    const fieldSelector = 'metadata.name=a'
    const events = await until(here.watch({ resourceVersion, fieldSelector }), (event) => event.type === 'DELETED')
    assert.deepEqual(events.map(told), ['ADDED a', 'MODIFIED a', 'DELETED a'])
    const selected = here.watch({ resourceVersion, fieldSelector: 'metadata.name=b' })
    await here.create(aConfigMap('b'))
    assert.deepEqual((await until(selected, () => true)).map(told), ['ADDED b'])
  })

  test('a watch ends when its time is over, without an error', async (t) => {
    const { here } = await start(t)
    const { metadata } = await here.list()
    const { resourceVersion } = metadata
    for await (const event of here.watch({ resourceVersion, timeoutSeconds: 1, fieldSelector: 'metadata.name=none' }))
      assert.equal(event.type, 'BOOKMARK')
  })

  test('streams what is there and marks its end with a bookmark', async (t) => {
    const { here } = await start(t)
    await here.create(aConfigMap('a'))
    await here.create(aConfigMap('b'))
    const isEnd = (event: WatchEvent<ConfigMap>) => event.type === 'BOOKMARK' && event.initialEventsEnd
    const events = await until(here.watch({ sendInitialEvents: true }), isEnd)
    const mine = events.map(told).filter((event) => /^ADDED [ab]$/.test(event))
    assert.deepEqual(mine.sort(), ['ADDED a', 'ADDED b'])
    const last = events.at(-1)
    assert.ok(last?.type === 'BOOKMARK' && Number(last.resourceVersion) > 0)
  })

  test('a version from before anything that the server remembers of a kind is Expired', async (t) => {
    const { kube } = await start(t)
    const widgets = await serveWidgets(t, kube)
    await assert.rejects(
      until(widgets.watch({ resourceVersion: '1', timeoutSeconds: 5 }), () => false),
      isExpired,
    )
  })

  test('sees metadata and nothing else where that is asked for', async (t) => {
    const { kube, namespace } = await start(t)
    const here = kube.of(secrets, namespace)
    await here.create(aSecret('a', { password: 'canary' }))
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
    const one = await here.metadata.get('a')
    assert.deepEqual({ ...one, metadata: one.metadata.name }, { ...partial, metadata: 'a' })
    const { items, metadata } = await here.metadata.list()
    assert.deepEqual(
      items.map((item) => item.metadata.name),
      ['a'],
    )
    const watch = here.metadata.watch({ resourceVersion: metadata.resourceVersion })
    await here.patch('a', { type: 'merge', body: { metadata: { labels: { x: 'y' } } } })
    const [event] = await until(watch, ({ type }) => type === 'MODIFIED')
    assert.ok(event?.type === 'MODIFIED' && event.object.metadata.labels?.['x'] === 'y')
    assert.doesNotMatch(JSON.stringify([one, items, event]), new RegExp(Buffer.from('canary').toString('base64')))
  })

  test('holds 250 watches at once, and all of them hear of an event', async (t) => {
    const { here } = await start(t)
    const { metadata } = await here.list()
    const { resourceVersion } = metadata
    const heard = Array.from({ length: 250 }, () =>
      until(here.watch({ resourceVersion, fieldSelector: 'metadata.name=a' }), ({ type }) => type === 'ADDED'),
    )
    await here.create(aConfigMap('a'))
    for (const events of await Promise.all(heard)) assert.equal(told(events.at(-1)!), 'ADDED a')
    // The connection for calls was never in the way.
    assert.ok(await here.get('a'))
  })

  test('carries 500 calls at once', async (t) => {
    const { here } = await start(t)
    await Promise.all(Array.from({ length: 500 }, (_, i) => here.create(aConfigMap(`c-${i}`))))
    const { items } = await here.list({ pageSize: 100 })
    assert.equal(items.filter((item) => item.metadata.name.startsWith('c-')).length, 500)
  })

  test('changes its certificate under continuous requests without one that fails', async (t) => {
    const { plane, kube, namespace } = await start(t)
    const users = ['one', 'two', 'three']
    const certificates = await Promise.all(
      users.map((commonName) => plane.issueClientCertificate({ commonName, organizations: ['system:masters'] })),
    )
    let certificate = certificates[0] as CertifiedKey
    const credentials = async () => ({ certificate })
    const client = kubeClient(t, { ...plane.connection(), credentials })
    const here = client.of(configMaps, namespace)
    const { metadata } = await kube.of(configMaps, namespace).create(aConfigMap('marker'))
    let running = true
    let made = 0
    const load = Array.from({ length: 8 }, async (_, worker) => {
      await here.create(aConfigMap(`counter-${worker}`))
      while (running) {
        await here.patch(`counter-${worker}`, { type: 'merge', body: { data: { made: String(made++) } } })
      }
    })
    const watched = follow(here, metadata.resourceVersion)
    const seen: string[] = []
    for (const next of certificates) {
      certificate = next
      const before = made
      await eventually('requests go on', () => made > before + 50)
      seen.push((await whoAmI(client)).username ?? '')
    }
    running = false
    await Promise.all(load)
    assert.deepEqual(seen, users)
    // A watch that is taken up where it ended misses nothing.
    const last = await here.patch('marker', { type: 'merge', body: { data: { done: 'yes' } } })
    assert.equal(await watched, last.metadata.resourceVersion)
  })

  test('a token that the server no longer takes is asked for anew', async (t) => {
    const { plane, kube, namespace } = await start(t)
    await kube.of(serviceAccounts, namespace).create(aServiceAccount('robot'))
    const token = await tokenFor(kube, namespace, 'robot')
    const connection = {
      ...plane.connection(),
      credentials: async (options: { refresh?: boolean } = {}) => ({
        authorization: options.refresh ? token : Secret.of('stale'),
      }),
    }
    const robot = kubeClient(t, connection)
    assert.equal((await whoAmI(robot)).username, `system:serviceaccount:${namespace}:robot`)
    await assert.rejects(robot.of(secrets, namespace).list(), isForbidden)
    const stranger = kubeClient(t, plane.connection({ authorization: Secret.of('stale') }))
    await assert.rejects(stranger.of(secrets, namespace).list(), isUnauthorized)
  })

  test('asks for what is no object', async (t) => {
    const { kube } = await start(t)
    const version = await kube.request<{ major: string }>({ path: '/version' })
    assert.match(version.major, /^\d+$/)
    assert.equal(await kube.request({ path: '/readyz' }), 'ok')
    assert.match(await kube.request<string>({ path: '/readyz', query: { verbose: true } }), /\[\+\]ping ok/)
    await assert.rejects(kube.request({ path: '/nowhere' }), isNotFound)
  })
})

/** Watches until `done` is in the data of the marker, resuming wherever a watch ends; the version it got to. */
async function follow(here: Collection<ConfigMap>, from: string): Promise<string> {
  for (let resourceVersion = from; ; )
    for await (const event of here.watch({ resourceVersion, timeoutSeconds: 30 })) {
      if (event.type === 'BOOKMARK') continue
      resourceVersion = event.object.metadata.resourceVersion
      if (event.object.data?.['done']) return resourceVersion
    }
}

async function tokenFor(kube: Kube, namespace: string, name: string): Promise<Secret> {
  const { status } = await kube
    .of(serviceAccounts, namespace)
    .createSubresource<TokenRequest, TokenRequest>(name, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: [], expirationSeconds: 600 },
    })
  return Secret.of(status?.token ?? '')
}

/** A kind of its own: of it the server knows nothing older than this moment. */
async function serveWidgets(t: TestContext, kube: Kube): Promise<Collection<KubeObject>> {
  const group = `${uniqueName('test')}.example.com`
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' }
  const schema = { openAPIV3Schema: { type: 'object' } }
  const definitions = kube.of(customResourceDefinitions)
  const { metadata } = await definitions.create({
    metadata: { name: `widgets.${group}` },
    spec: { group, names, scope: 'Cluster', versions: [{ name: 'v1', served: true, storage: true, schema }] },
  })
  teardown(t, async () => {
    await definitions.delete(metadata.name)
  })
  const widgets = kube.of(resource(`${group}/v1`, 'Widget', 'widgets', { namespaced: false }))
  await eventually('the new kind is served', async () =>
    widgets.list().catch((error) => (isNotFound(error) ? undefined : Promise.reject(error))),
  )
  return widgets
}
