import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { lanyard } from '../../test/support/lanyard.ts'
import { tempDir } from '../../test/support/temp-dir.ts'

test('up --check issues, renews and revokes a pass, says so, and leaves nothing behind', async (t) => {
  const data = tempDir(t)
  const { code, out, err } = await lanyard(t, ['up', '--check', '--data', data]).ended
  assert.equal(code, 0, err)
  assert.match(out, /a pass was issued[\s\S]*was renewed[\s\S]*was revoked[\s\S]*All 3 checks passed/)
  assert.equal(err, '')
  assert.deepEqual(await readdir(data), [])
})

test('up --check -o json prints one document', async (t) => {
  const { code, out } = await lanyard(t, ['up', '--check', '-o', 'json', '--data', tempDir(t)]).ended
  assert.equal(code, 0)
  const { ok, steps } = JSON.parse(out)
  assert.equal(ok, true)
  assert.equal(steps.length, 3)
})

test('up keeps a pass, survives kill -9 and goes on with the same one', async (t) => {
  const data = tempDir(t)
  const passIn = async () => JSON.parse(await readFile(join(data, 'demo-pass.json'), 'utf8')).kept.pass.fingerprint
  const first = lanyard(t, ['up', '--data', data])
  await first.says('demo pass is kept fresh')
  const fingerprint = await passIn()
  first.child.kill('SIGKILL')
  await first.ended

  const second = lanyard(t, ['up', '--data', data])
  await second.says('demo pass is kept fresh')
  assert.equal(await passIn(), fingerprint)
  second.child.kill('SIGINT')
  const { code } = await second.ended
  assert.equal(code, 0)
})

for (const [name, args, code, message] of [
  ['an unknown command', ['upp'], 2, /unknown command 'upp'/],
  ['an unknown option', ['up', '--nope'], 2, /unknown option '--nope'/],
  [
    'a kubeconfig that is not there',
    ['up', '--check', '--kubeconfig', 'no-such-file'],
    1,
    /no-such-file.*KUBECONFIG_MISSING/,
  ],
] as const) {
  test(`${name} is refused with the next step and its own exit code`, async (t) => {
    const { code: got, err } = await lanyard(t, args).ended
    assert.equal(got, code)
    assert.match(err, message)
  })
}
