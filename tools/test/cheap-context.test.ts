import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../test/support/temp-dir.ts'

const file = `
import ${JSON.stringify(import.meta.resolve('./cheap-context.ts'))}
const { before, describe, test } = await import('node:test')
await describe('outer', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1))
  before(() => console.log('before'))
  describe('inner', () => {
    test('holds another', async () => {
      await new Promise((resolve) => setImmediate(resolve))
      await test('nested', () => {})
    })
    test('is hit by what nobody caught', async () => {
      setTimeout(() => { throw new Error('from a timer') }, 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    test('is hit by a promise', async () => {
      void Promise.reject(new Error('from a promise'))
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    test('comes after', () => {})
  })
})
`

test('tests lie in those that they were made in, and what nobody caught fails the test it came from', (t) => {
  const path = join(tempDir(t), 'some.mjs')
  writeFileSync(path, file)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = spawnSync(process.execPath, ['--test-reporter=tap', path], { env, encoding: 'utf8' })
  const ended = stdout.split('\n').flatMap((line) => /^ *(?:not )?ok.*|(?<=^ *error: ').*(?=')/.exec(line)?.[0] ?? [])
  assert.deepEqual(ended, [
    '            ok 1 - nested',
    '        ok 1 - holds another',
    '        not ok 2 - is hit by what nobody caught',
    'from a timer',
    '        not ok 3 - is hit by a promise',
    'from a promise',
    '        ok 4 - comes after',
    '    not ok 1 - inner',
    '2 subtests failed',
    'not ok 1 - outer',
    '1 subtest failed',
  ])
})
