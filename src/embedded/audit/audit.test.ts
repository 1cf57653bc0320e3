import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { createLog, silentLog } from '../../core/log.ts'
import { objectAnswer, plainForm } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { auditIdOf, openAudit } from './audit.ts'
import { audited } from './own-requests.ts'

const user = { name: 'jane', groups: [] }
const info = { isResource: false as const, verb: 'get', path: '/version' }

const aRequest = (parts: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  uri: '/version',
  path: '/version',
  query: new URLSearchParams(),
  headers: {},
  rawHeaders: [],
  readBody: async () => Buffer.alloc(0),
  ...parts,
})

test('without a policy the metadata of everything are written down', async (t) => {
  const logPath = join(tempDir(t), 'audit.log')
  const audit = await openAudit({ logPath, clock: new FakeClock(), log: silentLog })
  const { audit: record } = audit.follow(aRequest({ uri: '/version?token=abc' }), 'id', '127.0.0.1')
  record?.received({ user, verb: 'get', path: '/version' })
  record?.completed(objectAnswer(200, { kind: 'Any' }, plainForm))
  await audit.close()
  const lines = readFileSync(logPath, 'utf8').trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ level, stage, requestURI }) => [level, stage, requestURI]),
    [
      ['Metadata', 'RequestReceived', '/version?token=***'],
      ['Metadata', 'ResponseComplete', '/version?token=***'],
    ],
  )
})

test('a policy that is not there is a failure, and one with unknown fields a warning', async (t) => {
  const dir = tempDir(t)
  const [logPath, policyFile] = [join(dir, 'audit.log'), join(dir, 'policy.yaml')]
  const told: string[] = []
  const log = createLog({ destination: { write: (line) => told.push(line) } })
  const options = { logPath, policyFile, clock: new FakeClock(), log }
  await assert.rejects(openAudit(options), (error) => isFailure(error, 'AUDIT_POLICY_UNREADABLE'))
  writeFileSync(policyFile, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, verb: [get]}]\n')
  await (await openAudit(options)).close()
  assert.match(told.join(''), /unknown field \\"rules\[0\]\.verb\\"/)
})

test('what the control plane does itself is written down as its own', async (t) => {
  const logPath = join(tempDir(t), 'audit.log')
  const audit = await openAudit({ logPath, clock: new FakeClock(), log: silentLog })
  const route = audited(audit, async () => objectAnswer(200, {}, plainForm))
  await route(aRequest(), info, user, () => {})
  const failing = audited(audit, () => Promise.reject(new Error('unforeseen')))
  await assert.rejects(
    failing(aRequest(), info, user, () => {}),
    /unforeseen/,
  )
  await audit.close()
  const events = readFileSync(logPath, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ stage, sourceIPs }) => [stage, sourceIPs[0]]),
    [
      ['RequestReceived', '::1'],
      ['ResponseComplete', '::1'],
      ['RequestReceived', '::1'],
      ['Panic', '::1'],
    ],
  )
})

test('a watch of the control plane itself is written down until its end', async (t) => {
  const logPath = join(tempDir(t), 'audit.log')
  const audit = await openAudit({ logPath, clock: new FakeClock(), log: silentLog })
  const watching = audited(audit, async () => ({
    contentType: 'application/json',
    writeFrame: () => Buffer.alloc(0),
    open: (sink) => ({ resume() {}, fail() {}, [Symbol.dispose]: () => sink.end() }),
  }))
  const answer = await watching(aRequest(), info, user, () => {})
  assert.ok('open' in answer)
  const watch = answer.open({ take: () => true, end() {} })
  watch[Symbol.dispose]()
  await audit.close()
  const stages = [...readFileSync(logPath, 'utf8').matchAll(/"stage":"(\w+)"/g)].map(([, stage]) => stage)
  assert.deepEqual(stages, ['RequestReceived', 'ResponseStarted', 'ResponseComplete'])
})

test('the ID that a client gives is kept if it is text, else a new one is made', () => {
  assert.equal(auditIdOf({ headers: { 'audit-id': 'my own/1' } }), 'my own/1')
  assert.match(auditIdOf({ headers: { 'audit-id': 'ü' } }), /^[0-9a-f-]{36}$/)
  assert.match(auditIdOf({ headers: {} }), /^[0-9a-f-]{36}$/)
})
