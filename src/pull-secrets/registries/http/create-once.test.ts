import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failures } from '../../failures.ts'
import type { CreateOnce } from './create-once.ts'
import { createOnce } from './create-once.ts'
import type { RegistryHttp } from './index.ts'

const registry = 'quay'
const http: RegistryHttp = { registry, call: () => assert.fail(), pause: async () => {} }
const forever = new AbortController().signal
const uncertain = failures.REGISTRY_UNCERTAIN({ registry, detail: 'status 502' })
const taken = failures.REGISTRY_NAME_TAKEN({ registry, name: 'a' })
const unavailable = failures.REGISTRY_UNAVAILABLE({ registry, detail: 'open', retryAfterSeconds: 1 })

type Look = string | undefined | Error
function scene(creates: (string | Error)[], looks: Look[] = []) {
  const log: string[] = []
  const next = (list: Look[]) => {
    const one = list.shift()
    if (one instanceof Error) throw one
    return one
  }
  const steps: CreateOnce<string> = {
    create: async () => {
      log.push('create')
      return next(creates) as string
    },
    look: async () => {
      log.push('look')
      return next(looks)
    },
  }
  return { log, result: () => createOnce(http, steps, forever) }
}

test('what works is made once', async () => {
  const { log, result } = scene(['made'])
  assert.equal(await result(), 'made')
  assert.deepEqual(log, ['create'])
})

test('what did happen is taken', async () => {
  const { log, result } = scene([uncertain], ['there'])
  assert.equal(await result(), 'there')
  assert.deepEqual(log, ['create', 'look'])
})

test('what did not happen is made, after a look', async () => {
  const { log, result } = scene([uncertain, uncertain, 'made'], [undefined, undefined])
  assert.equal(await result(), 'made')
  assert.deepEqual(log, ['create', 'look', 'create', 'look', 'create'])
})

test('a name that is taken when it is made again is that of the first call', async () => {
  assert.equal(await scene([uncertain, taken], [undefined, 'there']).result(), 'there')
})

test('a name that is taken at once is not looked at', async () => {
  const { log, result } = scene([taken])
  await assert.rejects(result(), taken)
  assert.deepEqual(log, ['create'])
})

test('what cannot be told to be ours is not taken', async () => {
  await assert.rejects(scene([uncertain], ['unknown']).result(), uncertain)
  await assert.rejects(scene([uncertain, taken], [undefined, 'unknown']).result(), taken)
})

test('a doubt stays one when the registry cannot be asked, whatever the reason', async () => {
  await assert.rejects(scene([uncertain], [unavailable]).result(), { code: 'REGISTRY_UNCERTAIN' })
  await assert.rejects(scene([uncertain, unavailable], [undefined]).result(), { code: 'REGISTRY_UNCERTAIN' })
})

test('without a doubt the failure is told as it is', async () => {
  await assert.rejects(scene([unavailable]).result(), unavailable)
})
