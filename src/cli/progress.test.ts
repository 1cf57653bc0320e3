import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineProgress, terminalProgress } from './progress.ts'

test('plain lines tell what is being done, what was done and what failed', () => {
  const lines: string[] = []
  const progress = lineProgress((line) => lines.push(line))
  progress.show({ doing: 'asking' })
  progress.show({ did: 'asked', detail: 'twice' })
  progress.show({ doing: 'waiting' })
  progress.fail()
  assert.deepEqual(lines, ['… asking', '✔ asked: twice', '… waiting', '✖ waiting'])
})

test('on a terminal the same lines stay, whether or not a step was announced', () => {
  let text = ''
  const progress = terminalProgress((part) => {
    text += part
  })
  progress.show({ doing: 'asking' })
  progress.show({ did: 'asked' })
  progress.show({ did: 'a lease works', detail: 'held' })
  progress.show({ doing: 'waiting' })
  progress.fail()
  progress.fail()
  const stays = text.split('\n').map((line) => line.slice(line.lastIndexOf('\x1b[2K') + 4))
  assert.deepEqual(stays, ['✔ asked', '✔ a lease works: held', '✖ waiting', ''])
})
