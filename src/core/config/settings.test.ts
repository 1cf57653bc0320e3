import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as Type from 'typebox'
import type { Secret } from '../secret.ts'
import type { Config } from './settings.ts'
import { reloads, secretSetting, settingsOf } from './settings.ts'

const schema = Type.Object({
  hub: Type.Object({
    listenAddress: Type.String({ default: ':8443', description: 'where to listen', ...reloads }),
    clientCAs: Type.Optional(Type.Array(Type.String())),
    tls: Type.Object({ minVersion: Type.Enum(['1.2', '1.3'], { default: '1.3' }) }),
  }),
  database: Type.Optional(Type.Object({ url: Type.String(), password: secretSetting({ description: 'of the role' }) })),
})

test('every leaf is a setting with a path, a variable, a flag and an option', () => {
  const names = settingsOf(schema).map(({ path, env, flag, option }) => [path, env, flag, option])
  assert.deepEqual(names, [
    ['hub.listenAddress', 'LANYARD_HUB_LISTEN_ADDRESS', '--hub-listen-address', 'hubListenAddress'],
    ['hub.clientCAs', 'LANYARD_HUB_CLIENT_CAS', '--hub-client-cas', 'hubClientCas'],
    ['hub.tls.minVersion', 'LANYARD_HUB_TLS_MIN_VERSION', '--hub-tls-min-version', 'hubTlsMinVersion'],
    ['database.url', 'LANYARD_DATABASE_URL', '--database-url', 'databaseUrl'],
    ['database.passwordFile', 'LANYARD_DATABASE_PASSWORD_FILE', '--database-password-file', 'databasePasswordFile'],
  ])
})

test('a setting knows whether it is required, secret, reloaded, and what it may be', () => {
  const [listen, , , url, password] = settingsOf(schema)
  assert.deepEqual([listen?.required, listen?.reloads, listen?.secret], [false, true, false])
  assert.deepEqual(listen?.schema, { type: 'string', default: ':8443', description: 'where to listen' })
  assert.deepEqual([url?.required, url?.reloads], [true, false])
  assert.deepEqual([password?.secret, password?.schema.description], [true, 'of the role'])
})

test('in the type, a secret is a Secret and what has a default is there', () => {
  const take = (config: Config<typeof schema>): [string, Secret | undefined] => [
    config.hub.listenAddress,
    config.database?.password,
  ]
  assert.equal(typeof take, 'function')
})

test('two settings that would share a variable are a mistake of the schema', () => {
  const clash = Type.Object({
    hub: Type.Object({ tlsCert: Type.String(), tls: Type.Object({ cert: Type.String() }) }),
  })
  assert.throws(
    () => settingsOf(clash),
    /hub\.tlsCert and hub\.tls\.cert would share the variable LANYARD_HUB_TLS_CERT/,
  )
})
