import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from './gather.ts'

function aDesk(limits: { atOnce: number; most: number }) {
  const rounds: { inputs: readonly string[]; end: PromiseWithResolvers<void> }[] = []
  const ask = gather(limits, async (inputs: readonly string[]) => {
    const end = Promise.withResolvers<void>()
    rounds.push({ inputs, end })
    await end.promise
    return inputs.map((input) => `${input}!`)
  })
  return { ask, rounds, seen: () => rounds.map(({ inputs }) => inputs.join('')) }
}

test('who comes alone does not wait; who comes meanwhile shares the next round', async () => {
  const { ask, rounds, seen } = aDesk({ atOnce: 1, most: 10 })
  const asked = ['a', 'b', 'c'].map(ask)
  assert.deepEqual(seen(), ['a'])
  rounds[0]?.end.resolve()
  assert.equal(await asked[0], 'a!')
  assert.deepEqual(seen(), ['a', 'bc'])
  rounds[1]?.end.resolve()
  assert.deepEqual(await Promise.all(asked), ['a!', 'b!', 'c!'])
})

test('so many rounds at once, and so many in one', async () => {
  const { ask, rounds, seen } = aDesk({ atOnce: 2, most: 2 })
  const asked = ['a', 'b', 'c', 'd', 'e'].map(ask)
  assert.deepEqual(seen(), ['a', 'b'])
  rounds[1]?.end.resolve()
  await asked[1]
  assert.deepEqual(seen(), ['a', 'b', 'cd'])
  rounds[0]?.end.resolve()
  await asked[0]
  assert.deepEqual(seen(), ['a', 'b', 'cd', 'e'])
  for (const { end } of rounds) end.resolve()
  assert.deepEqual(await Promise.all(asked), ['a!', 'b!', 'c!', 'd!', 'e!'])
})

test('a round that fails fails those in it and no others', async () => {
  const { ask, rounds } = aDesk({ atOnce: 1, most: 10 })
  const [first, second] = [ask('a'), ask('b')]
  rounds[0]?.end.reject(new Error('gone'))
  await assert.rejects(first, /gone/)
  rounds[1]?.end.resolve()
  assert.equal(await second, 'b!')
})
