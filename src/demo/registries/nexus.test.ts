import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNexus } from './index.ts'

const wanted = {
  userId: 'one',
  firstName: 'a',
  lastName: 'b',
  emailAddress: 'a@b.invalid',
  password: 'first',
  status: 'active',
  roles: ['pull'],
}

async function scene() {
  const nexus = await startNexus({ roles: ['pull'] })
  const ask = (method: string, path: string, body?: unknown, type = 'application/json') =>
    fetch(`${nexus.url}/security${path}`, {
      method,
      headers: { 'content-type': type },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  return { nexus, ask }
}

test('a user has the password and the roles it was made with', async () => {
  const { nexus, ask } = await scene()
  await using _ = nexus
  const made = await ask('POST', '/users', wanted)
  assert.equal(made.status, 200)
  const shown = JSON.parse(await made.text())
  assert.equal(shown.source, 'default')
  assert.equal(shown.password, undefined)
  assert.ok(nexus.logsIn('one', 'first'))
  for (const status of [400, 409, 500] as const) {
    nexus.duplicateStatus = status
    assert.equal((await ask('POST', '/users', wanted)).status, status)
  }
  assert.equal((await ask('POST', '/users', { ...wanted, userId: 'two', roles: ['other'] })).status, 400)
  assert.equal((await ask('POST', '/users', { ...wanted, userId: 'two', password: '' })).status, 400)
})

test('a search goes by a part of the id', async () => {
  const { nexus, ask } = await scene()
  await using _ = nexus
  await ask('POST', '/users', { ...wanted, userId: 'one-more' })
  assert.equal(JSON.parse(await (await ask('GET', '/users?userId=one')).text()).length, 1)
  assert.equal(JSON.parse(await (await ask('GET', '/users?userId=two')).text()).length, 0)
})

test('a change wants the whole user, a password comes as plain text, and both answer with nothing', async () => {
  const { nexus, ask } = await scene()
  await using _ = nexus
  await ask('POST', '/users', wanted)
  assert.equal((await ask('PUT', '/users/one', { status: 'disabled' })).status, 400)
  const changed = await ask('PUT', '/users/one', { ...wanted, source: 'default', status: 'disabled' })
  assert.deepEqual([changed.status, await changed.text()], [204, ''])
  assert.equal(nexus.logsIn('one', 'first'), false)
  await ask('PUT', '/users/one', { ...wanted, source: 'default' })
  assert.equal((await ask('PUT', '/users/one/change-password', { password: 'x' })).status, 415)
  assert.equal((await ask('PUT', '/users/one/change-password', 'second', 'text/plain')).status, 204)
  assert.ok(nexus.logsIn('one', 'second'))
  assert.equal((await ask('DELETE', '/users/one')).status, 204)
  assert.equal((await ask('DELETE', '/users/one')).status, 404)
  assert.equal((await ask('PUT', '/users/one/change-password', 'x', 'text/plain')).status, 404)
})
