import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { secrets, serviceAccounts } from '../../kube/kinds.ts'
import { accountTokens, accountTokenType as type } from './account-tokens.ts'
import { controllerScene } from './testing/scene.ts'

const nameAnnotation = 'kubernetes.io/service-account.name'
const uidAnnotation = 'kubernetes.io/service-account.uid'
const base64 = (text: string) => Buffer.from(text).toString('base64')

async function scene(t: TestContext) {
  const { kube, clock } = await controllerScene(t, accountTokens)
  const [accounts, tokens] = [kube.of(serviceAccounts, 'work'), kube.of(secrets, 'work')]
  const account = await accounts.create({ metadata: { name: 'robot' } })
  const make = async (annotations: Record<string, string>, data?: Record<string, string>) => {
    await tokens.create({ metadata: { name: 'token', annotations }, type, ...(data && { data }) })
    await clock.settle()
    return tokens.find('token')
  }
  return { clock, accounts, tokens, uid: account.metadata.uid, make }
}

test('a Secret that asks for the token of an account is filled', async (t) => {
  const { uid, make } = await scene(t)
  const filled = await make({ [nameAnnotation]: 'robot' })
  assert.deepEqual(filled?.metadata.annotations, { [nameAnnotation]: 'robot', [uidAnnotation]: uid })
  assert.deepEqual(filled?.data, {
    'ca.crt': base64('the authority'),
    namespace: base64('work'),
    token: base64(`token of work/robot in token`),
  })
})

test('a token that is there stays, the authority is put right', async (t) => {
  const { make } = await scene(t)
  const filled = await make({ [nameAnnotation]: 'robot' }, { token: base64('mine'), 'ca.crt': base64('old') })
  assert.deepEqual([filled?.data?.['token'], filled?.data?.['ca.crt']], [base64('mine'), base64('the authority')])
})

test('a Secret of an account that is not there, or is another by now, is deleted', async (t) => {
  const { make } = await scene(t)
  assert.equal(await make({ [nameAnnotation]: 'nobody' }), undefined)
  assert.equal(await make({ [nameAnnotation]: 'robot', [uidAnnotation]: 'another' }), undefined)
})

test('a Secret goes with its account', async (t) => {
  const { clock, accounts, tokens, make } = await scene(t)
  assert.ok(await make({ [nameAnnotation]: 'robot' }))
  await accounts.delete('robot')
  await clock.settle()
  assert.equal(await tokens.find('token'), undefined)
})

test('an account forgets a Secret that is deleted, and no other', async (t) => {
  const { clock, accounts, tokens, make } = await scene(t)
  const held = await accounts.get('robot')
  await accounts.update({ ...held, secrets: [{ name: 'token' }, { name: 'other' }] })
  assert.ok(await make({ [nameAnnotation]: 'robot' }))
  await tokens.delete('token')
  await clock.settle()
  assert.deepEqual((await accounts.get('robot')).secrets, [{ name: 'other' }])
})

test('an account remembers a Secret that was for another one of its name', async (t) => {
  const { clock, accounts, tokens, make } = await scene(t)
  assert.ok(await make({ [nameAnnotation]: 'robot' }))
  await Promise.all([tokens.delete('token'), accounts.delete('robot')])
  await accounts.create({ metadata: { name: 'robot' }, secrets: [{ name: 'token' }] })
  await clock.settle()
  assert.deepEqual((await accounts.get('robot')).secrets, [{ name: 'token' }])
})

test('a Secret for an account that was just made anew is not taken for one of the account before', async (t) => {
  const { accounts, make } = await scene(t)
  await accounts.delete('robot')
  const { metadata } = await accounts.create({ metadata: { name: 'robot' } })
  assert.ok(await make({ [nameAnnotation]: 'robot', [uidAnnotation]: metadata.uid ?? '' }))
})
