import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { startHarbor } from './index.ts'

const user = { username: 'lanyard', password: 'ours' }
const rights = [{ kind: 'project', namespace: 'images', access: [{ resource: 'repository', action: 'pull' }] }]
const wanted = { name: 'one', level: 'project', duration: 30, permissions: rights }

async function scene() {
  const clock = new FakeClock()
  const harbor = await startHarbor({ project: 'images', user, clock, canary: 'canary' })
  async function ask(method: string, path: string, body?: unknown, password = user.password) {
    const response = await fetch(`${harbor.url}${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${user.username}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text), headers: response.headers }
  }
  return { harbor, clock, ask }
}

test('a robot is made under the name of its project, with a number and an end', async () => {
  const { harbor, clock, ask } = await scene()
  await using _ = harbor
  const { status, json, headers } = await ask('POST', '/robots', wanted)
  assert.equal(status, 201)
  assert.equal(json.name, 'robot$images+one')
  assert.match(headers.get('location') ?? '', new RegExp(`/robots/${json.id}$`))
  assert.equal(json.expires_at, Math.floor(clock.now().getTime() / 1000) + 30 * 86_400)
  assert.ok(harbor.logsIn(json.name, json.secret))
  assert.ok(json.secret.startsWith('canary'))
  await clock.advance('30d')
  assert.equal(harbor.logsIn(json.name, json.secret), false)
  assert.deepEqual(harbor.accounts(), [{ name: 'one', username: 'robot$images+one', isLive: false }])
})

test('what Harbor does not take it answers as Harbor does', async () => {
  const { harbor, ask } = await scene()
  await using _ = harbor
  assert.equal((await ask('POST', '/robots', { ...wanted, name: 'robot$one' })).status, 400)
  assert.equal((await ask('POST', '/robots', { ...wanted, duration: 0 })).status, 400)
  assert.equal((await ask('POST', '/robots', { ...wanted, permissions: [] })).status, 400)
  assert.equal((await ask('POST', '/robots', wanted, 'wrong')).status, 401)
  assert.equal((await ask('POST', '/robots', wanted)).status, 201)
  assert.equal((await ask('POST', '/robots', wanted)).status, 409)
  assert.equal((await ask('GET', '/robots/one')).status, 422)
  assert.equal((await ask('GET', '/robots/999')).status, 404)
  assert.equal((await ask('GET', '/robots?q=Level%3Dproject')).status, 400)
  assert.equal((await ask('GET', '/projects/other')).status, 404)
})

test('a search shows robots of the system, or of a project by its number; a plus sign is lost on the way', async () => {
  const { harbor, ask } = await scene()
  await using _ = harbor
  await ask('POST', '/robots', wanted)
  await ask('POST', '/robots', { ...wanted, level: 'system', name: 'two' })
  const found = async (q: string) =>
    (await ask('GET', `/robots?q=${encodeURIComponent(q)}`)).json.map(({ name }: { name: string }) => name)
  const { project_id: number } = (await ask('GET', '/projects/images')).json
  assert.deepEqual(await found('name=two'), ['robot$two'])
  assert.deepEqual(await found('name=one'), [])
  assert.deepEqual(await found(`Level=project,ProjectID=${number},name=~one`), ['robot$images+one'])
  assert.deepEqual(await found(`Level=project,ProjectID=${number},name=images+one`), [])
})

test('a change wants the whole robot back; a refresh kills the old secret and leaves the end where it was', async () => {
  const { harbor, clock, ask } = await scene()
  await using _ = harbor
  const { json: made } = await ask('POST', '/robots', wanted)
  const path = `/robots/${made.id}`
  assert.equal((await ask('PUT', path, { disable: true })).status, 400)
  assert.equal((await ask('PUT', path, { ...wanted, disable: true })).status, 400)
  assert.equal((await ask('PUT', path, { ...wanted, name: made.name, disable: true })).status, 200)
  assert.equal(harbor.logsIn(made.name, made.secret), false)
  assert.equal((await ask('PUT', path, { ...wanted, name: made.name, disable: false })).status, 200)
  await clock.advance('10d')
  const { json: fresh } = await ask('PATCH', path, {})
  assert.equal(harbor.logsIn(made.name, made.secret), false)
  assert.ok(harbor.logsIn(made.name, fresh.secret))
  assert.equal((await ask('GET', path)).json.expires_at, made.expires_at)
  assert.equal((await ask('PATCH', path, { secret: 'weak' })).status, 400)
  assert.deepEqual((await ask('PATCH', path, { secret: 'Chosen-1234' })).json, { secret: '' })
  assert.ok(harbor.logsIn(made.name, 'Chosen-1234'))
  const removed = await ask('DELETE', path)
  assert.deepEqual([removed.status, removed.json], [200, undefined])
  assert.equal((await ask('DELETE', path)).status, 404)
})
