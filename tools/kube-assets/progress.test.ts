import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeBuild, progressOn } from './progress.ts'

function stream(isTTY: boolean) {
  const written: string[] = []
  const fake = { isTTY, write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream
  return { fake, text: () => written.join('') }
}

test('a log gets a plain line at the start and one each 15 seconds, until it is over', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { fake, text } = stream(false)
  const progress = progressOn(fake)
  const building = progress.during('etcd: building')
  t.mock.timers.tick(31_000)
  building[Symbol.dispose]()
  t.mock.timers.tick(60_000)
  progress.say('etcd: built')
  assert.match(text(), /^(etcd: building, \d+ s\n){3}etcd: built\n$/)
})

test('a terminal gets one line, redrawn each second and cleared at the end', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { fake, text } = stream(true)
  const building = progressOn(fake).during('etcd: building')
  t.mock.timers.tick(2000)
  building[Symbol.dispose]()
  assert.doesNotMatch(text(), /\n/)
  assert.equal(text().split('\r\x1b[Ketcd: building, ').length - 1, 3)
  assert.ok(text().endsWith('\r\x1b[K'))
})

test('a build is described by its time and size', () => {
  assert.equal(describeBuild(61_400, 105_398_434), 'built in 61 s, 105 MB')
})
