import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { fileKeep, secretCodec } from './file-keep.ts'
import type { Kept, Pending } from './pass.ts'
import { reasons } from './reasons.ts'
import { Secret } from './secret.ts'

async function aPath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lanyard-keep-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'deeper', 'pass.json')
}

const kept: Kept<Secret> = {
  pass: {
    id: 'check/a',
    kind: 'check',
    holder: 'a',
    issuer: 'b',
    issuedAt: new Date(1_000),
    expiresAt: new Date(9_000),
    renewAt: new Date(7_000),
    keptIn: 'file',
    fingerprint: 'f',
    state: reasons.PassIssued,
  },
  material: Secret.of('s3cret'),
}
const pending: Pending = {
  name: 'request-1',
  createdAt: new Date(2_000),
  material: Secret.of('k3y'),
  refusals: 2,
  refused: { reason: reasons.IssuerDenied, at: new Date(2_500), retryAt: new Date(3_000), message: 'not you' },
}

test('nothing is there at first', async (t) => {
  assert.deepEqual(await fileKeep(await aPath(t), secretCodec).load(), {})
})

test('a pass comes back with its dates and its material', async (t) => {
  const keep = fileKeep(await aPath(t), secretCodec)
  await keep.save(kept)
  const loaded = await keep.load()
  assert.deepEqual(loaded.kept?.pass, kept.pass)
  assert.equal(loaded.kept?.material.reveal(), 's3cret')
})

test('a pending request comes back whole and leaves the kept pass alone', async (t) => {
  const keep = fileKeep(await aPath(t), secretCodec)
  await keep.save(kept)
  await keep.savePending(pending)
  const loaded = await keep.load()
  assert.equal(loaded.kept?.material.reveal(), 's3cret')
  assert.equal(loaded.pending?.material?.reveal(), 'k3y')
  assert.deepEqual({ ...loaded.pending, material: undefined }, { ...pending, material: undefined })
})

test('saving a pass forgets the request in the same write', async (t) => {
  const keep = fileKeep(await aPath(t), secretCodec)
  await keep.savePending(pending)
  await keep.save(kept)
  assert.deepEqual(Object.keys(await keep.load()), ['kept'])
})

test('the file is for its owner alone, and nothing lies beside it', async (t) => {
  const path = await aPath(t)
  await fileKeep(path, secretCodec).save(kept)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(join(path, '..')), ['pass.json'])
})

test('a damaged file is an error and is left as it is', async (t) => {
  const path = await aPath(t)
  const keep = fileKeep(path, secretCodec)
  await keep.save(kept)
  await writeFile(path, '{"kept":')
  await assert.rejects(keep.load())
  await assert.rejects(keep.savePending(pending))
  assert.equal(await readFile(path, 'utf8'), '{"kept":')
})

test('what a damaged file holds is not told', async (t) => {
  const path = await aPath(t)
  const keep = fileKeep(path, secretCodec)
  await keep.save(kept)
  await writeFile(path, '{"kept":{"material":s3cret}}')
  await assert.rejects(keep.load(), (error: Error) => {
    assert.doesNotMatch(inspect(error, { depth: 9 }), /s3c/)
    return true
  })
})

test('material comes back as it was, whatever its fields are called', async (t) => {
  const codec = { encode: (material: unknown) => material, decode: (stored: unknown) => stored }
  const keep = fileKeep(await aPath(t), codec)
  const material = { expiresAt: '2026-01-01T00:00:00Z', createdAt: 'yesterday' }
  await keep.save({ pass: kept.pass, material })
  assert.deepEqual((await keep.load()).kept?.material, material)
})
