import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ClusterRequest } from '../../../fleet/csr/approval.ts'
import { agentUser, annotations } from '../../../fleet/names.ts'
import { createAuthority, fingerprintOf, generateKey, issueCertificate } from '../../../pki/index.ts'
import type { Issued } from './hub-record.ts'
import { issuedFor, recordedOn, recordToWrite } from './hub-record.ts'

const now = '2026-03-01T12:00:00Z'
const hourMs = 3_600_000

let pem: string
before(async () => {
  const clock = new FakeClock(now)
  const authority = await createAuthority({ commonName: 'test', clock, lifetimeMs: 24 * hourMs })
  const holder = { subject: { commonName: agentUser('west', 'a1') }, publicKeyPem: generateKey().publicKeyPem }
  const terms = { notBefore: new Date('2026-03-01T11:55:00Z'), notAfter: new Date('2026-03-01T13:00:00Z') }
  pem = await issueCertificate(authority, holder, { ...terms, usages: ['client'] })
})

const request = (certificate: string | undefined, ...decisions: string[]): ClusterRequest => ({
  csr: {
    metadata: { name: 'csr', uid: 'u', resourceVersion: '1', creationTimestamp: now as never },
    spec: { request: '', signerName: '' },
    status: {
      ...(certificate !== undefined && { certificate: Buffer.from(certificate).toString('base64') }),
      conditions: decisions.map((type) => ({ type, status: 'True' })),
    },
  },
  cluster: 'west',
  agent: 'a1',
  user: agentUser('west', 'a1'),
  requester: 'boot',
  publicKeyPem: 'key',
})

const issued = (agent: string, minute: number, expires = minute + 60, version = '9'): Issued => ({
  agent,
  version,
  issuedAt: new Date(Date.UTC(2026, 2, 1, 12, minute)),
  expiresAt: new Date(Date.UTC(2026, 2, 1, 12, expires)),
  fingerprint: `${agent}-${minute}-${expires}`,
})

const withRecord = (record: Record<string, string | null> = {}): ManagedCluster => ({
  metadata: {
    annotations: Object.fromEntries(Object.entries(record).flatMap(([k, v]) => (v === null ? [] : [[k, v]]))),
  },
})

const written = (one: Issued) => recordToWrite({}, [one]) ?? {}

test('a certificate counts from the later of its own beginning and its request, because signers back-date', () => {
  assert.deepEqual(issuedFor(request(pem, 'Approved')), {
    agent: 'a1',
    issuedAt: new Date(now),
    expiresAt: new Date('2026-03-01T13:00:00Z'),
    fingerprint: fingerprintOf(pem),
    version: '1',
  })
})

test('nothing is issued before both the approval and the certificate are there, or when it cannot be read', () => {
  const open = [request(pem), request(undefined, 'Approved'), request('junk', 'Approved'), request(pem, 'Denied')]
  assert.deepEqual(open.map(issuedFor), [undefined, undefined, undefined, undefined])
})

test('what is written is read back', () => {
  const { version: _, ...one } = issued('a1', 5)
  assert.deepEqual(recordedOn(withRecord(written(issued('a1', 5)))), one)
})

test('dates that are none are taken for missing', () => {
  const record = { [annotations.agentName]: 'a1', [annotations.certificateExpiresAt]: 'soon' }
  assert.deepEqual(recordedOn(withRecord(record)), { agent: 'a1' })
})

test('a record that does not say whose certificate it is about counts for nothing', () => {
  const cluster = withRecord({ [annotations.certificateIssuedAt]: '2099-01-01T00:00:00Z' })
  assert.notEqual(recordToWrite(cluster, [issued('a1', 5)]), undefined)
})

test('the newest certificate is written, also if it ends earlier or is for another agent', () => {
  const cluster = withRecord(written(issued('a1', 5, 600)))
  assert.equal(recordToWrite(cluster, [issued('a2', 6, 60), issued('a1', 5, 600)])?.[annotations.agentName], 'a2')
})

test('an older certificate, or the one on record, changes nothing', () => {
  const cluster = withRecord(written(issued('a1', 5)))
  assert.equal(recordToWrite(cluster, [issued('a2', 4, 999), issued('a1', 5)]), undefined)
  assert.equal(recordToWrite(cluster, []), undefined)
})

test('of the same second the one with the later version is the newest, and stays so', () => {
  const [first, second] = [issued('a1', 5, 60, '9'), issued('a2', 5, 59, '10')]
  assert.equal(recordToWrite(withRecord(written(first)), [second, first])?.[annotations.agentName], 'a2')
  assert.equal(recordToWrite(withRecord(written(second)), [second, first]), undefined)
})

test('of the same second as one whose CSR is gone, only one that lasts longer is written', () => {
  const cluster = withRecord(written(issued('a1', 5, 60)))
  assert.equal(recordToWrite(cluster, [issued('a1', 5, 59)]), undefined)
  assert.notEqual(recordToWrite(cluster, [issued('a1', 5, 61)]), undefined)
})

test('the leave to replace an agent is used up by its certificate, and by no other', () => {
  const cluster = withRecord({ ...written(issued('a1', 5)), [annotations.replaceAgent]: 'a2' })
  assert.equal(recordToWrite(cluster, [issued('a2', 6)])?.[annotations.replaceAgent], null)
  assert.equal(annotations.replaceAgent in (recordToWrite(cluster, [issued('a1', 6)]) ?? {}), false)
})

test('who replaces an agent goes on record though it asked before the last renewal of that one, and stays there', () => {
  const [renewal, successor] = [issued('a1', 5, 60, '10'), issued('a2', 4, 60, '11')]
  const cluster = withRecord({ ...written(renewal), [annotations.replaceAgent]: 'a2' })
  const record = recordToWrite(cluster, [successor, renewal]) ?? {}
  assert.equal(record[annotations.agentName], 'a2')
  assert.equal(recordToWrite(withRecord(record), [successor, renewal]), undefined)
  assert.equal(recordToWrite(withRecord(record), [renewal]), undefined)
  // What it had before it was itself replaced is not what the leave is for.
  assert.equal(recordToWrite(cluster, [issued('a2', 4, 60, '9'), renewal]), undefined)
})
