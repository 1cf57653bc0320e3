import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { Accounts } from '../../../examples/registry-generic/accounts.ts'
import { Secret } from '../../../src/core/secret.ts'
import type { RegistryConfig } from '../../../src/pull-secrets/registries/config.ts'
import { clusterC, loginOf, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { teardown } from '../../support/test-scope.ts'

const host = 'registry.example.com'
const never = new AbortController().signal
const program = resolve(import.meta.dirname, '../../../examples/registry-generic/main.ts')

interface Speaker {
  accounts: Accounts
  /** How each request ends that comes, by its action. */
  asked: string[]
  generic: NonNullable<RegistryConfig['generic']>
}

/** The example program, run anew for each request. */
function execSpeaker(directory: string): Speaker {
  return {
    accounts: new Accounts(directory),
    asked: [],
    generic: {
      exec: { command: process.execPath, args: [program] },
      settings: { directory },
      capabilities: { disable: true },
    },
  }
}

/** A server with the same accounts, that tells secrets again and brings removed accounts back. */
async function httpSpeaker(t: TestContext, directory: string): Promise<Speaker> {
  const accounts = new Accounts(directory)
  const [asked, secrets, removed]: [string[], Map<string, string>, Set<string>] = [[], new Map(), new Set()]
  const told = (name: string, token: string | undefined) => {
    if (token !== undefined) secrets.set(name, token)
    return token === undefined ? undefined : { username: name, token, ref: `ref-of-${name}` }
  }
  const actions: Record<string, (request: Record<string, string>) => unknown> = {
    create: ({ name = '' }) => (removed.has(name) ? undefined : told(name, accounts.create(name))),
    find: ({ name = '' }) =>
      accounts.has(name) ? { found: true, ...told(name, secrets.get(name)) } : { found: false },
    recover: ({ name = '' }) => (removed.delete(name) ? told(name, accounts.create(name)) : { found: false }),
    remove({ name = '' }) {
      if (accounts.has(name)) removed.add(name)
      accounts.remove(name)
      return {}
    },
    validate: ({ username = '', token = '' }) => ({ valid: accounts.letsIn(username, token) }),
    check: () => ({}),
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync<Buffer>(request)).toString())
    asked.push(body.action)
    assert.equal(request.url, `/v1/${body.action}`)
    const answer = actions[body.action]?.(body)
    response.writeHead(answer === undefined ? 409 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { accounts, asked, generic: { http: { baseUrl }, capabilities: { rereadSecret: true, softDelete: true } } }
}

const speakers: Record<string, (t: TestContext, directory: string) => Promise<Speaker> | Speaker> = {
  exec: (_, directory) => execSpeaker(directory),
  http: httpSpeaker,
}

async function genericScene(t: TestContext, kind: string) {
  const speaker = await speakers[kind]?.(t, tempDir(t))
  assert.ok(speaker)
  const registry: RegistryConfig = {
    id: 'ours',
    type: 'Generic',
    url: host,
    rate: { rps: 10_000, burst: 10_000 },
    generic: speaker.generic,
  }
  return { ...(await pullSecretScene(t, { registries: () => [registry] })), ...speaker }
}

for (const kind of Object.keys(speakers))
  test(`P64${kind === 'exec' ? '' : 'b'}: a generic entry (${kind}) follows the same saga as the built-in ones`, async (t) => {
    const scene = await genericScene(t, kind)
    const { service, accounts, clock } = scene
    const driver = scene.registries.driver('ours')
    await driver.check(never)

    // A process dies between the creation and its record; the sweeper of another one takes it up.
    const dying = await scene.pod({
      checkpoint: (place) => {
        if (place === 'pull.account-made') throw new Error('killed')
      },
    })
    await assert.rejects(dying.service.issuing.generate({ cluster: clusterC }, tester), /killed/)
    await clock.advance('2m')
    await scene.tick('sweep')

    const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
    const first = loginOf(pullSecret, host)
    assert.ok(accounts.letsIn(...first))
    assert.equal(await driver.validate({ username: first[0], token: Secret.of(first[1]) }, never), true)
    assert.equal(await driver.validate({ username: first[0], token: Secret.of('wrong') }, never), false)
    assert.deepEqual(await liveNames(scene), [first[0]])

    const again = await service.issuing.generate({ cluster: clusterC }, tester)
    assert.equal(again.created, false)
    assert.deepEqual(loginOf(await service.issuing.read(clusterC.id, tester), host), first)

    const { rotation } = await service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
    await scene.tick('rotation')
    const second = loginOf(await service.issuing.read(clusterC.id, tester), host)
    assert.ok(accounts.letsIn(...first) && accounts.letsIn(...second))
    await service.rotating.confirm(clusterC.id, rotation.id, tester)
    await scene.tick('rotation')
    assert.equal(accounts.letsIn(...first), false)

    await service.ending.suspend(clusterC.id, 'unpaid', tester)
    assert.equal(accounts.letsIn(...second), false)
    assert.equal(accounts.has(second[0]), kind === 'exec', 'disabled where that can be, removed where not')
    const resumed = loginOf(await service.ending.resume(clusterC.id, 'paid', tester), host)
    assert.equal(resumed[0], second[0], 'the same account came back')
    assert.ok(accounts.letsIn(...resumed))

    await service.ending.remove(clusterC.id, tester)
    assert.equal(accounts.has(resumed[0]), false)
    assert.deepEqual(await liveNames(scene), [])
    for (const [, token] of [first, second, resumed]) assert.ok(!scene.logged().includes(token))
  })

const liveNames = async ({ database }: Awaited<ReturnType<typeof genericScene>>): Promise<string[]> =>
  (
    await database.db
      .selectFrom('registry_credentials')
      .select('external_name')
      .where('state', 'in', ['active', 'superseded', 'staged', 'provisioning'])
      .execute()
  ).map(({ external_name }) => external_name)
