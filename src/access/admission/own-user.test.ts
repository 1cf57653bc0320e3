import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kube } from '../../kube/kube.ts'
import { ownUser } from './own-user.ts'

function scene(username: string | undefined) {
  const state = { username, asked: 0, fails: false, now: new Date(0) }
  const create = async () => {
    state.asked += 1
    if (state.fails) throw new Error('no answer')
    return { status: { userInfo: { username: state.username } } }
  }
  const kube = { of: () => ({ create }) } as unknown as Kube
  return { state, isOwn: ownUser({ kube, clock: { now: () => state.now } }) }
}

test('the hub knows itself, and asks once', async () => {
  const { state, isOwn } = scene('hub')
  assert.deepEqual(
    [await isOwn('hub'), await isOwn('hub'), await isOwn('other'), await isOwn(undefined)],
    [true, true, false, false],
  )
  assert.equal(state.asked, 1)
})

test('another identity is learned, but not at the pace of whoever knocks', async () => {
  const { state, isOwn } = scene('hub')
  await isOwn('hub')
  state.username = 'hub-2'
  assert.equal(await isOwn('hub-2'), false)
  state.now = new Date(10_000)
  assert.equal(await isOwn('hub-2'), true)
  assert.equal(state.asked, 2)
})

test('who cannot be asked about is nobody, and is asked about again', async () => {
  const { state, isOwn } = scene('hub')
  state.fails = true
  await assert.rejects(isOwn('hub'))
  state.fails = false
  assert.equal(await isOwn('hub'), true)
  assert.equal(await scene(undefined).isOwn('hub'), false)
})
