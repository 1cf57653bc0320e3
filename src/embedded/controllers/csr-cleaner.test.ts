import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { rfc3339 } from '../../core/conditions.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import { createRequest, generateKey, issueCertificate, readRequest } from '../../pki/index.ts'
import type { Csr } from './certificate-request.ts'
import { csrCleaner } from './csr-cleaner.ts'
import { controllerScene } from './testing/scene.ts'

const minuteMs = 60_000

async function start(t: TestContext) {
  const { clock, kube, deps } = await controllerScene(t, csrCleaner)
  const requests = kube.of(certificateSigningRequests)
  const spec = { request: '', signerName: 'test.example/any', usages: ['client auth'] }
  const put = async (name: string, ...types: string[]) => {
    const time = rfc3339(clock.now())
    const conditions = types.map((type) => ({ type, status: 'True', lastUpdateTime: time, lastTransitionTime: time }))
    return requests.create({ metadata: { name }, spec, status: types.length > 0 ? { conditions } : {} })
  }
  const setStatus = (csr: Csr, status: Csr['status']) =>
    requests.update({ ...csr, ...(status && { status }) }, { subresource: 'status' })
  const certificate = async (lifeMs: number) => {
    const { keyPem } = generateKey()
    const request = readRequest(await createRequest({ keyPem, subject: { commonName: 'a' } }))
    const notBefore = new Date(clock.now().getTime() - minuteMs)
    const notAfter = new Date(clock.now().getTime() + lifeMs)
    return Buffer.from(
      await issueCertificate(deps.clientCa, request, { usages: ['client'], notBefore, notAfter }),
    ).toString('base64')
  }
  /** It is there until just before then, and not a millisecond longer. */
  const goesAfter = async (name: string, time: number) => {
    await clock.advance(time - 1)
    assert.ok(await requests.find(name), `${name} went too early`)
    await clock.advance(1)
    assert.equal(await requests.find(name), undefined, `${name} is still there`)
  }
  return { clock, requests, put, setStatus, certificate, goesAfter }
}

test('E18: a request that nobody has decided on goes after a day', async (t) => {
  const { put, goesAfter } = await start(t)
  await put('pending')
  await goesAfter('pending', 24 * 60 * minuteMs)
})

test('E18: a denied request goes an hour after its denial', async (t) => {
  const { put, goesAfter } = await start(t)
  await put('denied', 'Denied')
  await goesAfter('denied', 60 * minuteMs)
})

test('E18: an approved request whose certificate is issued goes an hour after its approval', async (t) => {
  const { put, setStatus, certificate, goesAfter } = await start(t)
  const csr = await put('issued', 'Approved')
  await setStatus(csr, { ...csr.status, certificate: await certificate(24 * 60 * minuteMs) })
  await goesAfter('issued', 60 * minuteMs)
})

test('E18: an approved request that nobody signs goes a day after its approval', async (t) => {
  const { put, goesAfter } = await start(t)
  await put('unsigned', 'Approved')
  await goesAfter('unsigned', 24 * 60 * minuteMs)
})

test('E18: a request that failed goes after an hour', async (t) => {
  const { put, goesAfter } = await start(t)
  await put('failed', 'Approved', 'Failed')
  await goesAfter('failed', 60 * minuteMs)
})

test('E18: a request goes when its certificate ends, if that is sooner', async (t) => {
  const { put, setStatus, certificate, goesAfter } = await start(t)
  const csr = await put('short', 'Approved')
  await setStatus(csr, { ...csr.status, certificate: await certificate(10 * minuteMs) })
  await goesAfter('short', 10 * minuteMs)
})

test('a decision counts from when it was made, not from when it was asked for', async (t) => {
  const { clock, put, setStatus, goesAfter } = await start(t)
  const csr = await put('late')
  await clock.advance('23h')
  const time = rfc3339(clock.now())
  await setStatus(csr, { conditions: [{ type: 'Denied', status: 'True', lastUpdateTime: time }] })
  await goesAfter('late', 60 * minuteMs)
})

test('requests that were there before the start are counted from their own times', async (t) => {
  const { clock, requests, put } = await start(t)
  await put('old', 'Denied')
  await put('new')
  await clock.advance('2h')
  assert.deepEqual(
    (await requests.list()).items.map(({ metadata }) => metadata.name),
    ['new'],
  )
})
