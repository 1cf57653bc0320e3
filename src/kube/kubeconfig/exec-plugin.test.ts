import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { Secret } from '../../core/secret.ts'
import type { KubeconfigExec } from './exec-config.ts'
import type { ExecDeps } from './exec-plugin.ts'
import { ExecPlugin } from './exec-plugin.ts'
import type { Folder } from './testing/fixtures.ts'
import { aCertificate, aFolder, failureOf, mustNotShow } from './testing/fixtures.ts'

const apiVersion = 'client.authentication.k8s.io/v1'
const pair = await aCertificate('me')

/** Prints `status` as an ExecCredential; `run` counts from 1. */
const printing = (status: string) => `
  console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${apiVersion}', status: ${status} }))`

/** A real program in a folder of its own, written as the body of a Node script. */
function aPlugin(
  t: TestScope,
  body: string,
  exec: Partial<KubeconfigExec> = {},
  deps: Partial<ExecDeps> = {},
  args: string[] = [],
) {
  const folder = aFolder(t)
  const clock = new FakeClock()
  folder.write('runs', '')
  const script = folder.write(
    'plugin.mjs',
    `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
    const at = (name) => ${JSON.stringify(folder.path)} + '/' + name
    appendFileSync(at('runs'), 'x')
    const run = readFileSync(at('runs'), 'utf8').length
    ${body}`,
  )
  const plugin = new ExecPlugin(
    {
      plugin: {
        apiVersion,
        command: process.execPath,
        args: [script, ...args].map((arg) => Secret.of(arg)),
        interactiveMode: 'Never',
        ...exec,
      },
      at: { source: '/c', field: 'users[0].user.exec' },
      clusterInfo: async () => ({ server: 'https://a', config: { audience: 'x' } }),
    },
    { clock, env: { PATH: process.env['PATH'] }, ...deps },
  )
  return { folder, clock, plugin, runs: () => folder.read('runs').length }
}

const tokenOf = async (plugin: ExecPlugin, options = {}) => (await plugin.credential(options)).token?.reveal()
const saidBy = async (plugin: ExecPlugin, ...secrets: string[]) =>
  String((await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_FAILED', ...secrets)).params['said'])

test('a plugin is run once for all who wait, and not again while its credential lasts', async (t) => {
  const { clock, plugin, runs } = aPlugin(
    t,
    printing(`{ token: 'T' + run, expirationTimestamp: '2026-01-01T01:00:00Z' }`),
  )
  const all = await Promise.all(Array.from({ length: 20 }, () => tokenOf(plugin)))
  assert.deepEqual(new Set(all), new Set(['T1']))
  await clock.advance('59m')
  assert.equal(await tokenOf(plugin), 'T1')
  assert.equal(runs(), 1)
})

test('a credential is renewed shortly before it ends', async (t) => {
  const { clock, plugin } = aPlugin(
    t,
    printing(`{ token: 'T' + run, expirationTimestamp: run === 1 ? '2026-01-01T01:00:00Z' : '2026-01-01T02:00:00Z' }`),
  )
  assert.equal(await tokenOf(plugin), 'T1')
  await clock.advance('3569s')
  assert.equal(await tokenOf(plugin), 'T1')
  await clock.advance('1s')
  assert.equal(await tokenOf(plugin), 'T2')
})

test('a credential of a few seconds is used for most of its life', async (t) => {
  const { clock, plugin, runs } = aPlugin(
    t,
    printing(`{ token: 'T' + run, expirationTimestamp: '2026-01-01T00:00:20Z' }`),
  )
  await tokenOf(plugin)
  await clock.advance('17s')
  assert.equal(await tokenOf(plugin), 'T1')
  await clock.advance('1s')
  assert.equal(await tokenOf(plugin), 'T2')
  assert.equal(runs(), 2)
})

test('a credential without an end is kept until the server refuses it', async (t) => {
  const { clock, plugin } = aPlugin(t, printing(`{ token: 'T' + run }`))
  assert.equal(await tokenOf(plugin), 'T1')
  await clock.advance('1000d')
  assert.equal(await tokenOf(plugin), 'T1')
  assert.equal(await tokenOf(plugin, { refresh: true }), 'T2')
  assert.equal(await tokenOf(plugin), 'T2')
})

test('a storm of refusals runs the plugin once in ten seconds', async (t) => {
  const { clock, plugin, runs } = aPlugin(t, printing(`{ token: 'T' + run }`))
  await tokenOf(plugin)
  await clock.advance('9999ms')
  await Promise.all(Array.from({ length: 20 }, () => tokenOf(plugin, { refresh: true })))
  assert.equal(runs(), 1, 'what is that young would only be replaced by its like')
  await clock.advance('1ms')
  await Promise.all(Array.from({ length: 20 }, () => tokenOf(plugin, { refresh: true })))
  assert.equal(await tokenOf(plugin, { refresh: true }), 'T2')
  assert.equal(runs(), 2)
})

test('a credential that is past its end when printed does not run the plugin for every request', async (t) => {
  const { clock, plugin, runs } = aPlugin(
    t,
    printing(`{ token: 'T' + run, expirationTimestamp: '2025-12-31T23:00:00Z' }`),
  )
  assert.equal(await tokenOf(plugin), 'T1')
  assert.equal(await tokenOf(plugin), 'T1')
  await clock.advance('10s')
  assert.equal(await tokenOf(plugin), 'T2')
  assert.equal(runs(), 2)
})

test('a plugin that prints its own token until that ends is run again as soon as it has', async (t) => {
  const { clock, plugin } = aPlugin(
    t,
    printing(`run < 3
      ? { token: 'same', expirationTimestamp: '2026-01-01T01:00:00Z' }
      : { token: 'next', expirationTimestamp: '2026-01-01T02:00:00Z' }`),
  )
  assert.equal(await tokenOf(plugin), 'same')
  await clock.advance('3595s')
  assert.equal(await tokenOf(plugin, { refresh: true }), 'same')
  await clock.advance('4999ms')
  assert.equal(await tokenOf(plugin, { refresh: true }), 'same')
  await clock.advance('1ms')
  assert.equal(await tokenOf(plugin), 'next')
})

test('a plugin that fails is left alone for five seconds, then tried again', async (t) => {
  const { clock, plugin, runs } = aPlugin(t, `if (run === 1) process.exit(7)\n${printing(`{ token: 'T' + run }`)}`)
  const failure = await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_FAILED')
  assert.match(
    failure.message,
    /^\/c: users\[0\]\.user\.exec: the credential plugin .* ended with exit code 7; it said: nothing$/,
  )
  await failureOf(() => plugin.credential({ refresh: true }), 'KUBECONFIG_EXEC_FAILED')
  assert.equal(runs(), 1)
  await clock.advance('5s')
  assert.equal(await tokenOf(plugin), 'T2')
})

test('a renewal that fails leaves the credential in use until it ends', async (t) => {
  const { clock, plugin } = aPlugin(
    t,
    `if (run > 1) process.exit(1)\n${printing(`{ token: 'T', expirationTimestamp: '2026-01-01T01:00:00Z' }`)}`,
  )
  await tokenOf(plugin)
  await clock.advance('3590s')
  assert.equal(await tokenOf(plugin), 'T')
  await failureOf(() => plugin.credential({ refresh: true }), 'KUBECONFIG_EXEC_FAILED')
  await clock.advance('10s')
  await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_FAILED')
})

test('a plugin may print a certificate', async (t) => {
  const { plugin } = aPlugin(
    t,
    printing(JSON.stringify({ clientCertificateData: pair.certPem, clientKeyData: pair.keyPem })),
  )
  const credential = await plugin.credential()
  assert.equal(credential.certificate?.certPem, pair.certPem)
  mustNotShow(credential, pair.keyPem)
  mustNotShow(plugin, pair.keyPem)
})

test('arguments go to the plugin as they are, no shell in between, with the environment and its own variables', async (t) => {
  const show = '[process.argv.slice(2), process.env.FROM_OUTSIDE, process.env.OWN, process.env.HOME]'
  const { plugin } = aPlugin(
    t,
    printing(`{ token: Buffer.from(JSON.stringify(${show})).toString('base64') }`),
    { env: [{ name: 'OWN', value: Secret.of('wins') }] },
    { env: { FROM_OUTSIDE: 'seen', OWN: 'loses' } },
    ['$(touch x)', '; exit 1', 'a b'],
  )
  const told = JSON.parse(Buffer.from((await tokenOf(plugin)) ?? '', 'base64').toString())
  assert.deepEqual(told, [['$(touch x)', '; exit 1', 'a b'], 'seen', 'wins', null])
})

test('KUBERNETES_EXEC_INFO tells the plugin what is wanted, and about the cluster when it asks', async (t) => {
  const show = printing(`{ token: Buffer.from(process.env.KUBERNETES_EXEC_INFO).toString('base64') }`)
  const infoOf = async (exec: Partial<KubeconfigExec>) =>
    JSON.parse(Buffer.from((await tokenOf(aPlugin(t, show, exec).plugin)) ?? '', 'base64').toString())
  assert.deepEqual(await infoOf({}), { kind: 'ExecCredential', apiVersion, spec: { interactive: false } })
  assert.deepEqual(await infoOf({ provideClusterInfo: true }), {
    kind: 'ExecCredential',
    apiVersion,
    spec: { cluster: { server: 'https://a', config: { audience: 'x' } }, interactive: false },
  })
})

test('with a terminal the plugin is told so, and what it says is heard at once', async (t) => {
  const heard: string[] = []
  const body = `console.error('open https://login'); ${printing(`{ token: String(JSON.parse(process.env.KUBERNETES_EXEC_INFO).spec.interactive) }`)}`
  const terminal = { say: (text: string) => heard.push(text) }
  for (const [interactiveMode, told] of [
    ['IfAvailable', 'true'],
    ['Always', 'true'],
    ['Never', 'false'],
  ] as const) {
    heard.length = 0
    assert.equal(await tokenOf(aPlugin(t, body, { interactiveMode }, { terminal }).plugin), told)
    assert.equal(heard.join(''), told === 'true' ? 'open https://login\n' : '')
  }
})

test('a plugin that must ask its user is not run without a terminal', async (t) => {
  const { plugin, runs } = aPlugin(t, '', { interactiveMode: 'Always' })
  await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_NEEDS_TERMINAL')
  assert.equal(runs(), 0)
  assert.equal(await tokenOf(aPlugin(t, printing(`{ token: 'T' }`), { interactiveMode: 'IfAvailable' }).plugin), 'T')
})

test('a plugin that is not installed is answered with its hint', async (t) => {
  const hinted = aPlugin(t, '', { command: 'no-such-plugin', installHint: 'brew install \u001b[1mplugin\u001b[0m' })
  const failure = await failureOf(() => hinted.plugin.credential(), 'KUBECONFIG_EXEC_NOT_FOUND')
  assert.equal(
    failure.message,
    '/c: users[0].user.exec: the credential plugin no-such-plugin was not found; brew install plugin',
  )
  const plain = aPlugin(t, '', { command: '/no/such/plugin' })
  assert.match((await failureOf(() => plain.plugin.credential(), 'KUBECONFIG_EXEC_NOT_FOUND')).message, /install it/)
})

test('a file that is no program is told apart', async (t) => {
  const { plugin } = aPlugin(t, '', { command: '/' })
  const failure = await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_NOT_STARTED')
  assert.match(failure.message, /EACCES/)
})

test('what a failing plugin says is passed on without credentials and control characters', async (t) => {
  const body = `
    console.log(JSON.stringify({ status: { token: 'canary-stdout-token' } }))
    console.error('\\u001b[31mlogin failed\\u001b[0m for canary-stdout-token with', process.env.MY_SECRET, process.env.OUTER_TOKEN, process.argv.slice(2).join(' '))
    process.exit(3)`
  const { plugin } = aPlugin(
    t,
    body,
    { env: [{ name: 'MY_SECRET', value: Secret.of('canary-env-own') }] },
    { env: { OUTER_TOKEN: 'canary-env-outer' } },
    ['--client-secret=canary-arg-one', '--password', 'canary-arg-two'],
  )
  const canaries = ['canary-stdout-token', 'canary-env-own', 'canary-env-outer', 'canary-arg-one', 'canary-arg-two']
  assert.equal(
    await saidBy(plugin, ...canaries),
    'login failed for *** with *** *** --client-secret=*** --password ***',
  )
})

test('a credential that was held is not shown when the next run fails', async (t) => {
  const body = `if (run > 1) { console.error('refused: canary' + '-token-1'); process.exit(1) }\n${printing(`{ token: 'canary-token-1', expirationTimestamp: '2026-01-01T00:10:00Z' }`)}`
  const { clock, plugin } = aPlugin(t, body)
  await plugin.credential()
  await clock.advance('10m')
  assert.equal(await saidBy(plugin, 'canary-token-1'), 'refused: ***')
})

test('a plugin ended by a signal is told as that', async (t) => {
  const { plugin } = aPlugin(t, `process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60_000)`)
  const failure = await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_FAILED')
  assert.equal(failure.params['exit'], 'signal SIGTERM')
})

test('output that is no credential is refused and not shown', async (t) => {
  const { plugin } = aPlugin(t, `console.log('canary-token')`)
  await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_BAD_OUTPUT', 'canary-token')
})

test('a plugin that prints without end is stopped', async (t) => {
  const { plugin } = aPlugin(t, `for (;;) await new Promise((done) => process.stdout.write('x'.repeat(65536), done))`)
  const failure = await failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_BAD_OUTPUT')
  assert.match(failure.message, /longer than a mebibyte/)
})

/** Starts a program of its own, notes both and waits. */
const hanging = `
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { stdio: 'inherit' })
    console.error('still waiting')
    writeFileSync(at('pids.tmp'), process.pid + ' ' + child.pid)
    ;(await import('node:fs')).renameSync(at('pids.tmp'), at('pids'))
    setTimeout(() => {}, 600_000)`

test('a plugin that hangs is ended after a minute, with what it started', async (t) => {
  const { clock, folder, plugin } = aPlugin(t, hanging)
  const waiting = failureOf(() => plugin.credential(), 'KUBECONFIG_EXEC_DEADLINE')
  const pids = (await pidsIn(folder)).split(' ').map(Number)
  await clock.advance('59s')
  assert.ok(pids.every(isAlive))
  await clock.advance('1s')
  assert.match((await waiting).message, /no answer within 60000 ms; it said: still waiting$/)
  await eventually('both processes are gone', () => !pids.some(isAlive))
})

test('a plugin is ended, with what it started, when the last who waits for it gives up', async (t) => {
  const { folder, plugin } = aPlugin(t, `if (run === 1) {${hanging}} else {${printing(`{ token: 'T' + run }`)}}`)
  const [one, other] = [new AbortController(), new AbortController()]
  const waiting = [one, other].map(({ signal }) => assert.rejects(plugin.credential({ signal }), { message: 'enough' }))
  const pids = (await pidsIn(folder)).split(' ').map(Number)
  one.abort(new Error('enough'))
  await waiting[0]
  assert.ok(pids.every(isAlive))
  other.abort(new Error('enough'))
  await waiting[1]
  assert.equal(await tokenOf(plugin), 'T2', 'whoever comes next gets a run of their own')
  await eventually('both processes are gone', () => !pids.some(isAlive))
})

test('whoever gave up before asking starts nothing', async (t) => {
  const { plugin, runs } = aPlugin(t, printing(`{ token: 'T' }`))
  await assert.rejects(plugin.credential({ signal: AbortSignal.abort(new Error('early')) }), { message: 'early' })
  assert.equal(runs(), 0)
})

test('the deadline can be set, and is longer when a person is asked', async (t) => {
  const hang = `writeFileSync(at('pids'), 'x'); setTimeout(() => {}, 600_000)`
  const short = aPlugin(t, hang, {}, { execDeadlineMs: 5_000 })
  const waiting = failureOf(() => short.plugin.credential(), 'KUBECONFIG_EXEC_DEADLINE')
  await pidsIn(short.folder)
  await short.clock.advance('5s')
  await waiting
  const asking = aPlugin(t, hang, { interactiveMode: 'IfAvailable' }, { terminal: { say: () => {} } })
  const person = failureOf(() => asking.plugin.credential(), 'KUBECONFIG_EXEC_DEADLINE')
  await pidsIn(asking.folder)
  await asking.clock.advance('299s')
  assert.equal(asking.clock.nextDue?.toISOString(), '2026-01-01T00:05:00.000Z')
  await asking.clock.advance('1s')
  await person
})

const pidsIn = (folder: Folder) =>
  eventually('the plugin has started', () => existsSync(folder.at('pids')) && folder.read('pids'))

/** A zombie is dead, though nobody may be there to bury it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
