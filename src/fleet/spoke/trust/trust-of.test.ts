import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import type { Failure } from '../../../core/failure.ts'
import { createLog } from '../../../core/log.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import { readOnly } from '../../../kube/read-only.ts'
import { compactFingerprint, fingerprintOf } from '../../../pki/index.ts'
import type { OidcWay, SpokeSettings, TrustChoice } from '../contract.ts'
import { defaultSpokeSettings } from '../contract.ts'
import { pinSecret, spokeAnnotations, spokeLabels } from '../names.ts'
import type { TrustDeps } from './deps.ts'
import { explainDistrust } from './explain.ts'
import { aLeaf, anAuthority, tlsServer } from './testing/tls-server.ts'
import { trustOf } from './trust-of.ts'

const clock = new FakeClock(new Date())
const root = await anAuthority('root', clock)
const other = await anAuthority('other', clock)
const [leaf, ofOther] = await Promise.all([aLeaf(root, clock), aLeaf(other, clock)])
const rootPrint = fingerprintOf(root.certPem)
const otherPrint = fingerprintOf(other.certPem)

type Config = ClusterConfig & { metadata: { name: string } }

async function scene(t: TestContext, given: { trust?: Partial<TrustChoice>; settings?: Partial<SpokeSettings> } = {}) {
  const kube = new MemoryKube(clock)
  const server = await tlsServer(t, leaf, root)
  const lines: string[] = []
  const way = { by: 'OIDC', server: server.url, trust: { insecure: false, ...given.trust } } as OidcWay
  const deps: TrustDeps = {
    ...{ kube, clock },
    log: createLog({ destination: { write: (line) => lines.push(line) } }),
    settings: () => ({ ...defaultSpokeSettings, ...given.settings }),
    roots: () => [],
  }
  const configs = kube.of(ClusterConfig.resource, 'fleet')
  await configs.create({ metadata: { name: 'west' }, spec: {} } as Config)
  const set = (change: object) => configs.patch('west', { type: 'merge', body: change })
  return {
    kube,
    server,
    lines,
    deps,
    way,
    set,
    confirm: (fingerprint: string) =>
      set({ metadata: { annotations: { [spokeAnnotations.trustedFingerprint]: fingerprint } } }),
    confirmation: async () => (await configs.get('west')).metadata.annotations?.[spokeAnnotations.trustedFingerprint],
    trust: async (over: Partial<TrustDeps> = {}) => trustOf(await configs.get('west'), way, { ...deps, ...over }),
    explain: async (trust: Awaited<ReturnType<typeof trustOf>>['trust']) =>
      explainDistrust(await configs.get('west'), way, trust, deps),
    pin: (name = pinSecret('west')) => kube.of(secrets, 'fleet').find(name),
    put: (data: Record<string, string>, name = pinSecret('west')) =>
      kube.of(secrets, 'fleet').create({
        metadata: { name },
        data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, encoded(text)])),
      }),
  }
}

const encoded = (text: string) => Buffer.from(text).toString('base64')
const secretNamed = (...keys: string[]) => ({
  namespace: 'fleet',
  name: 'cas',
  keys,
  field: 'spec.oidcAuth.caSecretRef',
})

test('on first use the CA is kept beside the ClusterConfig, owned by it, and told', async (t) => {
  const { trust, pin, server, lines } = await scene(t)
  const first = await trust()
  assert.deepEqual(first.trust, { source: 'FirstUse', ca: root.certPem, fingerprint: rootPrint })
  assert.deepEqual(first.notes, [{ kind: 'first-use', fingerprint: rootPrint, secret: 'fleet/west-tofu-ca' }])
  const { metadata, data } = (await pin()) ?? assert.fail('no Secret')
  assert.deepEqual(data, { 'ca.crt': encoded(root.certPem) })
  assert.equal(metadata.labels?.[spokeLabels.firstUse], 'true')
  assert.equal(metadata.annotations?.[spokeAnnotations.trustedSince], clock.now().toISOString())
  assert.deepEqual(
    metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
    [['ClusterConfig', 'west']],
  )
  const told = JSON.parse(lines.find((line) => line.includes('first use')) ?? '{}')
  assert.deepEqual([told.level, told.cluster, told.fingerprint], ['info', 'west', rootPrint])
  assert.deepEqual([told.subject, told.issuer], ['CN=root', 'CN=root'])
  assert.ok(Date.parse(told.notBefore) < Date.parse(told.notAfter))
  assert.equal(server.received, '')
})

test('what is kept is used without a look at the server', async (t) => {
  const { trust, server } = await scene(t)
  await trust()
  const seen = server.connections
  const again = await trust()
  assert.deepEqual(again.trust, { source: 'FirstUse', ca: root.certPem, fingerprint: rootPrint })
  assert.deepEqual(again.notes, [])
  assert.equal(server.connections, seen)
})

test('what the roots of the system vouch for is not kept', async (t) => {
  const { trust, pin } = await scene(t)
  const { trust: found } = await trust({ roots: () => [other.certPem, root.certPem] })
  assert.equal(found.source, 'System')
  assert.equal(await pin(), undefined)
})

test('without leave nobody looks, whether the ClusterConfig or the installation says so', async (t) => {
  for (const given of [{ trust: { firstUse: false } }, { settings: { trustOnFirstUse: false } }]) {
    const { trust, server, pin, explain } = await scene(t, given)
    const { trust: found } = await trust()
    assert.deepEqual([found.source, server.connections, await pin()], ['System', 0, undefined])
    const why = await explain(found)
    assert.equal(why.code, 'SPOKE_UNVOUCHED')
    assert.match(why.message, new RegExp(`caSecretRef.*lanyard reach trust west --fingerprint ${rootPrint}`))
  }
})

test('whoever answers where the system vouched before is not trusted on first use', async (t) => {
  const { trust, set, pin, way, confirm } = await scene(t)
  const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] })
  await set({ status: { server: way.server, tls: { source: 'System' }, ...ready('True') } })
  await assert.rejects(trust(), { code: 'SPOKE_UNVOUCHED' })
  assert.equal(await pin(), undefined)
  await confirm(rootPrint)
  assert.equal((await trust()).trust.fingerprint, rootPrint)
})

test('what was said of another server, or before the spec changed and never worked, does not count', async (t) => {
  for (const status of [
    { server: 'https://elsewhere', tls: { source: 'System' }, observedGeneration: 1 },
    { tls: { source: 'System' }, observedGeneration: 0, conditions: [{ type: 'Ready', status: 'False' }] },
  ]) {
    const { trust, set, way } = await scene(t)
    await set({ status: { server: way.server, ...status } })
    assert.equal((await trust()).trust.source, 'FirstUse')
  }
})

test('insecure is told as such, and asks nobody', async (t) => {
  const { trust, server, kube } = await scene(t, { trust: { insecure: true } })
  const calls = kube.calls.length
  assert.deepEqual(await trust(), { trust: { source: 'Insecure' }, notes: [] })
  // One is the test's own.
  assert.deepEqual([server.connections, kube.calls.length], [0, calls + 1])
})

test('a CA that a person put into the Secret counts, and is never replaced', async (t) => {
  const { trust, put, pin, confirm, server, explain } = await scene(t, { trust: { secret: secretNamed('ca.crt') } })
  await put({ 'ca.crt': other.certPem }, 'cas')
  await confirm(rootPrint)
  const { trust: found } = await trust()
  assert.deepEqual(found, { source: 'Secret', ca: other.certPem, fingerprint: otherPrint })
  assert.equal(server.connections, 0)
  assert.equal((await explain(found)).code, 'SPOKE_UNREACHABLE')
  assert.deepEqual((await pin('cas'))?.data, { 'ca.crt': encoded(other.certPem) })
})

test('so does one that was put where ours would be', async (t) => {
  const { trust, put, server } = await scene(t)
  await put({ 'ca.crt': other.certPem })
  assert.deepEqual([(await trust()).trust.source, server.connections], ['Secret', 0])
})

test('a Secret that was named and is not there is missing, and not made', async (t) => {
  const { trust, pin } = await scene(t, { trust: { secret: secretNamed('ca.crt') } })
  await assert.rejects(trust(), { code: 'SPOKE_CA_SECRET_MISSING', message: /spec.oidcAuth.caSecretRef.*fleet\/cas/ })
  assert.equal(await pin('cas'), undefined)
})

test('first use fills the key that was named, and no other is looked at', async (t) => {
  const { trust, put, pin } = await scene(t, { trust: { secret: secretNamed('west.crt') } })
  await put({ 'ca.crt': other.certPem, note: 'mine' }, 'cas')
  const { trust: found } = await trust()
  assert.deepEqual([found.source, found.fingerprint], ['FirstUse', rootPrint])
  const kept = (await pin('cas')) ?? assert.fail('no Secret')
  assert.deepEqual(kept.data, {
    ...{ 'ca.crt': encoded(other.certPem), note: encoded('mine') },
    'west.crt': encoded(root.certPem),
  })
  assert.equal(kept.metadata.ownerReferences, undefined)
  assert.equal((await trust()).trust.source, 'FirstUse')
})

test('a Secret that several clusters share knows of each CA whose it is', async (t) => {
  const { trust, put, kube, way, deps } = await scene(t, { trust: { secret: secretNamed('west.crt') } })
  await put({ 'person.crt': other.certPem }, 'cas')
  await trust()
  const config = await kube.of(ClusterConfig.resource, 'fleet').get('west')
  const sourceOf = async (key: string) =>
    (await trustOf(config, { ...way, trust: { insecure: false, secret: secretNamed(key) } }, deps)).trust.source
  assert.deepEqual([await sourceOf('west.crt'), await sourceOf('person.crt')], ['FirstUse', 'Secret'])
})

test('what is no certificate is refused with the field, and stays', async (t) => {
  const { trust, put } = await scene(t, { trust: { secret: secretNamed('ca.crt') } })
  await put({ 'ca.crt': 'not a certificate' }, 'cas')
  await assert.rejects(trust(), { code: 'SPOKE_INVALID', message: /caSecretRef.*ca.crt/ })
})

test('what is wrong with the certificate is said, and nothing is kept', async (t) => {
  const { trust, server, pin } = await scene(t)
  server.show(await aLeaf(root, clock, { ipAddresses: ['10.0.0.1'] }), root)
  await assert.rejects(trust(), { code: 'SPOKE_TRUST_FAILED', message: /HostnameMismatch/ })
  server.show(await aLeaf(root, clock, { notAfter: new Date(clock.now().getTime() - 1_000) }), root)
  await assert.rejects(trust(), { code: 'SPOKE_TRUST_FAILED', message: /CertificateExpired/ })
  assert.equal(await pin(), undefined)
})

test('another CA is explained with both fingerprints, and is trusted once a person confirmed it', async (t) => {
  const { trust, server, explain, confirm, confirmation, pin } = await scene(t)
  const { trust: before } = await trust()
  server.show(ofOther, other)
  const why = await explain(before)
  assert.equal(why.code, 'SPOKE_TRUST_CHANGED')
  assert.deepEqual([why.params['offered'], why.params['fingerprint']], [otherPrint, rootPrint])
  assert.deepEqual((await trust()).trust, before)

  await confirm(compactFingerprint(otherPrint))
  const after = await trust()
  assert.deepEqual(after.trust, { source: 'FirstUse', ca: other.certPem, fingerprint: otherPrint })
  assert.deepEqual(after.notes, [{ kind: 'replaced', fingerprint: otherPrint, before: rootPrint }])
  assert.deepEqual((await pin())?.data, { 'ca.crt': encoded(other.certPem) })
  assert.equal(await confirmation(), undefined)
  assert.deepEqual((await trust()).trust, after.trust)
})

test('a CA that was made anew under the same name is another one', async (t) => {
  const { trust, server, explain } = await scene(t)
  const { trust: before } = await trust()
  const anew = await anAuthority('root', clock)
  server.show(await aLeaf(anew, clock), anew)
  assert.equal((await explain(before)).code, 'SPOKE_TRUST_CHANGED')
})

test('a server of the same CA whose certificate is at fault has not changed its CA', async (t) => {
  const { trust, server, explain } = await scene(t)
  const { trust: before } = await trust()
  server.show(await aLeaf(root, clock, { ipAddresses: ['10.0.0.1'] }), root)
  const why = await explain(before)
  assert.equal(why.code, 'SPOKE_UNREACHABLE')
  assert.match(why.message, /HostnameMismatch/)
  server.show(leaf, root)
  assert.equal((await explain(before)).code, 'SPOKE_UNREACHABLE')
})

test('a confirmation may come before the change, and nothing breaks until it is followed', async (t) => {
  const { trust, server, confirm, confirmation } = await scene(t)
  await trust()
  await confirm(otherPrint)
  assert.equal((await trust()).trust.fingerprint, rootPrint)
  assert.equal(await confirmation(), otherPrint)
  server.show(ofOther, other)
  assert.equal((await trust()).trust.fingerprint, otherPrint)
  assert.equal(await confirmation(), undefined)
})

test('a third CA is refused although another one is confirmed, and nothing is replaced', async (t) => {
  const { trust, server, confirm, pin } = await scene(t)
  await trust()
  await confirm('AB'.repeat(32))
  server.show(ofOther, other)
  await assert.rejects(trust(), { code: 'SPOKE_TRUST_CHANGED' })
  assert.deepEqual((await pin())?.data, { 'ca.crt': encoded(root.certPem) })
})

test('before anything is kept, a confirmation admits that CA alone', async (t) => {
  const { trust, confirm, pin } = await scene(t, { trust: { firstUse: false } })
  await confirm(otherPrint)
  await assert.rejects(trust(), { code: 'SPOKE_TRUST_CHANGED' })
  assert.equal(await pin(), undefined)
  await confirm(rootPrint)
  assert.deepEqual((await trust()).notes, [{ kind: 'replaced', fingerprint: rootPrint, before: 'none' }])
})

test('an annotation that is no fingerprint is told and does not count', async (t) => {
  const { trust, confirm, lines } = await scene(t)
  await confirm('yes')
  assert.equal((await trust()).trust.fingerprint, rootPrint)
  assert.ok(lines.some((line) => line.includes('no SHA-256')))
})

test('of two hubs that see a server first at the same time both use what one of them kept', async (t) => {
  const { trust, kube, pin, server } = await scene(t)
  // Each has looked before either writes.
  const meeting = Promise.withResolvers<void>()
  let arrived = 0
  const together: Kube = kube.through(async (call, proceed) => {
    if (call.verb !== 'create') return proceed()
    arrived += 1
    if (arrived === 2) meeting.resolve()
    await meeting.promise
    return proceed()
  })
  const [one, two] = await Promise.all([trust({ kube: together }), trust({ kube: together })])
  assert.deepEqual(one.trust, two.trust)
  assert.equal(one.notes.length + two.notes.length, 1)
  assert.equal(server.connections, 2)
  assert.deepEqual((await pin())?.data, { 'ca.crt': encoded(root.certPem) })
})

test('of two hubs that are shown different servers one is refused by what the other kept', async (t) => {
  const { trust, kube, explain, server } = await scene(t)
  const faster = kube.through(async (call, proceed) => {
    if (call.verb === 'create')
      await kube.of(secrets, 'fleet').create({
        metadata: {
          name: pinSecret('west'),
          annotations: { [spokeAnnotations.firstUses]: otherPrint },
        },
        data: { 'ca.crt': encoded(other.certPem) },
      })
    return proceed()
  })
  const { trust: found } = await trust({ kube: faster })
  assert.equal(found.fingerprint, otherPrint)
  assert.equal((await explain(found)).code, 'SPOKE_TRUST_CHANGED')
  assert.equal(server.received, '')
})

test('what cannot be kept is not used', async (t) => {
  const { trust, kube } = await scene(t)
  kube.failNext(1, kubeFailure(403, 'Forbidden'), 'create')
  await assert.rejects(trust(), { code: 'SPOKE_TRUST_FAILED', message: /fleet\/west-tofu-ca.*403 Forbidden/ })
  kube.failNext(9, kubeFailure(409, 'Conflict'), 'create')
  await assert.rejects(trust(), { code: 'SPOKE_TRUST_FAILED', message: /others keep changing it/ })
})

test('what the hub cannot read is told as that, and not taken for missing', async (t) => {
  const { trust, kube, deps, way } = await scene(t)
  const config = await kube.of(ClusterConfig.resource, 'fleet').get('west')
  kube.failNext(1, kubeFailure(403, 'Forbidden'), 'get')
  await assert.rejects(trustOf(config, way, deps), { code: 'SPOKE_SECRET_UNREADABLE' })
  assert.equal((await trust()).trust.source, 'FirstUse')
})

test('the Secret of a ClusterConfig that is gone is not the one of its successor', async (t) => {
  const { trust, put, pin, kube } = await scene(t)
  await put({ 'ca.crt': other.certPem })
  const ownerReferences = [
    { apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1', kind: 'ClusterConfig', name: 'west', uid: 'gone' },
  ]
  await kube.of(secrets, 'fleet').patch(pinSecret('west'), { type: 'merge', body: { metadata: { ownerReferences } } })
  assert.equal((await trust()).trust.fingerprint, rootPrint)
  const kept = (await pin()) ?? assert.fail('no Secret')
  assert.notEqual(kept.metadata.ownerReferences?.[0]?.uid, 'gone')
  assert.deepEqual(kept.data, { 'ca.crt': encoded(root.certPem) })
})

test('a Secret that goes away is no way to have another CA trusted; the same one is kept again without a word', async (t) => {
  const { trust, pin, set, way, server, kube, confirm } = await scene(t)
  await trust()
  await set({ status: { server: way.server, tls: { source: 'FirstUse', fingerprint: rootPrint } } })
  const lose = () => kube.of(secrets, 'fleet').delete(pinSecret('west'))
  await lose()
  const again = await trust()
  assert.deepEqual([again.trust.fingerprint, again.notes], [rootPrint, []])

  await lose()
  server.show(ofOther, other)
  await assert.rejects(trust(), (error: Failure) => {
    assert.equal(error.code, 'SPOKE_TRUST_CHANGED')
    assert.deepEqual([error.params['offered'], error.params['fingerprint']], [otherPrint, rootPrint])
    return true
  })
  assert.equal(await pin(), undefined)
  await confirm(otherPrint)
  assert.deepEqual((await trust()).notes, [{ kind: 'replaced', fingerprint: otherPrint, before: rootPrint }])
})

test('what was trusted at another address says nothing of this one', async (t) => {
  const { trust, set } = await scene(t)
  await set({ status: { server: 'https://elsewhere', tls: { source: 'FirstUse', fingerprint: otherPrint } } })
  assert.equal((await trust()).trust.fingerprint, rootPrint)
})

test('whoever else owns the Secret stays, and one that a person made gets no owner', async (t) => {
  const { trust, put, pin, kube } = await scene(t)
  await put({})
  await trust()
  assert.equal((await pin())?.metadata.ownerReferences, undefined)

  const apiVersion = 'breakglass.t-caas.telekom.com/v1alpha1'
  const app = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'app', uid: 'app' }
  const ownerReferences = [app, { apiVersion, kind: 'ClusterConfig', name: 'west', uid: 'gone' }]
  await kube.of(secrets, 'fleet').patch(pinSecret('west'), { type: 'merge', body: { metadata: { ownerReferences } } })
  await trust()
  const [first, second, ...more] = (await pin())?.metadata.ownerReferences ?? []
  assert.deepEqual([first, second?.name, more], [app, 'west', []])
  assert.notEqual(second?.uid, 'gone')
})

test('through what only reads, nothing is kept or taken away, and what would be trusted is told', async (t) => {
  const { trust, pin, kube, confirm, confirmation } = await scene(t)
  const looking = { kube: readOnly(kube) }
  await assert.rejects(trust(looking), { code: 'SPOKE_TRUST_FAILED', message: new RegExp(`${rootPrint}.*only a look`) })
  assert.equal(await pin(), undefined)
  await trust()
  await confirm(rootPrint)
  assert.equal((await trust(looking)).trust.fingerprint, rootPrint)
  assert.equal(await confirmation(), rootPrint)
})

test('killed after the CA was kept, the next start uses it without a look', async (t) => {
  const { trust, server } = await scene(t)
  const killed = new Error('killed')
  const checkpoint = () => {
    throw killed
  }
  await assert.rejects(trust({ checkpoint }), killed)
  const seen = server.connections
  assert.equal((await trust()).trust.fingerprint, rootPrint)
  assert.equal(server.connections, seen)
})
