import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as Type from 'typebox'
import { isFailure } from '../failure.ts'
import type { ConfigInput } from './resolve.ts'
import { resolveConfig } from './resolve.ts'
import { secretSetting } from './settings.ts'
import { parseConfigFile } from './yaml-file.ts'

const schema = Type.Object({
  hub: Type.Object({
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 8443 }),
    name: Type.Optional(Type.String({ minLength: 1 })),
    mode: Type.Enum(['strict', 'lax'], { default: 'strict' }),
    debug: Type.Boolean({ default: false }),
    hosts: Type.Array(Type.String(), { default: [] }),
    labels: Type.Record(Type.String(), Type.String(), { default: {} }),
  }),
  database: Type.Optional(Type.Object({ url: Type.String(), password: secretSetting({ description: 'of the role' }) })),
})

const file = (text: string) => parseConfigFile('lanyard.yaml', text)
const resolve = (input: ConfigInput) => resolveConfig(schema, input).config as Record<string, Record<string, unknown>>
const hub = (input: ConfigInput) => resolve(input)['hub'] ?? {}

function failureOf(input: ConfigInput) {
  try {
    resolveConfig(schema, input)
  } catch (error) {
    assert.ok(isFailure(error), String(error))
    return error
  }
  return assert.fail('it was accepted')
}

test('without anything, the defaults hold and an optional section is absent', () => {
  const defaults = { port: 8443, mode: 'strict', debug: false, hosts: [], labels: {} }
  assert.deepEqual(resolve({}), { hub: defaults })
  assert.deepEqual(resolve({ file: file('') }), { hub: defaults })
  assert.deepEqual(resolve({ file: file('hub:\n') }), { hub: defaults })
})

test('flags win over the environment, the environment over the file, the file over defaults', () => {
  const yaml = file('hub:\n  port: 1\n')
  const env = { LANYARD_HUB_PORT: '2' }
  assert.equal(hub({ file: yaml })['port'], 1)
  assert.equal(hub({ file: yaml, env })['port'], 2)
  assert.equal(hub({ file: yaml, env, flags: { 'hub.port': 3 } })['port'], 3)
  assert.equal(hub({ file: yaml, env, flags: { hubPort: '4' } })['port'], 4)
  assert.equal(hub({ file: yaml, env, flags: { hubPort: undefined } })['port'], 2)
})

test('text from outside becomes what the setting is', () => {
  const env = {
    LANYARD_HUB_DEBUG: 'true',
    LANYARD_HUB_HOSTS: 'a.example, b.example',
    LANYARD_HUB_LABELS: '{"site":"west"}',
    LANYARD_HUB_NAME: '',
  }
  const { debug, hosts, labels, name } = hub({ env })
  assert.deepEqual([debug, hosts, labels], [true, ['a.example', 'b.example'], { site: 'west' }])
  assert.equal(name, undefined, 'an empty variable counts as not set')
})

const wrong: [what: string, input: ConfigInput, code: string, message: string | RegExp][] = [
  [
    'an unknown key',
    { file: file('hub:\n  mode: lax\n  prot: 1\n') },
    'CONFIG_UNKNOWN_KEY',
    'hub.prot (lanyard.yaml:3) is not a setting; did you mean hub.port?',
  ],
  [
    'an unknown section',
    { file: file('nothing:\n  a: 1\n') },
    'CONFIG_UNKNOWN_KEY',
    'nothing (lanyard.yaml:2) is not a setting',
  ],
  [
    'a wrong type in the file',
    { file: file('hub:\n  port: many\n') },
    'CONFIG_WRONG_VALUE',
    'hub.port (lanyard.yaml:2) must be a whole number',
  ],
  [
    'a wrong type in a list',
    { file: file('hub:\n  hosts:\n    - 1\n') },
    'CONFIG_WRONG_VALUE',
    'hub.hosts[0] (lanyard.yaml:3) must be text',
  ],
  [
    'a section that is no mapping',
    { file: file('hub: 3\n') },
    'CONFIG_WRONG_VALUE',
    'hub (lanyard.yaml:1) must be a mapping',
  ],
  [
    'a file that is no mapping',
    { file: file('- a\n') },
    'CONFIG_WRONG_VALUE',
    'the top level (lanyard.yaml:1) must be a mapping',
  ],
  ['a limit', { flags: { hubPort: '0' } }, 'CONFIG_WRONG_VALUE', 'hub.port (--hub-port) must be at least 1'],
  [
    'a choice',
    { env: { LANYARD_HUB_MODE: 'loose' } },
    'CONFIG_WRONG_VALUE',
    'hub.mode (LANYARD_HUB_MODE) must be one of strict, lax',
  ],
  [
    'no number',
    { env: { LANYARD_HUB_PORT: 'x' } },
    'CONFIG_WRONG_VALUE',
    'hub.port (LANYARD_HUB_PORT) must be a number',
  ],
  [
    'no boolean',
    { env: { LANYARD_HUB_DEBUG: 'yes' } },
    'CONFIG_WRONG_VALUE',
    'hub.debug (LANYARD_HUB_DEBUG) must be true or false',
  ],
  [
    'an empty text',
    { file: file('hub: { name: "" }') },
    'CONFIG_WRONG_VALUE',
    'hub.name (lanyard.yaml:1) must not be empty',
  ],
  [
    'a secret that is missing',
    { file: file('database: { url: x }') },
    'CONFIG_MISSING',
    'database.passwordFile must be set: in the file, by --database-password-file or by LANYARD_DATABASE_PASSWORD_FILE',
  ],
  [
    'a secret in the file',
    { file: file('database:\n  url: x\n  password: hunter2\n  passwordFile: a\n') },
    'CONFIG_SECRET_INLINE',
    'database.password (lanyard.yaml:3) is a secret: put it in a file of its own and name that file in database.passwordFile',
  ],
]
for (const [what, input, code, message] of wrong)
  test(`${what} is told with its field and where it came from`, () => {
    const failure = failureOf(input)
    assert.deepEqual([failure.code, failure.message], [code, message])
  })

test('several mistakes are told at once', () => {
  const failure = failureOf({ file: file('hub: { port: x, prot: 1 }'), env: { LANYARD_HUB_MODE: 'loose' } })
  assert.equal(failure.code, 'CONFIG_INVALID')
  assert.match(failure.message, /^the configuration has 3 mistakes: hub\.prot .*; hub\.port .*; hub\.mode /)
})

test('no failure repeats a value, not even one in the wrong place', () => {
  const inputs: ConfigInput[] = [
    { file: file('hub: { port: hunter2 }') },
    { file: file('hub: { mode: hunter2, labels: hunter2, hosts: [[hunter2]] }') },
    { file: file('database: { password: hunter2 }') },
    { env: { LANYARD_HUB_PORT: 'hunter2', LANYARD_HUB_LABELS: 'hunter2' } },
    { flags: { hubDebug: 'hunter2' } },
  ]
  for (const input of inputs) {
    const failure = failureOf(input)
    assert.ok(!JSON.stringify([failure.message, failure.params, String(failure.cause)]).includes('hunter2'))
  }
})

test('a syntax error names the line and does not quote the source', () => {
  const parse = () => file('hub:\n  name: "hunter2\n')
  assert.throws(
    parse,
    (error) =>
      isFailure(error, 'CONFIG_SYNTAX') &&
      /^lanyard\.yaml:\d+ is not valid YAML/.test(error.message) &&
      !error.message.includes('hunter2'),
  )
  assert.throws(
    () => file('hub: 1\nhub: 2\n'),
    (error) => isFailure(error, 'CONFIG_SYNTAX') && error.message.includes(':2'),
  )
})

test('an alias of nothing is a syntax error, one of an anchor is not', () => {
  assert.throws(
    () => file('hub:\n  listen: *:8080\n'),
    (error) => isFailure(error, 'CONFIG_SYNTAX') && error.message.startsWith('lanyard.yaml:2 '),
  )
  assert.deepEqual(file('a: &port 1\nb: *port\n').root, { a: 1, b: 1 })
})

test('a secret is resolved to the file that holds it', () => {
  const { secrets } = resolveConfig(schema, { file: file('database: { url: x, passwordFile: pw.txt }') })
  assert.deepEqual(secrets, [
    { path: ['database', 'password'], file: 'pw.txt', setting: 'database.passwordFile', origin: 'lanyard.yaml:1' },
  ])
})

test('sections of other roles are left to them', () => {
  assert.ok(hub({ file: file('agent:\n  anything: 1\n'), otherSections: ['agent'] }))
})

test('variables that look like settings and are none are named; those that Kubernetes sets for a Service are not', () => {
  const env = {
    LANYARD_HUB_PROT: '1',
    LANYARD_HUB_SERVICE_HOST: '10.0.0.1',
    LANYARD_HUB_PORT_443_TCP: 'tcp://10.0.0.1:443',
    LANYARD_OTHER: 'x',
    PATH: '/bin',
  }
  assert.deepEqual(resolveConfig(schema, { env }).unknownVariables, ['LANYARD_HUB_PROT'])
})

test('a field that means nothing within an entry of a list is told, at any depth', () => {
  const roles = Type.Object({
    roles: Type.Array(
      Type.Object({
        issuer: Type.Optional(Type.String()),
        claim: Type.String(),
        limits: Type.Optional(Type.Union([Type.Object({ rate: Type.Integer() }), Type.Null()])),
        labels: Type.Optional(Type.Record(Type.String(), Type.String())),
        extra: Type.Optional(Type.Unknown()),
      }),
    ),
  })
  const schema = Type.Object({ auth: roles })
  const read = (role: string) => resolveConfig(schema, { file: file(`auth:\n  roles:\n    - ${role}\n`) }).config
  read('{ issuer: a, claim: b, limits: { rate: 1 }, labels: { any: thing }, extra: { any: thing } }')
  const told = (role: string) => {
    try {
      return read(role)
    } catch (error) {
      return error instanceof Error && error.message
    }
  }
  assert.equal(
    told('{ isuer: a, claim: b }'),
    'auth.roles[0].isuer (lanyard.yaml:3) is not a setting; did you mean auth.roles[0].issuer?',
  )
  assert.match(String(told('{ claim: b, limits: { rate: 1, burst: 2 } }')), /^auth\.roles\[0\]\.limits\.burst /)
})
