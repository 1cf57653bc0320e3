import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import { randomFrom } from '../../../core/random.ts'
import { failures } from './failures.ts'
import { awsGate, mostPasses } from './hub-gate.ts'

const away = failures.AWS_UNAVAILABLE({ operation: 'iam:GetRole', code: 'TimeoutError' })
const refused = failures.AWS_REFUSED({ operation: 'iam:GetRole', code: 'AccessDenied' })
const after = (ms: number) => ({ outcome: 'requeueAfter', ms })
const ending = (error: Error) => async (): Promise<Outcome> => {
  throw error
}
const well = async () => done

function scene() {
  const clock = new FakeClock()
  return { clock, gate: awsGate({ clock, random: randomFrom(() => 0.5) }) }
}

/** Work that ends when the test says so. */
function open() {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  return { work: () => promise, end: () => resolve(done), fail: reject }
}

test('few are let in at a time; whoever comes then is sent away at once, for longer the more there are', async () => {
  const { gate } = scene()
  const passes = Array.from({ length: mostPasses }, open)
  const running = passes.map(({ work }, index) => gate.pass(`in-${index}`, work))
  assert.deepEqual(await gate.pass('west', well), after(1_500))
  for (let others = 1; others < mostPasses; others++)
    assert.deepEqual(await gate.pass(`out-${others}`, well), after(1_500))
  assert.deepEqual(await gate.pass('one-more', well), after(3_000))
  assert.deepEqual(await gate.pass('west', well), after(3_000))
  passes[0]?.end()
  await running[0]
  assert.deepEqual(await gate.pass('west', well), done)
  for (const { end } of passes) end()
  await Promise.all(running)
})

for (const failure of [
  away,
  failures.AWS_DEADLINE({ operation: 'iam:GetRole', deadlineMs: 10_000 }),
  failures.AWS_NO_CREDENTIALS({ operation: 'iam:GetRole' }),
])
  test(`AWS that cannot be asked is left alone for half a minute (${failure.code})`, async () => {
    const { clock, gate } = scene()
    await assert.rejects(gate.pass('west', ending(failure)), (error) => error === failure)
    await assert.rejects(gate.pass('east', well), (error) => error === failure, 'told once')
    assert.deepEqual(await gate.pass('east', well), after(45_000))
    assert.deepEqual(await gate.pass('west', well), after(45_000))
    await clock.advance('29s')
    assert.deepEqual(await gate.pass('east', well), after(45_000))
    await clock.advance('1s')
    assert.deepEqual(await gate.pass('east', well), done)
    assert.deepEqual(await gate.pass('west', well), done)
  })

test('after the pause one cluster tries, and the others wait for what it comes to', async () => {
  const { clock, gate } = scene()
  await assert.rejects(gate.pass('west', ending(away)))
  await clock.advance('30s')
  const trial = open()
  const running = gate.pass('west', trial.work)
  await assert.rejects(gate.pass('east', well))
  assert.deepEqual(await gate.pass('east', well), after(45_000))
  trial.fail(away)
  await assert.rejects(running)
  await clock.advance('29s')
  assert.deepEqual(await gate.pass('east', well), after(45_000))
  await clock.advance('1s')
  assert.deepEqual(await gate.pass('east', well), done)
})

test('any answer of AWS lets the others in again, and a pass that was stopped says nothing about AWS', async () => {
  const { clock, gate } = scene()
  await assert.rejects(gate.pass('west', ending(refused)))
  assert.deepEqual(await gate.pass('east', well), done)
  await assert.rejects(gate.pass('west', ending(away)))
  await clock.advance('30s')
  await assert.rejects(gate.pass('west', ending(new DOMException('stopped', 'AbortError'))))
  const trial = open()
  const running = gate.pass('west', trial.work)
  await assert.rejects(gate.pass('east', well), (error) => error === away)
  trial.fail(refused)
  await assert.rejects(running)
  assert.deepEqual(await gate.pass('east', well), done)
})
