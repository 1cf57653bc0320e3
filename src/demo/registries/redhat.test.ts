import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { startRedhat } from './redhat.ts'

const partnerCode = 'ocm-service'
const path = `/partners/${partnerCode}/service-accounts`

async function scene(t: TestScope) {
  const redhat = await startRedhat({ partnerCode, bearer: 'ours', canary: 'CANARYx' })
  teardown(t, async () => await redhat[Symbol.asyncDispose]())
  const call = async (method: string, under: string, body?: unknown) => {
    const response = await fetch(`${redhat.url}${path}${under}`, {
      method,
      headers: { authorization: 'Bearer ours', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: what a server answers
    return { status: response.status, json: (text ? JSON.parse(text) : undefined) as any }
  }
  return { redhat, call }
}

suite('the stand-in for the Red Hat authorizer', () => {
  test('makes an account once, with a long password, and tells it again', async (t) => {
    const { redhat, call } = await scene(t)
    const made = await call('POST', '', { name: 'hyp-cls-a', description: 'x' })
    const { username, password } = made.json.credentials
    assert.deepEqual([made.status, username], [201, '|hyp-cls-a'])
    assert.ok(password.length > 1024 && password.includes('CANARYx') && password.split('.').length === 3)
    assert.equal((await call('POST', '', { name: 'hyp-cls-a' })).status, 409)
    assert.equal((await call('GET', '/hyp-cls-a')).json.credentials.password, password)
    assert.equal(redhat.logsIn(username, password), true)
    redhat.switches.getTellsPassword = false
    assert.equal((await call('GET', '/hyp-cls-a')).json.credentials.password, undefined)
    assert.equal((await call('POST', '', { name: 'x'.repeat(50) })).status, 400)
  })

  test('deletes softly: the name stays taken until it is recovered', async (t) => {
    const { redhat, call } = await scene(t)
    assert.equal((await call('DELETE', '/hyp-cls-a')).status, 404)
    assert.equal((await call('POST', '/hyp-cls-a', { recover: true })).status, 404)
    const { username, password } = (await call('POST', '', { name: 'hyp-cls-a' })).json.credentials
    assert.deepEqual(await call('DELETE', '/hyp-cls-a'), { status: 204, json: undefined })
    assert.deepEqual(
      [redhat.logsIn(username, password), redhat.accounts(), redhat.deleted()],
      [false, [], ['hyp-cls-a']],
    )
    assert.equal((await call('GET', '/hyp-cls-a')).status, 404)
    assert.equal((await call('POST', '', { name: 'hyp-cls-a' })).status, 409)
    const recovered = (await call('POST', '/hyp-cls-a', { recover: true })).json.credentials
    assert.notEqual(recovered.password, password)
    assert.equal(redhat.logsIn(username, recovered.password), true)
    await call('DELETE', '/hyp-cls-a')
    redhat.switches.recoverTellsPassword = false
    assert.equal((await call('POST', '/hyp-cls-a', { recover: true })).json.credentials.password, undefined)
    await call('DELETE', '/hyp-cls-a')
    redhat.switches.createAfterDelete = 'create'
    assert.equal((await call('POST', '', { name: 'hyp-cls-a' })).status, 201)
  })
})
