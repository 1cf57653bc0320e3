import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { Failure } from '../../../src/core/failure.ts'
import { isFailure } from '../../../src/core/failure.ts'
import type { RegistryConfig } from '../../../src/pull-secrets/registries/config.ts'
import { advanceUntil } from '../../support/advance-until.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, loginOf, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const creates = ({ quay }: PullSecretScene) =>
  quay.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/robots/'))

const turnedAway = (scene: PullSecretScene) => creates(scene).filter(({ status }) => status === 429).length

/** The clients of registries go by a clock of their own here, and by their real pauses. */
async function timedScene(t: TestContext, registries?: (standard: RegistryConfig[]) => RegistryConfig[]) {
  const wait = new FakeClock()
  const scene = await pullSecretScene(t, { registryClock: wait, ...(registries && { registries }) })
  // One registry, one call at a time: nothing is under way while the clock moves.
  const generate = (id: string) =>
    scene.service.issuing.generate({ cluster: { ...clusterC, id }, registries: ['quay'] }, tester)
  /** Moves the clock to the end of each pause, never to the end of a call's patience: that is three seconds or more. */
  const within = async <T>(call: Promise<T>): Promise<T> => {
    let isOver = false
    const ended = call.finally(() => {
      isOver = true
    })
    ended.catch(() => {})
    const step = async () => {
      const dueMs = (wait.nextDue?.getTime() ?? Number.POSITIVE_INFINITY) - wait.now().getTime()
      if (!isOver && dueMs < 2_500) await wait.advanceToNext()
      return isOver
    }
    await eventually('the call is over', step, { everyMs: 1, withinMs: 60_000 })
    return await ended
  }
  const failureOf = async (call: Promise<unknown>): Promise<Failure> => {
    const error = await within(call).then(
      () => assert.fail('it worked'),
      (reason: unknown) => reason,
    )
    if (!isFailure(error)) throw error
    return error
  }
  return { ...scene, wait, generate, within, failureOf }
}

test('P46: calls keep the distance that Retry-After asks for, and the request succeeds or ends with 503', async (t) => {
  const scene = await timedScene(t)
  const { quay, wait, generate, within, failureOf } = scene
  const limited = { method: 'PUT', path: '/robots/', do: { tooMany: { retryAfter: '2' } } } as const
  quay.fail({ ...limited, times: 3 })
  const request = generate('first')
  for (const call of [1, 2, 3]) {
    await eventually(`call ${call} was turned away`, () => turnedAway(scene) === call)
    await wait.advance('1900ms')
    assert.equal(creates(scene).length, call)
    await advanceUntil(wait, `call ${call + 1} was made`, () => creates(scene).length > call, 10)
  }
  assert.equal((await within(request)).created, true)
  assert.equal(creates(scene).length, 4)
  assert.equal(quay.accounts().length, 1)

  quay.fail({ ...limited, times: Number.POSITIVE_INFINITY })
  const before = wait.now().getTime()
  const failure = await failureOf(generate('second'))
  assert.deepEqual([failure.code, failure.status], ['REGISTRY_UNAVAILABLE', 503])
  assert.equal(failure.params['retryAfterSeconds'], 2)
  assert.ok(wait.now().getTime() - before >= 3 * 2_000)
  assert.equal(creates(scene).length, 8)
})

test('P54: a registry that is down for ten minutes costs those nothing who need nothing of it, and is used again by itself', async (t) => {
  const scene = await timedScene(t)
  const { quay, wait, service, metrics, generate, within, failureOf } = scene
  const { pullSecret } = await within(generate(clusterC.id))
  const breaker = async () =>
    /lanyard_pull_registry_breaker_state\{registry="quay"\} (\d)/.exec(await metrics.text())?.[1]
  quay.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const downAt = wait.now().getTime()
  await eventually('the breaker is open', async () => {
    await failureOf(generate('new'))
    return (await breaker()) === '2'
  })

  const calls = quay.calls.length
  const fast = await failureOf(generate('new'))
  assert.deepEqual([fast.code, fast.status], ['REGISTRY_UNAVAILABLE', 503])
  assert.ok(Number(fast.params['retryAfterSeconds']) > 0)
  assert.equal(quay.calls.length, calls)
  let tries = 0
  while (wait.now().getTime() - downAt < 600_000) {
    await wait.advance('30s')
    await failureOf(generate('new'))
    tries++
    const read = await service.issuing.read(clusterC.id, tester)
    assert.equal(read.document.hash, pullSecret.document.hash)
  }
  // One call tries each time, and no more.
  assert.ok(quay.calls.length - calls <= tries, `${quay.calls.length - calls} calls in ${tries} tries`)
  assert.equal((await within(generate(clusterC.id))).created, false)

  quay.heal()
  await wait.advance('30s')
  assert.equal((await within(generate('new'))).created, true)
  assert.equal(await breaker(), '0')
  assert.equal(quay.accounts().length, 2)
})

test('P55: credentials of the service that have expired: 502, an alert, few calls, and a new file is enough', async (t) => {
  let tokenFile = ''
  const scene = await timedScene(t, (standard) => {
    tokenFile = standard[0]?.auth?.tokenFile ?? ''
    return standard
  })
  const { quay, wait, metrics, generate, within, failureOf } = scene
  const refusals = async () =>
    Number(/lanyard_pull_registry_unauthorized_total\{registry="quay"\} (\d+)/.exec(await metrics.text())?.[1])
  const valid = readFileSync(tokenFile, 'utf8')
  writeFileSync(tokenFile, 'expired')
  assert.equal(await refusals(), 0)
  for (let times = 0; times < 20; times++) {
    const failure = await failureOf(generate(`c${times}`))
    assert.deepEqual([failure.code, failure.status], ['REGISTRY_UNAUTHORIZED', 502])
  }
  assert.equal(quay.calls.length, 1)
  assert.equal(await refusals(), 1)
  assert.match(await metrics.text(), /lanyard_pull_registry_unauthorized_state\{registry="quay"\} 1/)
  // Now and then it is looked whether the registry has changed its mind.
  await wait.advance('30s')
  await failureOf(generate('c0'))
  assert.equal(quay.calls.length, 2)

  writeFileSync(tokenFile, valid)
  const { pullSecret, created } = await within(generate('c0'))
  assert.equal(created, true)
  assert.ok(quay.logsIn(...loginOf(pullSecret, 'quay.io')))
  assert.match(await metrics.text(), /lanyard_pull_registry_unauthorized_state\{registry="quay"\} 0/)
  assert.equal(quay.accounts().length, 1)
})
