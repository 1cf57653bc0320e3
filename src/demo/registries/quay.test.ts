import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import type { QuayStandIn } from './quay.ts'
import { startQuay } from './quay.ts'

const org = 'acme'
const robotPath = `/organization/${org}/robots/hyperfleet_gcp_useast1_a1b2`

interface Answered {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers
  json: any
}

async function scene(t: TestScope, team?: string) {
  const quay = await startQuay({ org, bearer: 'ours', canary: 'CANARYx', ...(team && { team }) })
  teardown(t, async () => await quay[Symbol.asyncDispose]())
  return { quay, call: caller(quay) }
}

const caller =
  (quay: QuayStandIn, bearer = 'ours') =>
  async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const response = await fetch(`${quay.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined }
  }

suite('the stand-in for Quay', () => {
  test('makes a robot once, tells its token again, and says 400 where others say 409 and 404', async (t) => {
    const { quay, call } = await scene(t)
    assert.match((await call('GET', robotPath)).json.message, /Could not find robot/)
    const made = await call('PUT', robotPath, { description: 'x', unstructured_metadata: { a: 1 } })
    assert.equal(made.status, 201)
    assert.equal(made.json.name, `${org}+hyperfleet_gcp_useast1_a1b2`)
    assert.match(made.json.token, /^CANARYx[A-Z0-9]{57}$/)
    assert.match(made.json.created, /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} -0000$/)
    const again = await call('PUT', robotPath)
    assert.deepEqual([again.status, /Existing robot with name/.test(again.json.message)], [400, true])
    assert.equal((await call('GET', robotPath)).json.token, made.json.token)
    assert.equal(quay.logsIn(made.json.name, made.json.token), true)
    const regenerated = await call('POST', `${robotPath}/regenerate`)
    assert.equal(quay.logsIn(made.json.name, made.json.token), false)
    assert.equal(quay.logsIn(made.json.name, regenerated.json.token), true)
    assert.deepEqual(await call('DELETE', robotPath), { status: 204, text: '', json: undefined })
    assert.equal((await call('DELETE', robotPath)).status, 400)
    assert.equal(quay.logsIn(made.json.name, regenerated.json.token), false)
    assert.deepEqual(quay.accounts(), [])
  })

  test('lists robots, with tokens unless asked not to', async (t) => {
    const { call } = await scene(t)
    await call('PUT', robotPath)
    assert.ok((await call('GET', `/organization/${org}/robots`)).json.robots[0].token)
    const bare = (await call('GET', `/organization/${org}/robots?token=false&permissions=false&limit=9`)).json.robots
    assert.deepEqual([bare.length, 'token' in bare[0]], [1, false])
  })

  test('takes members into teams that exist, and resets the role of a team that is put', async (t) => {
    const { quay, call } = await scene(t)
    const member = `/organization/${org}/team/crew/members/${encodeURIComponent(`${org}+hyperfleet_gcp_useast1_a1b2`)}`
    await call('PUT', robotPath)
    assert.equal((await call('PUT', member)).status, 404)
    assert.equal((await call('PUT', `/organization/${org}/team/crew`, {})).status, 400)
    assert.equal((await call('PUT', `/organization/${org}/team/crew`, { role: 'admin' })).json.new_team, true)
    assert.equal((await call('PUT', `/organization/${org}/team/crew`, { role: 'member' })).json.new_team, false)
    assert.equal(quay.teams.get('crew')?.role, 'member')
    assert.deepEqual([(await call('PUT', member)).json.invited, (await call('PUT', member)).status], [false, 400])
    assert.match((await call('PUT', member)).json.message, /already a member of team/)
    const unknown = await call('PUT', `/organization/${org}/team/crew/members/${org}+nobody`)
    assert.deepEqual([unknown.status, unknown.json.error_message], [400, 'Unknown user'])
    await call('DELETE', robotPath)
    assert.equal(quay.teams.get('crew')?.members.size, 0)
  })

  test('does not see a new robot at once when replicas lag', async (t) => {
    const { quay, call } = await scene(t, 'crew')
    quay.switches.replicaLag = 1
    await call('PUT', robotPath)
    const member = `/organization/${org}/team/crew/members/${org}%2Bhyperfleet_gcp_useast1_a1b2`
    assert.equal((await call('PUT', member)).json.detail, 'Unknown user')
    assert.equal((await call('PUT', member)).status, 200)
  })

  test('refuses strangers, robots that mirror, and changes while it is read-only', async (t) => {
    const { quay, call } = await scene(t)
    assert.equal((await caller(quay, 'theirs')('GET', robotPath)).json.error_type, 'invalid_token')
    await call('PUT', robotPath)
    quay.switches.mirrored.add('hyperfleet_gcp_useast1_a1b2')
    assert.match((await call('DELETE', robotPath)).json.message, /used by a mirror/)
    quay.switches.isReadOnly = true
    const refused = await call('DELETE', robotPath)
    assert.deepEqual([refused.status, refused.json.is_readonly], [503, true])
    quay.refuseOurs = true
    assert.equal((await call('GET', robotPath)).status, 401)
  })

  test('an organization is deleted by whoever lets a path end one segment early', async (t) => {
    const { quay, call } = await scene(t)
    await call('PUT', robotPath)
    assert.equal((await call('DELETE', `/organization/${org}/robots/`)).status, 405)
    assert.equal(quay.hasOrg, true)
    assert.equal((await call('DELETE', `/organization/${org}/robots/..`)).status, 204)
    assert.deepEqual([quay.hasOrg, quay.accounts().length], [false, 0])
    assert.match((await call('GET', robotPath)).json.message, /Organization does not exist/)
  })

  test('with a file it knows its robots after a start', async (t) => {
    const stateFile = join(tempDir(t), 'quay.json')
    const start = () => startQuay({ org, bearer: 'ours', team: 'crew', stateFile })
    const first = await start()
    const { json } = await caller(first)('PUT', robotPath)
    await caller(first)('PUT', `/organization/${org}/team/crew/members/${encodeURIComponent(json.name)}`)
    await first[Symbol.asyncDispose]()
    const second = await start()
    teardown(t, async () => await second[Symbol.asyncDispose]())
    assert.equal(second.logsIn(json.name, json.token), true)
    assert.deepEqual([...(second.teams.get('crew')?.members ?? [])], [json.name])
    assert.equal((await caller(second)('GET', robotPath)).json.created, json.created)
  })
})
