import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { issueForServer, testAuthority } from '../../support/control-plane/identities.ts'
import { lanyard } from '../../support/lanyard.ts'
import { emptyDatabase, serveSetting, serving } from '../../support/pull-secret-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

suite('lanyard pull-secrets serve', () => {
  for (const [name, flags, message, env] of [
    ['no registries', [], /--stand-ins.*PULL_NO_REGISTRIES/, {}],
    [
      'an address that others reach, without TLS',
      ['--stand-ins', '--listen', ':0'],
      /--tls-cert-file.*PULL_NEEDS_TLS/,
      {},
    ],
    ['a certificate without its key', ['--stand-ins', '--tls-cert-file', 'x.pem'], /--tls-key-file.*PULL_TLS_HALF/, {}],
    ['a wrong address', ['--stand-ins', '--listen', 'x'], /pullSecrets.listen.*CONFIG_WRONG_VALUE/, {}],
    [
      'a database without keys',
      ['--stand-ins', '--listen', '127.0.0.1:0', '--health-listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'],
      /keys rotate --key-ring-file.*PULL_NEEDS_KEY_RING/,
      { DATABASE_URL: 'postgresql://127.0.0.1:1/none' },
    ],
  ] as const)
    test(`serve refuses ${name} with the next step`, async (t) => {
      const { code, err } = await lanyard(t, ['pull-secrets', 'serve', '--data', tempDir(t), ...flags], env).ended
      assert.equal(code, 1)
      assert.match(err, message)
    })

  test('serves over TLS when it is given a certificate, and commands trust it by --ca-file', async (t) => {
    const setting = await serveSetting(t)
    const authority = await testAuthority('pull-secrets-ca')
    const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
    const at = (name: string) => join(setting.data, name)
    writeFileSync(at('tls.crt'), certPem)
    writeFileSync(at('tls.key'), keyPem.reveal(), { mode: 0o600 })
    writeFileSync(at('ca.pem'), authority.certPem)
    const flags = ['--tls-cert-file', at('tls.crt'), '--tls-key-file', at('tls.key')]
    const { url } = await serving(t, setting, { flags })
    assert.match(url, /^https:/)
    const list = ['pull-secrets', 'list', '--config', setting.config]
    const trusting = await lanyard(t, [...list, '--ca-file', at('ca.pem')]).ended
    assert.deepEqual([trusting.code, trusting.err], [0, ''])
    const { code, err } = await lanyard(t, list).ended
    assert.equal(code, 1)
    assert.match(err, /PULL_SERVER_AWAY/)
  })

  test('--no-migrate refuses tables that are not there, and migrate makes them', async (t) => {
    const setting = { ...(await serveSetting(t)), databaseUrl: await emptyDatabase(t) }
    const env = { DATABASE_URL: setting.databaseUrl }
    const words = ['pull-secrets', 'serve', '--no-migrate', '--config', setting.config]
    const { code, err } = await lanyard(t, words, env).ended
    assert.equal(code, 1)
    assert.match(err, /lanyard pull-secrets migrate.*PULL_NOT_MIGRATED/)
    const migrated = await lanyard(t, ['pull-secrets', 'migrate', '--config', setting.config], env).ended
    assert.equal(migrated.code, 0, migrated.err)
    const service = await serving(t, setting, { flags: ['--no-migrate'] })
    assert.equal(await service.probe('/readyz'), 200)
  })
})
