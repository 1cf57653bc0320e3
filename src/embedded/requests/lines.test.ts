import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { selectionOf } from '../select/matcher.ts'
import { badRequest } from '../status.ts'
import type { Frame } from '../watch/frame.ts'
import { configMaps, watchScene } from '../watch/testing/scene.ts'
import { openWatch } from '../watch/watch.ts'
import type { FrameWriter } from './frames.ts'
import { openLines } from './lines.ts'

const nameOf = (frame: Frame): string => ('entry' in frame ? frame.entry.name : frame.type)

/** A watch whose lines are names; those that begin with `slow` have to be converted, which the test does. */
function scene(t: TestScope) {
  const watching = watchScene(t)
  const conversions = new Map<string, PromiseWithResolvers<Buffer>>()
  const lines: string[] = []
  const state = { isFull: false, isOver: false }
  const writeFrame: FrameWriter = (frame) => {
    const name = nameOf(frame)
    if (!name.startsWith('slow')) return Buffer.from(name)
    const conversion = Promise.withResolvers<Buffer>()
    conversions.set(name, conversion)
    return conversion.promise
  }
  const parameters = {
    ...{ resourceVersion: undefined, sendInitialEvents: undefined, allowBookmarks: false, timeoutSeconds: undefined },
  }
  const request = { served: configMaps, namespace: '', selection: selectionOf(configMaps, {}), parameters }
  const watch = openLines(
    { contentType: '', writeFrame, open: (sink) => openWatch(watching, request, sink) },
    {
      take(line) {
        assert.ok(!state.isOver)
        lines.push(line.toString())
        return !state.isFull
      },
      end() {
        state.isOver = true
      },
    },
  )
  const convert = async (name: string) => {
    conversions.get(name)?.resolve(Buffer.from(name))
    await watching.clock.settle()
  }
  return { ...watching, watch, lines, state, convert, conversions }
}

test('a line that has to be converted is not overtaken, whatever room there is', async (t) => {
  const { put, watch, lines, convert } = scene(t)
  await put('slow-1', '1')
  await put('a', '1')
  watch.resume()
  await put('slow-2', '1')
  watch.resume()
  assert.deepEqual(lines, [])
  await convert('slow-1')
  assert.deepEqual(lines, ['slow-1', 'a'])
  await convert('slow-2')
  assert.deepEqual(lines, ['slow-1', 'a', 'slow-2'])
})

test('whoever has no room for a converted line is asked again before the next', async (t) => {
  const { put, watch, lines, state, convert } = scene(t)
  await put('slow-1', '1')
  await put('a', '1')
  state.isFull = true
  await convert('slow-1')
  assert.deepEqual(lines, ['slow-1'])
  state.isFull = false
  watch.resume()
  assert.deepEqual(lines, ['slow-1', 'a'])
})

test('a line that cannot be converted ends the watch, and the reader is told why', async (t) => {
  const { put, lines, state, conversions, clock, fanOut } = scene(t)
  await put('slow-1', '1')
  conversions.get('slow-1')?.reject(badRequest('the webhook is away'))
  await clock.settle()
  assert.deepEqual([lines, state.isOver, fanOut.size], [['ERROR'], true, 0])
})

test('what is converted after the end goes nowhere', async (t) => {
  const { put, watch, lines, state, convert } = scene(t)
  await put('slow-1', '1')
  watch[Symbol.dispose]()
  await convert('slow-1')
  assert.deepEqual([lines, state.isOver], [[], true])
})
