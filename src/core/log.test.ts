import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { catalogue } from './failure.ts'
import type { LogOptions } from './log.ts'
import { createLog, silentLog } from './log.ts'
import { Secret } from './secret.ts'

const failures = catalogue({ PEER_REFUSED: [502, '{peer} refused the token {token}'] })

function aLog(options: LogOptions = {}) {
  const lines: string[] = []
  const log = createLog({
    level: 'debug',
    clock: new FakeClock(),
    destination: { write: (line) => lines.push(line) },
    ...options,
  })
  return { log, lines, fields: () => JSON.parse(lines.at(-1) ?? '{}') }
}

test('a line has level, time, fields and message, and nothing of the machine', () => {
  const { log, lines, fields } = aLog()
  log.warn({ cluster: 'west', nextTryMs: 500 }, 'registration deferred')
  assert.deepEqual(fields(), {
    level: 'warn',
    time: '2026-01-01T00:00:00.000Z',
    cluster: 'west',
    nextTryMs: 500,
    msg: 'registration deferred',
  })
  assert.match(lines[0] ?? '', /}\n$/)
})

test('what is below the level is not written', () => {
  const { log, lines } = aLog({ level: 'warn' })
  log.info('started')
  log.child({ cluster: 'west' }).debug('more')
  silentLog.error('nothing')
  assert.deepEqual(lines, [])
})

test('a child adds its fields to every line, and its own children add theirs', () => {
  const { log, fields } = aLog()
  log.child({ controller: 'lease' }).child({ cluster: 'west' }).info({ attempt: 2 }, 'reconciled')
  assert.deepEqual([fields().controller, fields().cluster, fields().attempt], ['lease', 'west', 2])
})

test('a Secret prints as *** in fields, nested fields, children and messages', () => {
  const { log, lines } = aLog()
  const value = Secret.of('hunter2-canary')
  log
    .child({ value })
    .info({ value, nested: { list: [{ value }] }, map: new Map([['value', value]]) }, 'made %s', value)
  assert.ok(!lines.join().includes('hunter2'))
  assert.equal(lines.join().split('***').length - 1, 5)
})

test('fields with the names of secrets are hidden at any depth, in any spelling, also in a child', () => {
  const { log, lines, fields } = aLog()
  const leaks = {
    token: 'leak',
    accessToken: 'leak',
    password: 'leak',
    clientSecret: 'leak',
    'client-secret': 'leak',
    client_secret: { value: 'leak' },
    Authorization: ['leak'],
    'client-key-data': 'leak',
    kubeconfig: { users: ['leak'] },
    '.dockerconfigjson': 'leak',
    stringData: { a: 'leak' },
    'tls.key': 'leak',
    aws: { secretAccessKey: 'leak' },
    encryptionKey: 'leak',
    signingKeys: ['leak'],
    credential: 'leak',
    clientAssertion: 'leak',
    pwd: 'leak',
    jwt: 'leak',
    tokens: ['leak'],
    passwords_: { a: 'leak' },
  }
  log
    .child({ bearerToken: 'leak' })
    .info({ ...leaks, request: { headers: { authorization: 'leak' } }, users: [{ user: leaks }] }, 'seen')
  assert.ok(!lines.join().includes('leak'), lines.join())
  assert.equal(fields().request.headers.authorization, '***')
})

test('fields that only speak about secrets stay', () => {
  const { log, fields } = aLog()
  const told = {
    secretName: 'hub-kubeconfig',
    tokenExpiresAt: '2026',
    hasPassword: true,
    token: null,
    kubeconfigPath: '/a',
    key: 'west/a',
    keptIn: 'hub-kubeconfig',
    publicKey: 'a',
    accessKeyId: 'a',
  }
  log.info(told, 'seen')
  const { level: _level, time: _time, msg: _msg, ...seen } = fields()
  assert.deepEqual(seen, told)
})

test('the data of a Kubernetes Secret is hidden, with or without its kind; that of a ConfigMap stays', () => {
  const { log, fields } = aLog()
  const metadata = { name: 'a' }
  log.info(
    {
      one: { kind: 'Secret', data: { a: 'eA==' } },
      two: { metadata, data: { a: 'eA==' } },
      three: { kind: 'ConfigMap', metadata, data: { a: 'b' } },
    },
    'seen',
  )
  assert.equal(fields().one.data, '***')
  assert.equal(fields().two.data, '***')
  assert.deepEqual(fields().three.data, { a: 'b' })
})

test('a failure logs its code, status, parameters and causes, without a stack', () => {
  const { log, fields } = aLog()
  const cause = Object.assign(new Error('connect ECONNREFUSED', { cause: new Error('root') }), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  })
  log.error({ err: failures.PEER_REFUSED({ peer: 'quay', token: Secret.of('hunter2') }, cause) }, 'peer failed')
  const { cause: logged, ...err } = fields().err
  assert.deepEqual(err, {
    name: 'Failure',
    code: 'PEER_REFUSED',
    status: 502,
    message: 'quay refused the token ***',
    params: { peer: 'quay', token: '***' },
  })
  assert.deepEqual(
    [logged.code, logged.syscall, logged.message, logged.cause.message],
    ['ECONNREFUSED', 'connect', 'connect ECONNREFUSED', 'root'],
  )
})

test('an unforeseen error keeps its stack, an AggregateError its errors, and a chain without end is cut', () => {
  const { log, fields } = aLog()
  const loop = new Error('loop')
  loop.cause = loop
  log.error({ err: new AggregateError([new Error('one'), loop], 'all failed') }, 'failed')
  assert.match(fields().err.stack, /log\.test\.ts/)
  assert.deepEqual(
    fields().err.errors.map((error: Error) => error.message),
    ['one', 'loop'],
  )
})

test('keys, tokens and passwords inside messages of errors are masked, also where the error is the whole line', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'sec1',
    format: 'pem',
  }) as string
  const { log, lines } = aLog()
  log.error(new Error(`cannot read ${key}`))
  log.error({ err: new Error('GET https://lanyard:hunter2@quay.io failed') }, 'failed')
  log.error({ header: 'Bearer sha256~hunter2' }, 'failed')
  for (const line of lines) JSON.parse(line)
  assert.ok(!lines.join().includes(key.split('\n')[1] ?? ''))
  assert.ok(!lines.join().includes('hunter2'))
})

test('bytes print as their count, and huge or endless values are cut', () => {
  const { log, fields, lines } = aLog()
  const endless: Record<string, unknown> = {}
  endless['self'] = endless
  log.info({ bytes: Buffer.from('hunter2'), many: Array.from({ length: 1_000 }, (_, i) => i), endless }, 'seen')
  assert.equal(fields().bytes, '<7 bytes>')
  assert.equal(fields().many.at(-1), '<950 more>')
  assert.ok((lines[0]?.length ?? 0) < 1_000)
})

test('pretty lines are one line each, errors and their causes included', () => {
  const { log, lines } = aLog({ pretty: true })
  log.info({ cluster: 'west', note: 'two words', token: 'leak' }, 'cluster joined')
  log.error({ err: failures.PEER_REFUSED({ peer: 'quay', token: '1' }, new Error('first\nsecond')) }, 'peer failed')
  assert.equal(lines[0], '00:00:00.000 INFO  cluster joined cluster=west note="two words" token=***\n')
  assert.match(
    lines[1] ?? '',
    /^00:00:00\.000 ERROR peer failed err="PEER_REFUSED: quay refused the token 1 <- Error: first second \(at .*\)"\n$/,
  )
})

test('what others wrote cannot move the cursor of a terminal', () => {
  const { log, lines } = aLog({ pretty: true })
  const evil = 'a\u001b[2K\u009b1A\u202eb'
  log.warn({ id: evil, err: new Error(evil), more: { evil } }, 'not read')
  for (const mark of ['\u001b', '\u009b', '\u202e']) assert.ok(!lines[0]?.includes(mark))
  assert.match(lines[0] ?? '', /id="a\\u001b\[2K\\u009b1A\\u202eb"/)
})

test('colour changes only how a pretty line looks', () => {
  const { log, lines } = aLog({ pretty: true, colour: true })
  log.warn({ a: 1 }, 'looks')
  const plain = stripVTControlCharacters(lines[0] ?? '')
  assert.notEqual(lines[0], plain)
  assert.equal(plain, '00:00:00.000 WARN  looks a=1\n')
})
