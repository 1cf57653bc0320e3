import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inSlices } from './in-slices.ts'

test('others are served between two steps of long work', async () => {
  let [served, steps] = [0, 0]
  const others = setImmediate(function serve() {
    served++
    if (steps < 4) setImmediate(serve)
  })
  await inSlices(
    (function* () {
      for (; steps < 4; steps++) {
        for (const until = performance.now() + 15; performance.now() < until; );
        yield
      }
    })(),
  )
  clearImmediate(others)
  assert.ok(served >= 3, `${served} in ${steps} steps`)
})

test('short work is done at once', async () => {
  const order: string[] = []
  const other = new Promise<void>((resolve) =>
    setImmediate(() => {
      order.push('other')
      resolve()
    }),
  )
  await inSlices([1, 2, 3])
  order.push('done')
  await other
  assert.deepEqual(order, ['done', 'other'])
})
