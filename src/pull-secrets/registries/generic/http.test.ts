import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { teardown } from '../../../../test/support/test-scope.ts'
import { Secret } from '../../../core/secret.ts'
import { cluster, failsWith, forever, openDriver, ours, passwordFile } from '../testing/open-driver.ts'

const name = 'hyp-cls-one'

interface Seen {
  method: string | undefined
  url: string | undefined
  authorization: string | undefined
  body: Record<string, unknown>
}

async function scene(t: TestContext) {
  const seen: Seen[] = []
  const answers: [status: number, body?: unknown][] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync<Buffer>(request)).toString())
    seen.push({ method: request.method, url: request.url, authorization: request.headers.authorization, body })
    const [status, answer] = answers.shift() ?? [200, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const driver = await openDriver({
    id: 'ours',
    type: 'Generic',
    url: 'registry.example.com',
    auth: { username: ours.username, passwordFile: passwordFile(t) },
    generic: {
      http: { baseUrl: `${url}/accounts/v1` },
      settings: { repository: 'images' },
      capabilities: { rereadSecret: true, softDelete: true, nativeExpiry: true },
    },
  })
  return { driver, seen, answers }
}

test('each action is a POST with the request, by our own credentials', async (t) => {
  const { driver, seen, answers } = await scene(t)
  answers.push([201, { username: 'a|b', token: 'told', ref: 'x1', expiresAt: '2030-01-01T00:00:00Z' }])
  const account = await driver.create({ name, cluster }, forever)
  assert.deepEqual(
    { ...account, token: account.token.reveal() },
    { username: 'a|b', token: 'told', ref: 'x1', expiresAt: new Date('2030-01-01T00:00:00Z') },
  )
  const basic = `Basic ${Buffer.from(`${ours.username}:${ours.password}`).toString('base64')}`
  assert.deepEqual(seen, [
    {
      method: 'POST',
      url: '/accounts/v1/create',
      authorization: basic,
      body: {
        version: 1,
        action: 'create',
        registry: 'ours',
        instance: 'one',
        settings: { repository: 'images' },
        name,
        cluster,
      },
    },
  ])
})

test('what it declares is what it can do', async (t) => {
  const { driver, seen, answers } = await scene(t)
  assert.equal(driver.disable, undefined)
  assert.equal(driver.enable, undefined)
  assert.equal(driver.finish, undefined)
  answers.push([200, { found: true, username: 'u', token: 'told' }], [200, { found: false }], [200, { found: false }])
  const found = await driver.find(name, forever)
  assert.equal(found?.account?.token.reveal(), 'told')
  assert.equal(await driver.recover?.(name, forever), undefined)
  assert.equal(await driver.find(name, forever), undefined)
  answers.push([200, { valid: true }], [200, { valid: false }])
  const tried = { username: 'u', token: Secret.of('told') }
  assert.equal(await driver.validate(tried, forever), true)
  assert.equal(await driver.validate(tried, forever), false)
  await driver.remove({ name, ref: '7' }, forever)
  await driver.check(forever)
  assert.deepEqual(
    seen.map(({ url }) => url?.split('/').pop()),
    ['find', 'recover', 'find', 'validate', 'validate', 'remove', 'check'],
  )
})

test('its status says what became of a request', async (t) => {
  const { driver, answers } = await scene(t)
  const statuses = [
    [409, 'REGISTRY_NAME_TAKEN'],
    [400, 'REGISTRY_REFUSED'],
    [404, 'REGISTRY_REFUSED'],
    [500, 'REGISTRY_UNCERTAIN'],
    [401, 'REGISTRY_UNAUTHORIZED'],
  ] as const
  for (const [status, code] of statuses) {
    answers.push([status, {}])
    await assert.rejects(driver.create({ name }, forever), failsWith(code), String(status))
  }
})
