import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { after } from '../../core/clock.ts'
import type { Kept, Pending } from '../../core/pass.ts'
import { reasons as coreReasons } from '../../core/reasons.ts'
import type { Secret } from '../../core/secret.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { SubjectInput } from '../../pki/index.ts'
import { createAuthority, generateKey, issueCertificate, publicKeyOf } from '../../pki/index.ts'
import type { CertifiedIdentity, CsrIssuanceOptions } from './issuance.ts'
import { certificatePass, csrIssuance } from './issuance.ts'
import type { CsrOrder } from './request.ts'
import { agentOrder, csrObject } from './request.ts'

const order = agentOrder('west', 'a1')
const me = 'bootstrap'
const denied = coreReasons.IssuerDenied
const [halted, wrongCertificate] = [coreReasons.KeepUnavailable, coreReasons.IssuanceFailed]
const removed = coreReasons.ArrivedExpired

async function scene(options: Pick<CsrIssuanceOptions<CertifiedIdentity>, 'limits' | 'patienceMs'> = {}) {
  const clock = new FakeClock(new Date())
  const memory = new MemoryKube(clock)
  const kube = memory.through((call, proceed) =>
    call.plural === 'selfsubjectreviews'
      ? Promise.resolve({ status: { userInfo: { username: me } } } as never)
      : proceed(),
  )
  const csrs = kube.of(certificateSigningRequests)
  const steps: string[] = []
  const issuance = csrIssuance<CertifiedIdentity>({
    order,
    asker: () => kube,
    isCurrent: () => true,
    materialOf: (identity) => identity,
    passOf: (certificate, now) =>
      certificatePass({ id: 'x', kind: 'join', holder: 'west', issuer: 'hub', keptIn: 'memory' }, certificate, now),
    selector: 'open-cluster-management.io/cluster-name=west',
    reasons: { denied, halted, wrongCertificate, removed },
    lookAgainMs: 60_000,
    onStep: (step) => steps.push(step),
    ...options,
  })
  const next = (pending?: Pending, kept?: Kept<CertifiedIdentity>) => issuance.next(clock.now(), kept, pending)
  const begun = async (): Promise<Pending & { material: Secret }> => {
    const step = await next()
    assert.ok(step.step === 'waiting' && step.pending?.material)
    return { ...step.pending, material: step.pending.material }
  }
  const answer = async (name: string, status: object) => {
    await csrs.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  const authority = await createAuthority({ commonName: 'ca', clock, lifetimeMs: 86_400_000 })
  const certificate = async (keyPem: Secret, subject: SubjectInput = order.subject) => {
    const terms = {
      usages: ['client'] as const,
      notBefore: after(clock.now(), -300_000),
      notAfter: after(clock.now(), 600_000),
    }
    const pem = await issueCertificate(authority, { subject, publicKeyPem: publicKeyOf(keyPem) }, terms)
    return Buffer.from(pem).toString('base64')
  }
  const askAs = async (username: string, change: Partial<CsrOrder> = {}) => {
    const csr = await csrObject({ ...order, ...change }, generateKey().keyPem)
    return (await csrs.create({ ...csr, spec: { ...csr.spec, username } })).metadata.name
  }
  return { clock, csrs, next, begun, answer, certificate, steps, askAs }
}
const approved = { conditions: [{ type: 'Approved', status: 'True' }] }

test('the key is on record before the request exists, and the request is made once', async () => {
  const { csrs, next, begun, steps } = await scene()
  const pending = await begun()
  assert.equal((await csrs.list()).items.length, 0)
  await next(pending)
  const again = await next(pending)
  assert.deepEqual(
    [again.step, (await csrs.list()).items.map(({ metadata }) => metadata.name)],
    ['waiting', [pending.name]],
  )
  assert.deepEqual(steps, ['created'])
})

test('certificate and approval are both waited for, in either order', async () => {
  const { next, begun, answer, certificate } = await scene()
  const pending = await begun()
  await next(pending)
  const pem = await certificate(pending.material)
  await answer(pending.name, { certificate: pem })
  assert.equal((await next(pending)).step, 'waiting')
  await answer(pending.name, approved)
  const granted = await next(pending)
  assert.equal(granted.step, 'granted')
  assert.equal((await next(undefined, granted.step === 'granted' ? granted : undefined)).step, 'granted')
})

test('the life of a certificate that is dated back begins with its receipt', async () => {
  const { clock, next, begun, answer, certificate } = await scene()
  const pending = await begun()
  await next(pending)
  await answer(pending.name, { ...approved, certificate: await certificate(pending.material) })
  const granted = await next(pending)
  assert.ok(granted.step === 'granted')
  assert.deepEqual(granted.pass.issuedAt, clock.now())
})

test('a denial or a failure is a refusal, also when a certificate is there', async () => {
  for (const type of ['Denied', 'Failed']) {
    const { next, begun, answer, certificate } = await scene()
    const pending = await begun()
    await next(pending)
    const conditions = [
      { type: 'Approved', status: 'True' },
      { type, status: 'True', reason: 'Why', message: 'because' },
    ]
    await answer(pending.name, { conditions, certificate: await certificate(pending.material) })
    const step = await next(pending)
    assert.ok(step.step === 'refused')
    assert.equal(step.reason, denied)
    assert.match(step.message ?? '', /Why: because/)
  }
})

test('a certificate for another key or another subject is refused', async () => {
  const { next, begun, answer, certificate } = await scene()
  const pending = await begun()
  await next(pending)
  const others = [
    await certificate(generateKey().keyPem),
    await certificate(pending.material, agentOrder('west2', 'a1').subject),
    Buffer.from('nonsense').toString('base64'),
  ]
  for (const other of others) {
    await answer(pending.name, { ...approved, certificate: other })
    const step = await next(pending)
    assert.deepEqual([step.step, step.step === 'refused' && step.reason], ['refused', wrongCertificate])
  }
})

test('a request that is removed is a refusal, with a pause that grows', async () => {
  const { clock, csrs, next, begun } = await scene()
  const pausesMs: number[] = []
  for (let refusals = 0; refusals < 4; refusals += 1) {
    const pending = { ...(await begun()), refusals }
    await next(pending)
    await csrs.delete(pending.name)
    const step = await next(pending)
    assert.ok(step.step === 'refused' && step.retryAt)
    assert.equal(step.reason, removed)
    assert.match(step.message ?? '', /was removed before it was answered/)
    pausesMs.push(step.retryAt.getTime() - clock.now().getTime())
    assert.equal((await csrs.list()).items.length, 0)
  }
  assert.deepEqual(pausesMs, [1_000, 4_000, 16_000, 64_000])
})

test('a request that was never seen is made, as after a restart', async () => {
  const { csrs, begun } = await scene()
  const pending = await begun()
  const restarted = await scene()
  await restarted.next(pending)
  assert.ok(await restarted.csrs.find(pending.name))
  assert.equal((await csrs.list()).items.length, 0)
})

test("somebody else's request under our name, a damaged key and a changed order mean a new key", async () => {
  const { csrs, next, begun } = await scene()
  const pending = await begun()
  const foreign = await csrObject(agentOrder('west', 'a2'), pending.material)
  await csrs.create({ ...foreign, metadata: { name: pending.name } })
  const { material: _, ...withoutKey } = pending
  for (const given of [pending, withoutKey, { ...pending, name: 'west-other' }]) {
    const step = await next(given)
    assert.ok(step.step === 'waiting' && step.pending)
    assert.notEqual(step.pending.name, given.name)
  }
})

test('with ten requests that it made itself none is added, and with nine one is, whatever others ask for', async () => {
  const { csrs, next, begun, askAs } = await scene()
  for (let index = 0; index < 10; index += 1) await askAs('mallory')
  const mine = await Promise.all(Array.from({ length: 10 }, () => askAs(me)))
  const pending = await begun()
  const step = await next(pending)
  assert.deepEqual([step.step, step.step === 'waiting' && step.for], ['waiting', halted])
  assert.equal((await csrs.list()).items.length, 20)
  await csrs.delete(mine[0] ?? '')
  await next(pending)
  assert.ok(await csrs.find(pending.name))
})

test('where the two are limited apart, what was decided does not count as open', async () => {
  const { csrs, next, begun, answer, askAs } = await scene({ limits: { open: 2, all: 4 } })
  const pending = await begun()
  const isHalted = async () => {
    const step = await next(pending)
    return step.step === 'waiting' && step.for === halted
  }
  const names = [await askAs(me), await askAs(me)]
  assert.equal(await isHalted(), true)
  for (const name of names) await answer(name, approved)
  for (const name of [await askAs(me), await askAs(me)]) await answer(name, approved)
  assert.equal(await isHalted(), true)
  await csrs.delete(names[0] ?? '')
  assert.equal(await isHalted(), false)
  assert.ok(await csrs.find(pending.name))
})

test('an open request of an earlier key is waited out, as long as patience lasts or until it is gone', async () => {
  const patient = { patienceMs: 10_000 }
  for (const end of ['it is removed', 'it is decided', 'patience is over']) {
    const { clock, csrs, next, begun, answer, askAs } = await scene(patient)
    const earlier = await askAs(me)
    const pending = await begun()
    const step = await next(pending)
    assert.ok(step.step === 'waiting')
    assert.deepEqual(step.wake, after(pending.createdAt, 10_000))
    assert.equal(await csrs.find(pending.name), undefined)
    if (end === 'it is removed') await csrs.delete(earlier)
    else if (end === 'it is decided') await answer(earlier, approved)
    else await clock.advance('10s')
    await next(pending)
    assert.ok(await csrs.find(pending.name), end)
  }
})

test('nobody waits for the requests of others, or for those to another signer', async () => {
  const { csrs, next, begun, askAs } = await scene({ patienceMs: 10_000 })
  await askAs('mallory')
  await askAs(me, { signer: 'example.com/other' })
  const pending = await begun()
  await next(pending)
  assert.ok(await csrs.find(pending.name))
})
