import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aborted } from '../../core/lifecycle.ts'
import type { Kube } from '../../kube/kube.ts'
import { sharedCsrSource } from './shared-watch.ts'
import type { CsrNews, CsrSource } from './watch.ts'

const client = (): Kube => ({ of: () => assert.fail(), request: () => assert.fail() })

function scene() {
  const open: { kube: Kube; tell: CsrNews }[] = []
  let begun = 0
  const source: CsrSource = (kube, tell) => async (signal) => {
    begun += 1
    const one = { kube, tell }
    open.push(one)
    await aborted(signal)
    open.splice(open.indexOf(one), 1)
  }
  const shared = sharedCsrSource(source)
  const watch = (kube: Kube) => {
    const stop = new AbortController()
    const heard: (string | undefined)[] = []
    const over = shared(kube, (csr) => heard.push(csr?.metadata.name))(stop.signal)
    const end = async () => {
      stop.abort()
      await over
    }
    return { heard, end, over }
  }
  const csr = (name: string) => ({ metadata: { name } }) as Parameters<CsrNews>[0]
  return { open, watch, csr, begun: () => begun }
}

test('any number share one watch, which ends with the last of them', async () => {
  const { open, watch, csr, begun } = scene()
  const kube = client()
  const all = Array.from({ length: 10 }, () => watch(kube))
  assert.deepEqual([open.length, begun()], [1, 1])
  open[0]?.tell(csr('a'))
  for (const { heard } of all) assert.equal(heard.at(-1), 'a')
  for (const { end } of all.slice(1)) await end()
  assert.equal(open.length, 1)
  await all[0]?.end()
  assert.equal(open.length, 0)
  const again = watch(kube)
  assert.deepEqual([open.length, begun()], [1, 2])
  await again.end()
})

test('who comes while the watch is under way is told to look, for it has missed the beginning', async () => {
  const { watch } = scene()
  const kube = client()
  const [first, second] = [watch(kube), watch(kube)]
  assert.deepEqual([first.heard, second.heard], [[], [undefined]])
  await Promise.all([first.end(), second.end()])
})

test('another client has a watch of its own', async () => {
  const { open, watch } = scene()
  const both = [watch(client()), watch(client())]
  assert.equal(open.length, 2)
  for (const { end } of both) await end()
})

test('what ends the watch is told to everybody', async () => {
  const shared = sharedCsrSource(() => async () => {
    throw new Error('broken')
  })
  const { signal } = new AbortController()
  const kube = client()
  const all = [shared(kube, () => {})(signal), shared(kube, () => {})(signal)]
  for (const one of all) await assert.rejects(one, /broken/)
})
