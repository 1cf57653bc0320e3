import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { modulesLoadedBy } from '../../test/support/loaded-modules.ts'
import { commandsFor } from './commands.ts'

const stop = { signal: new AbortController().signal, exitCode: undefined }
const namesFor = async (...args: string[]) => (await commandsFor(args)).map((make) => make(stop).name())

test('every command goes by the name it is listed under', async () => {
  const all = await namesFor()
  assert.equal(all.length, 20)
  for (const name of all) assert.deepEqual(await namesFor(name, '--help'), [name])
})

for (const args of [['--help'], ['help', 'reach'], ['upp'], ['toString'], ['-V']]) {
  test(`"${args.join(' ')}" names no command: there are all of them`, async () => {
    assert.equal((await namesFor(...args)).length, 20)
  })
}

test('a process loads the command it was started for, and no other', async (t) => {
  const main = join(import.meta.dirname, 'main.ts')
  const { loaded, out } = await modulesLoadedBy(t, [main, 'reach', '--help'])
  assert.match(out, /Usage: npx --no-install lanyard reach/)
  const others = ['/cli/up.ts', '/cli/hub.ts', '/embedded/', '/demo/', '/kube/client/']
  assert.deepEqual(
    loaded.filter((url) => others.some((other) => url.includes(other))),
    [],
  )
})
