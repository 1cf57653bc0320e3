import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { systemClock } from '../../../src/core/clock.ts'
import { isFailure } from '../../../src/core/failure.ts'
import { silentLog } from '../../../src/core/log.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { Secret } from '../../../src/core/secret.ts'
import type { RegistryConfig } from '../../../src/pull-secrets/registries/config.ts'
import { openRegistries } from '../../../src/pull-secrets/registries/index.ts'
import { openSinks } from '../../../src/pull-secrets/sinks/open.ts'
import type { SinkConfig } from '../../../src/pull-secrets/sinks/settings.ts'
import { listening } from '../../support/pull-secret-outside.ts'
import { startGoogleSecrets, startKeyVault, startSecretsManager } from '../../support/secret-stores.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { teardown } from '../../support/test-scope.ts'

const never = new AbortController().signal
const staticKey = 'AKIAIOSFODNN7EXAMPLE'
const clusterId = 'cls-abc-123'
const copyName = `hyperfleet-${clusterId}-pull-secret`
const json = '{"auths":{"a.example":{"auth":"dTpw"}}}'
const document = {
  json: Secret.of(json),
  hash: createHash('sha256').update(json).digest('hex'),
  hosts: ['a.example'],
}
const deps = { clock: systemClock, random: systemRandom, log: silentLog }

type Environment = Record<string, string>

async function cloudRegistry(t: TestContext, entry: Partial<RegistryConfig>, environment: Environment = {}) {
  const dir = tempDir(t)
  const program = join(dir, 'program.mjs')
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'
     const request = Buffer.concat(await Array.fromAsync(process.stdin)).toString()
     writeFileSync(${JSON.stringify(join(dir, 'seen'))}, JSON.stringify({ request, env: process.env }))
     process.stdout.write('{"found":false}')`,
  )
  const registry: RegistryConfig = {
    id: 'cloud',
    type: 'Generic',
    url: 'registry.example.com',
    ...entry,
    generic: { exec: { command: process.execPath, args: [program] }, ...entry.generic },
  }
  const metrics = await createMetrics()
  const opened = openRegistries([registry], { ...deps, metrics, instanceId: 'one', environment })
  return {
    async seen(): Promise<{ request: string; env: Environment }> {
      await opened.driver('cloud').find('hyp-cls-one', never)
      return JSON.parse(readFileSync(join(dir, 'seen'), 'utf8'))
    },
  }
}

const sinkOf = (config: SinkConfig, env: Environment) => {
  const [sink] = openSinks([config], { ...deps, env, settings: { instanceId: 'one' } })
  assert.ok(sink)
  return sink
}

const refusedFor = (field: string) => (error: unknown) =>
  isFailure(error, 'PULL_STATIC_KEY') && error.message.includes(field) && !error.message.includes(staticKey)

/** As the SDK of AWS finds it: by itself, in the environment of the process. */
function inEnvironment(t: TestContext, values: Environment): void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, values)
  teardown(t, () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}

test('P67: sinks and registries in a cloud go by the identity of the platform; static keys are refused unless a switch allows them', async (t) => {
  const given = {
    PATH: process.env['PATH'] ?? '',
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/pull',
    AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/token',
    AZURE_FEDERATED_TOKEN_FILE: '/var/run/secrets/azure',
  }
  const keys = { AWS_ACCESS_KEY_ID: staticKey, AWS_SECRET_ACCESS_KEY: 'static', AZURE_CLIENT_SECRET: 'static' }
  const ours = { LANYARD_PULL_SECRETS_DATABASE_URL: 'postgresql://lanyard:password@db/lanyard' }

  await t.test(
    'registries: a driver sees the identity of the platform, and no key and no secret of ours',
    async (t) => {
      const registry = await cloudRegistry(t, {}, { ...given, ...keys, ...ours })
      assert.deepEqual((await registry.seen()).env, given)
    },
  )
  await t.test('registries: keys in an entry are refused, wherever they stand', async (t) => {
    const entries: [string, Partial<RegistryConfig>][] = [
      ['generic.settings.accessKeyId', { generic: { settings: { accessKeyId: staticKey } } }],
      ['generic.settings.aws.secret_access_key', { generic: { settings: { aws: { secret_access_key: 'static' } } } }],
      ['generic.exec.args.0', { generic: { exec: { command: '/bin/true', args: [`--key=${staticKey}`] } } }],
      ['generic.settings.key', { generic: { settings: { key: '{"type": "service_account"}' } } }],
    ]
    for (const [field, entry] of entries) await assert.rejects(cloudRegistry(t, entry), refusedFor(field), field)
  })
  await t.test('registries: the switch lets both through', async (t) => {
    const settings = { accessKeyId: staticKey }
    const registry = await cloudRegistry(t, { allowStaticKeys: true, generic: { settings } }, { ...keys, ...ours })
    const { env, request } = await registry.seen()
    assert.deepEqual(env, keys)
    assert.equal(JSON.parse(request).settings.accessKeyId, staticKey)
  })

  for (const start of [startGoogleSecrets, startKeyVault])
    await t.test(`sinks: ${start.name} takes a copy by the identity of the platform`, async (t) => {
      const store = await start(t)
      await sinkOf(store.config, { ...keys, ...store.env }).put({ clusterId, document, revision: 1 }, never)
      assert.equal(store.read(copyName), json)
    })
  await t.test('sinks: AWS takes a copy by the role of the workload', async (t) => {
    const identity = await listening(t, () => ({
      status: 200,
      body: {
        AccessKeyId: 'ASIAEXAMPLEEXAMPLE00',
        SecretAccessKey: 'for-an-hour',
        Token: 'session',
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      },
    }))
    inEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${identity.url}/role`, AWS_EC2_METADATA_DISABLED: 'true' })
    const store = await startSecretsManager(t)
    const { endpoint = '' } = store.config
    const config: SinkConfig = { name: 'aws', type: 'aws', region: 'us-east-1', endpoint }
    await sinkOf(config, {}).put({ clusterId, document, revision: 1 }, never)
    assert.equal(store.read(copyName), json)
  })
  await t.test('sinks: keys in the configuration or the environment are refused', async (t) => {
    const { config } = await startSecretsManager(t)
    const { allowStaticKeys: _, ...refused } = config
    assert.throws(() => sinkOf(refused, {}), refusedFor('accessKeyId'))
    const bare: SinkConfig = { name: 'aws', type: 'aws', region: 'us-east-1' }
    assert.throws(() => sinkOf(bare, keys), refusedFor('AWS_ACCESS_KEY_ID'))
  })
  await t.test('sinks: a key that an SDK finds by itself is not used', async (t) => {
    inEnvironment(t, { AWS_ACCESS_KEY_ID: staticKey, AWS_SECRET_ACCESS_KEY: 'static' })
    const store = await startSecretsManager(t)
    const { endpoint = '' } = store.config
    const sink = sinkOf({ name: 'aws', type: 'aws', region: 'us-east-1', endpoint }, {})
    await assert.rejects(sink.put({ clusterId, document, revision: 1 }, never), refusedFor('sink aws'))
    assert.equal(store.read(copyName), undefined)
  })
  await t.test('sinks: the switch lets a key through', async (t) => {
    const store = await startSecretsManager(t)
    await sinkOf(store.config, {}).put({ clusterId, document, revision: 1 }, never)
    assert.equal(store.read(copyName), json)
  })
})
