import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { advanceUntil } from '../../../test/support/advance-until.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { startScriptedIssuer } from '../../../test/support/issuer.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import type { Call } from '../../../test/support/memory-kube-parts.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import { randomFrom } from '../../core/random.ts'
import { Secret } from '../../core/secret.ts'
import { startApi } from '../../kube/client/testing/api.ts'
import { informer } from '../../kube/informer.ts'
import { namespaces, secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { formatKubeconfig } from '../../kube/kubeconfig/index.ts'
import type { SpokeSettings } from './contract.ts'
import { defaultSpokeSettings } from './contract.ts'
import { graceMs } from './held.ts'
import { spokeAnnotations } from './names.ts'
import { createSpokes } from './spokes.ts'
import { spokeView } from './view.ts'

type Spec = ClusterConfig['spec']

const server = 'https://west.example.com:6443'
const ref = (name: string) => ({ namespace: 'hub', name })
const base64 = (text: string) => Buffer.from(text).toString('base64')
const kubeconfig = (token: string, at = server, ca?: string) =>
  formatKubeconfig({
    clusters: [{ name: 'it', value: { server: at, ...(ca && { certificateAuthorityData: ca }) } }],
    users: [{ name: 'it', value: { token: Secret.of(token) } }],
    contexts: [{ name: 'it', value: { cluster: 'it', user: 'it' } }],
    currentContext: 'it',
  }).reveal()
const oidcAuth = {
  issuerURL: 'https://idp.example.com',
  clientID: 'hub',
  clientSecretRef: ref('client'),
  server,
  insecureSkipTLSVerify: true,
}

/** The same API, whose watch shows a change of a Secret when `shown` lets it. */
const showingSecretsLate = (kube: Kube, shown: () => Promise<void>): Kube => ({
  ...kube,
  of: (resource, namespace) => {
    const collection = kube.of(resource, namespace)
    if ((resource as { kind: string }).kind !== 'Secret') return collection
    const { metadata } = collection
    const watch: typeof metadata.watch = async function* (options) {
      for await (const event of metadata.watch(options)) {
        await shown()
        yield event
      }
    }
    return { ...collection, metadata: { ...metadata, watch } }
  },
})

/**
 * A hub in memory, with one Secret `west` that holds a kubeconfig. `answered` may hold up what is answered about Secrets,
 * and `shown` what their watch shows.
 */
async function hub(
  t: TestScope,
  answered: (call: Call) => Promise<void> = async () => {},
  shown: () => Promise<void> = async () => {},
) {
  const clock = new FakeClock(new Date())
  const memory = new MemoryKube(clock)
  const settings: SpokeSettings = { ...defaultSpokeSettings }
  const kube: Kube = memory.through(async (call, proceed) => {
    const answer = await proceed()
    if (call.plural === 'secrets') await answered(call)
    return answer
  })
  const common = { clock, random: randomFrom(() => 0.5), log: silentLog, metrics: noMetrics }
  const view = spokeView(showingSecretsLate(kube, shown), common)
  const spokes = createSpokes({ ...common, kube, view, settings: () => settings })
  const stop = runInTest(t, [view.run, spokes.run])
  const configs = (namespace = 'hub') => memory.of(ClusterConfig.resource, namespace)
  const secret = async (name: string, data: Record<string, string>) => {
    const encoded = Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]))
    const held = memory.of(secrets, 'hub')
    if (await held.find(name)) await held.patch(name, { type: 'merge', body: { data: encoded } })
    else await held.create({ metadata: { namespace: 'hub', name }, data: encoded })
    await clock.settle()
  }
  const add = async (spec: Spec, name = 'west', namespace = 'hub') => {
    await configs(namespace).create({ metadata: { name, namespace }, spec })
    await clock.settle()
  }
  const change = async (body: object) => {
    await configs().patch('west', { type: 'merge', body })
    await clock.settle()
  }
  await secret('west', { value: kubeconfig('first') })
  const secretReads = () => memory.calls.filter(({ verb, plural }) => verb === 'get' && plural === 'secrets').length
  return { clock, memory, settings, spokes, configs, secret, add, change, stop, secretReads }
}

const byKubeconfig: Spec = { kubeconfigSecretRef: ref('west') }

test('callers at the same time share one opening, and later ones what it came to', async (t) => {
  const { spokes, add, secretReads } = await hub(t)
  await add(byKubeconfig)
  const before = secretReads()
  const [one, two] = await Promise.all([spokes.open('west'), spokes.open('west')])
  assert.equal(one, two)
  assert.equal(await spokes.open('west'), one)
  assert.equal(secretReads() - before, 1)
  assert.deepEqual([one.cluster, one.namespace, one.by, one.server], ['west', 'hub', 'Kubeconfig', server])
  assert.deepEqual(one.trust, { source: 'System' })
})

test('who gives up leaves the others waiting', async (t) => {
  const gate = Promise.withResolvers<void>()
  const { spokes, add } = await hub(t, ({ name }) => (name === 'slow' ? gate.promise : Promise.resolve()))
  await add({ kubeconfigSecretRef: ref('slow') })
  const stop = new AbortController()
  const impatient = assert.rejects(spokes.open('west', { signal: stop.signal }), { message: 'enough' })
  const patient = assert.rejects(spokes.open('west'), { code: 'SPOKE_SECRET_MISSING' })
  stop.abort(new Error('enough'))
  await impatient
  gate.resolve()
  await patient
})

test('a failed opening is not kept', async (t) => {
  const { spokes, add, secret } = await hub(t)
  await add({ kubeconfigSecretRef: ref('late') })
  await assert.rejects(spokes.open('west'), { code: 'SPOKE_SECRET_MISSING' })
  await secret('late', { other: 'x' })
  await assert.rejects(spokes.open('west'), { code: 'SPOKE_SECRET_KEY_MISSING' })
  await secret('late', { kubeconfig: kubeconfig('late') })
  assert.deepEqual((await spokes.open('west')).notes, [
    { kind: 'old-key', key: 'kubeconfig', wanted: 'value', field: 'spec.kubeconfigSecretRef' },
  ])
})

test('a kubeconfig that cannot be used is told without what is in it', async (t) => {
  const { spokes, add, secret } = await hub(t)
  await add(byKubeconfig)
  for (const text of ['{canary', 'canary', kubeconfig('canary', 'http://canary.example.com')]) {
    await secret('west', { value: text })
    await assert.rejects(spokes.open('west'), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'SPOKE_KUBECONFIG_UNUSABLE')
      assert.doesNotMatch(error.message, /canary/)
      return true
    })
  }
})

test('a name that nobody has, and one that several have, lead nowhere', async (t) => {
  const { spokes, add, configs, clock } = await hub(t)
  await assert.rejects(spokes.open('west'), { code: 'SPOKE_UNKNOWN' })
  await add(byKubeconfig)
  await spokes.open('west')
  await add(byKubeconfig, 'west', 'other')
  await assert.rejects(spokes.open('west'), {
    code: 'SPOKE_AMBIGUOUS',
    params: { cluster: 'west', namespaces: 'hub, other' },
  })
  await configs('other').delete('west')
  await clock.settle()
  await spokes.open('west')
})

test('a change that overtakes an opening is not missed by those who wait for it', async (t) => {
  const gate = Promise.withResolvers<void>()
  let isSlow = false
  const { spokes, add, secret, clock } = await hub(t, async () => {
    if (isSlow) await gate.promise
  })
  await add(byKubeconfig)
  isSlow = true
  const opening = spokes.open('west')
  await clock.settle()
  isSlow = false
  await secret('west', { value: kubeconfig('second') })
  gate.resolve()
  const { fingerprint } = await (await opening).credential()
  assert.equal(fingerprint, createHash('sha256').update('second').digest('hex'))
})

test('a CA that an overtaken opening came to trust is told of', async (t) => {
  const gate = Promise.withResolvers<void>()
  const { spokes, add, change, memory } = await hub(t, ({ verb }) =>
    verb === 'create' ? gate.promise : Promise.resolve(),
  )
  const api = await startApi(t, () => {})
  const { insecureSkipTLSVerify: _, ...verified } = oidcAuth
  await add({ oidcAuth: { ...verified, server: api.url } })
  const opening = spokes.open('west')
  await eventually('it is being kept', () => memory.of(secrets, 'hub').find('west-tofu-ca'))
  await change({ spec: { qps: 7 } })
  gate.resolve()
  const { notes, trust } = await opening
  assert.deepEqual([notes.map(({ kind }) => kind), trust.source], [['first-use'], 'FirstUse'])
  assert.deepEqual((await spokes.open('west')).notes, [])
})

test('a Secret that the watch shows late, when a token was already got with it, is no news; what comes after it is', async (t) => {
  const gate = Promise.withResolvers<void>()
  let isLate = false
  const { spokes, add, secret, memory, clock } = await hub(t, undefined, async () => {
    if (isLate) await gate.promise
  })
  const issuer = await startScriptedIssuer(t)
  issuer.answer = () => ({
    body: { access_token: 'a', token_type: 'Bearer', expires_in: 300, refresh_token: `r${issuer.requests.length}` },
  })
  const common = { ...oidcAuth, issuerURL: issuer.issuer, certificateAuthority: issuer.caPem }
  const ways: [secret: string, own: Partial<NonNullable<Spec['oidcAuth']>>][] = [
    ['subject', { tokenExchange: { enabled: true, subjectTokenSecretRef: ref('subject') } }],
    ['offline', { refreshTokenSecretRef: ref('offline') }],
    ['rotating', { refreshTokenSecretRef: ref('rotating'), rotatedRefreshTokenKey: 'rotated' }],
  ]
  await secret('client', { 'client-secret': 'x' })
  isLate = true
  for (const [name, own] of ways) {
    await secret(name, { token: 'first' })
    await add({ oidcAuth: { ...common, ...own } }, name)
  }
  const opened = async () => {
    const spoke = await Promise.all(ways.map(([name]) => spokes.open(name)))
    for (const { credential } of spoke) await credential()
    return spoke
  }
  const before = await opened()
  const asked = issuer.requests.length
  const kept = await memory.of(secrets, 'hub').get('rotating')
  assert.ok(kept.data?.['rotated'], 'its own write comes late as well')
  isLate = false
  gate.resolve()
  await clock.settle(50)
  assert.deepEqual(await opened(), before)
  assert.equal(issuer.requests.length, asked)

  for (const [name] of ways) await secret(name, { token: 'second' })
  await clock.settle(50)
  const after = await opened()
  for (const [index, spoke] of after.entries()) assert.notEqual(spoke, before[index], spoke.cluster)
})

test('a Secret that the watch shows while it is being read for the first token is no news', async (t) => {
  const read = Promise.withResolvers<void>()
  const shown = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  const { spokes, add, secret, clock } = await hub(
    t,
    async ({ verb, name }) => {
      if (verb !== 'get' || name !== 'subject') return
      isRead.resolve()
      await read.promise
    },
    () => shown.promise,
  )
  const issuer = await startScriptedIssuer(t)
  const tokenExchange = { enabled: true, subjectTokenSecretRef: ref('subject') }
  const { issuer: issuerURL, caPem: certificateAuthority } = issuer
  await secret('client', { 'client-secret': 'x' })
  await secret('subject', { token: 'first' })
  await add({ oidcAuth: { ...oidcAuth, issuerURL, certificateAuthority, tokenExchange } })
  const before = await spokes.open('west')
  const credential = before.credential()
  await isRead.promise
  shown.resolve()
  await clock.settle(50)
  read.resolve()
  await credential
  assert.equal(await spokes.open('west'), before)
})

test('what was heard of a Secret before it is read for the first token is no news, whatever is read', async (t) => {
  const { spokes, add, secret, clock } = await hub(t)
  const issuer = await startScriptedIssuer(t)
  const refresh = { refreshTokenSecretRef: ref('offline'), rotatedRefreshTokenKey: 'rotated' }
  const { issuer: issuerURL, caPem: certificateAuthority } = issuer
  await secret('client', { 'client-secret': 'x' })
  await add({ oidcAuth: { ...oidcAuth, issuerURL, certificateAuthority, ...refresh } })
  const before = await spokes.open('west')
  await secret('offline', { token: 'first' })
  // As another cluster that shares it would: a successor is no news.
  await secret('offline', { rotated: 'second' })
  assert.equal(await spokes.open('west'), before)
  await before.credential()
  await clock.settle(50)
  assert.equal(await spokes.open('west'), before)
})

test('an old key of the client secret is told of', async (t) => {
  const { spokes, add, secret } = await hub(t)
  await secret('client', { value: 'x' })
  await add({ oidcAuth })
  assert.deepEqual((await spokes.open('west')).notes, [
    { kind: 'old-key', key: 'value', wanted: 'client-secret', field: 'spec.oidcAuth.clientSecretRef' },
  ])
})

test('a client is made anew by its Secret and its spec, not by labels or other Secrets', async (t) => {
  const { spokes, add, change, secret } = await hub(t)
  await add(byKubeconfig)
  const first = await spokes.open('west')
  await change({ metadata: { labels: { a: 'b' }, annotations: { [spokeAnnotations.checkRequestedAt]: 'now' } } })
  await change({ status: { server } })
  await secret('another', { value: 'x' })
  assert.equal(await spokes.open('west'), first)
  await secret('west', { value: kubeconfig('second') })
  const second = await spokes.open('west')
  assert.notEqual(second, first)
  assert.notEqual((await second.credential()).fingerprint, (await first.credential()).fingerprint)
  await change({ spec: { qps: 7 } })
  assert.notEqual(await spokes.open('west'), second)
})

test('a confirmed fingerprint counts when it comes, and not when it is taken away', async (t) => {
  const { spokes, add, change } = await hub(t)
  await add({ oidcAuth })
  const first = await spokes.open('west')
  await change({ metadata: { annotations: { [spokeAnnotations.trustedFingerprint]: 'AB' } } })
  const second = await spokes.open('west')
  assert.notEqual(second, first)
  await change({ metadata: { annotations: { [spokeAnnotations.trustedFingerprint]: null } } })
  assert.equal(await spokes.open('west'), second)
})

test('a client is made anew by its identity provider, and by the Secret of that', async (t) => {
  const { spokes, add, secret, memory, clock } = await hub(t)
  const providers = memory.of(IdentityProvider.resource)
  const keycloak = { baseURL: 'https://idp', realm: 'a', clientID: 'service', clientSecretRef: ref('keycloak') }
  const oidc = { authority: 'https://idp.example.com', clientID: 'people' }
  await providers.create({ metadata: { name: 'corp' }, spec: { oidc, keycloak } })
  await add({ oidcFromIdentityProvider: { name: 'corp', server, insecureSkipTLSVerify: true } })
  const first = await spokes.open('west')
  await providers.patch('corp', { type: 'merge', body: { status: { observedGeneration: 1 } } })
  await clock.settle()
  assert.equal(await spokes.open('west'), first)
  await secret('keycloak', { 'client-secret': 'x' })
  const second = await spokes.open('west')
  assert.notEqual(second, first)
  await providers.patch('corp', { type: 'merge', body: { spec: { disabled: true } } })
  await clock.settle()
  await assert.rejects(spokes.open('west'), { code: 'SPOKE_PROVIDER_UNUSABLE' })
})

test('the switch for loopback addresses counts with the next opening', async (t) => {
  const { spokes, add, secret, settings } = await hub(t)
  settings.insideCluster = true
  await secret('west', { value: kubeconfig('x', 'https://localhost:6443') })
  await add(byKubeconfig)
  assert.equal((await spokes.open('west')).server, 'https://kubernetes.default.svc')
  settings.rewriteLoopback = false
  assert.equal((await spokes.open('west')).server, 'https://localhost:6443')
})

test('an old client stays for those who hold it, for a while', async (t) => {
  const { spokes, add, secret, clock } = await hub(t)
  await secret('west', { value: kubeconfig('first', 'https://127.0.0.1:1') })
  await add(byKubeconfig)
  const old = await spokes.open('west')
  spokes.forget('west')
  await clock.advance(graceMs - 1)
  const held = assert.rejects(old.kube.request({ path: '/version' }), { code: 'KUBE_CLOSED' })
  await clock.advance(1)
  await held
  await assert.rejects(old.kube.request({ path: '/version' }), { code: 'KUBE_CLOSED' })
})

test('the end of the hub, or of the ClusterConfig, closes its client at once', async (t) => {
  const { spokes, add, configs, clock, stop } = await hub(t)
  await add(byKubeconfig)
  const gone = await spokes.open('west')
  await configs().delete('west')
  await clock.settle()
  await assert.rejects(gone.kube.request({ path: '/version' }), { code: 'KUBE_CLOSED' })
  await add(byKubeconfig)
  const last = await spokes.open('west')
  await stop()
  await assert.rejects(last.kube.request({ path: '/version' }), { code: 'KUBE_CLOSED' })
  await assert.rejects(spokes.open('west'), { code: 'KUBE_CLOSED' })
})

test('a cluster that does not answer is left alone for a while, and then tried by one call', async (t) => {
  const { spokes, add, secret, clock } = await hub(t)
  const api = await startApi(t, ({ json }) => json(200, { major: '1' }))
  const proxy = await startFaultProxy(t, api.url)
  proxy.refuse()
  await secret('west', { value: kubeconfig('x', proxy.url, api.authority.caPem) })
  await add(byKubeconfig)
  const { kube } = await spokes.open('west')
  const call = () => kube.request({ path: '/version' })
  const outcome = async (calling: Promise<unknown>) => {
    const codes: string[] = []
    void calling.then(
      () => codes.push('answered'),
      ({ code }) => codes.push(code),
    )
    await advanceUntil(clock, 'it is over', () => codes.length > 0, 50)
    return codes[0]
  }
  // The call that finds out tells what it found.
  assert.equal(await outcome(call()), 'KUBE_UNREACHABLE')
  assert.equal(await outcome(call()), 'SPOKE_PAUSED')
  await clock.advance('30s')
  const [trial, other] = [outcome(call()), outcome(call())]
  assert.deepEqual([await trial, await other], ['KUBE_UNREACHABLE', 'SPOKE_PAUSED'])
  proxy.heal()
  await clock.advance('30s')
  assert.equal(await outcome(call()), 'answered')
  assert.equal(await outcome(call()), 'answered')
})

test('what a cluster answers fills nothing: neither one answer, nor one byte at a time, nor several at once', async (t) => {
  const { secret, add, spokes } = await hub(t)
  let written = 0
  const api = await startApi(t, async ({ path, res, gone }) => {
    let isGone = false
    gone.then(() => {
      isGone = true
    })
    const piece = Buffer.alloc(path === '/slow' ? 256 * 1_024 : 2 ** 20, 'x')
    res.writeHead(200, { 'content-type': 'text/plain' })
    for (let sent = 0; sent < 64 * 2 ** 20 && !isGone; sent += piece.length) {
      written += piece.length
      if (!res.write(piece)) await Promise.race([gone, new Promise((resolve) => res.once('drain', resolve))])
    }
    res.end()
  })
  await secret('west', { value: kubeconfig('x', api.url, api.authority.caPem) })
  await add(byKubeconfig)
  const { kube } = await spokes.open('west')
  await assert.rejects(kube.request({ path: '/version' }), {
    code: 'KUBE_BAD_ANSWER',
    message: /longer than there is room for/,
  })
  assert.ok(written < 32 * 2 ** 20, `${written} bytes`)
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => kube.request({ path: '/slow' })))
  assert.deepEqual(
    all.map(({ status }) => status),
    Array(8).fill('rejected'),
  )
  assert.ok(written < 128 * 2 ** 20, `${written} bytes`)
})

test('what a cluster has more of than the hub keeps is not kept', async (t) => {
  const { secret, add, spokes } = await hub(t)
  let pages = 0
  const api = await startApi(t, ({ json }) => {
    const metadata = {
      name: `n${pages++}`,
      uid: `${pages}`,
      resourceVersion: '1',
      labels: { large: 'x'.repeat(2 ** 20) },
    }
    const items = [{ kind: 'PartialObjectMetadata', metadata }]
    json(200, {
      kind: 'PartialObjectMetadataList',
      metadata: { resourceVersion: '1', continue: pages < 32 ? `${pages}` : '' },
      items,
    })
  })
  await secret('west', { value: kubeconfig('x', api.url, api.authority.caPem) })
  await add(byKubeconfig)
  const { kube } = await spokes.open('west')
  const source = kube.of(namespaces).metadata
  let isGivenUp = false
  const log: Log = { ...silentLog, warn: () => (isGivenUp = true) }
  const own = { clock: new FakeClock(), random: randomFrom(() => 0), log }
  const watched = informer(source, own)
  runInTest(t, [watched.run])
  await eventually('the list is over', () => isGivenUp || watched.isSynced)
  assert.equal(watched.isSynced, false)
  assert.ok(pages < 16, `${pages} pages`)
})
