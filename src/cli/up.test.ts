import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { lanyard } from '../../test/support/lanyard.ts'
import { lanyardProgram } from '../../test/support/program.ts'
import { tempDir } from '../../test/support/temp-dir.ts'

test('up --check issues, renews and revokes a pass, says so, and leaves nothing behind', async (t) => {
  const data = tempDir(t)
  const { code, out, err } = await lanyard(t, ['up', '--check', '--data', data]).ended
  assert.equal(code, 0, err)
  assert.match(
    out,
    /a pass was issued[\s\S]*was renewed[\s\S]*was revoked[\s\S]*embedded hub is ready[\s\S]*a lease works[\s\S]*an add-on works on the hub[\s\S]*into a cluster by a kubeconfig[\s\S]*into a cluster by OIDC[\s\S]*may not read a Secret[\s\S]*somebody has approved it[\s\S]*may not again[\s\S]*a pull secret is issued[\s\S]*it is rotated[\s\S]*it is revoked[\s\S]*All 20 checks passed/,
  )
  assert.equal(err, '')
  assert.deepEqual(await readdir(data), [])
})

test('up --check -o json prints one document', async (t) => {
  const { code, out } = await lanyard(t, ['up', '--check', '-o', 'json', '--data', tempDir(t)]).ended
  assert.equal(code, 0)
  const { ok, steps } = JSON.parse(out)
  assert.equal(ok, true)
  assert.equal(steps.length, 20)
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

test('Ctrl-C while the database is made, which a terminal sends to all of its processes, stops in order', async (t) => {
  const data = tempDir(t)
  const child = spawn(process.execPath, [lanyardProgram, 'up', '--data', data], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const group = -(child.pid ?? 0)
  t.after(() => {
    if (child.exitCode === null) process.kill(group, 'SIGKILL')
  })
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const ended = once(child, 'close')
  await eventually('the database is being made', async () => {
    const entries = await readdir(join(data, 'pull-secrets', 'postgres')).catch(() => [])
    return entries.some((entry) => entry.startsWith('data.new-'))
  })
  process.kill(group, 'SIGINT')
  const [code] = await ended
  assert.equal(code, 0, await err)
  assert.match(await out, /Lanyard has stopped\.\n$/)
})

test('a check that is interrupted says so by its exit code, and leaves nothing behind', async (t) => {
  const data = tempDir(t)
  const check = lanyard(t, ['up', '--check', '--data', data])
  await check.says('waiting for its renewal')
  check.child.kill('SIGINT')
  const { code, out } = await check.ended
  assert.equal(code, 130)
  assert.doesNotMatch(out, /checks passed/)
  assert.deepEqual(await readdir(data), [])
})

test('what a killed check left in the data folder is removed by the next', async (t) => {
  const data = tempDir(t)
  const killed = lanyard(t, ['up', '--check', '--data', data])
  await killed.says('waiting for its renewal')
  killed.child.kill('SIGKILL')
  await killed.ended
  assert.match((await readdir(data)).join(), /^check-\d+(-hub)?$/)
  const { code } = await lanyard(t, ['up', '--check', '--data', data]).ended
  assert.equal(code, 0)
  assert.deepEqual(await readdir(data), [])
})

test('a reader that stops reading ends it quietly', async (t) => {
  const check = lanyard(t, ['up', '--check', '--data', tempDir(t)])
  await check.says('asking')
  check.child.stdout?.destroy()
  const { code, err } = await check.ended
  assert.equal(code, 141)
  assert.equal(err, '')
})

test('a failed check -o json tells what failed', async (t) => {
  const kubeconfig = join(tempDir(t), 'config')
  await writeFile(kubeconfig, JSON.stringify(unreachable))
  const args = ['up', '--check', '-o', 'json', '--data', tempDir(t), '--kubeconfig', kubeconfig]
  const { code, out } = await lanyard(t, args).ended
  assert.equal(code, 1)
  const { ok, error, steps } = JSON.parse(out)
  assert.equal(ok, false)
  assert.equal(error.code, 'KUBE_UNREACHABLE')
  assert.equal(steps.length, 3)
})

/** Port 9 of the loopback interface discards, where anybody listens at all. */
const unreachable = {
  clusters: [{ name: 'nowhere', cluster: { server: 'https://127.0.0.1:9' } }],
  contexts: [{ name: 'nowhere', context: { cluster: 'nowhere' } }],
  'current-context': 'nowhere',
}

for (const [name, args, code, message] of [
  ['a data folder that is a file', ['up', '--check', '--data', import.meta.filename], 1, /DATA_UNUSABLE/],
  ['-o json without a check', ['up', '-o', 'json', '--data', tmpdir()], 1, /OUTPUT_ONLY_WITH_CHECK/],
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
