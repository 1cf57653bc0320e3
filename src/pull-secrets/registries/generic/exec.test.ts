import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { Secret } from '../../../core/secret.ts'
import type { RegistryConfig } from '../config.ts'
import type { RegistryDeps } from '../deps.ts'
import { cluster, failsWith, forever, openDriver } from '../testing/open-driver.ts'

const name = 'hyp-cls-one'
const secret = Secret.of('chosen-by-us')

/** A program that does `script`, with the request as `request`. */
async function programmed(
  t: TestContext,
  script: string,
  config: Partial<RegistryConfig> = {},
  deps: Partial<RegistryDeps> = {},
) {
  const dir = tempDir(t)
  const path = join(dir, 'program.mjs')
  writeFileSync(
    path,
    `import { writeFileSync } from 'node:fs'
     import { spawn } from 'node:child_process'
     const dir = ${JSON.stringify(dir)}
     const request = JSON.parse(Buffer.concat(await Array.fromAsync(process.stdin)).toString())
     const answer = (value) => process.stdout.write(JSON.stringify(value))
     ${script}`,
  )
  const driver = await openDriver(
    {
      id: 'ours',
      type: 'Generic',
      url: 'registry.example.com',
      generic: { exec: { command: process.execPath, args: [path] }, settings: { region: 'here' } },
      ...config,
    },
    deps,
  )
  return { driver, dir }
}

test('a request goes to standard input whole; arguments and environment hold no secret', async (t) => {
  const { driver, dir } = await programmed(
    t,
    `writeFileSync(dir + '/seen', JSON.stringify({ request, argv: process.argv, env: process.env }))
     answer({ username: request.name, token: 'told', ref: '7', expiresAt: '2030-01-01T00:00:00Z' })`,
    {},
    { environment: { PATH: '/bin', AWS_ROLE_ARN: 'role', LANYARD_DATABASE_URL: 'postgresql://a:b@c' } },
  )
  const account = await driver.create({ name, secret, cluster }, forever)
  assert.deepEqual(
    { ...account, token: account.token.reveal() },
    { username: name, token: 'chosen-by-us', ref: '7', expiresAt: new Date('2030-01-01T00:00:00Z') },
  )
  const { request, argv, env } = JSON.parse(readFileSync(join(dir, 'seen'), 'utf8'))
  assert.deepEqual(request, {
    version: 1,
    action: 'create',
    registry: 'ours',
    instance: 'one',
    settings: { region: 'here' },
    name,
    secret: 'chosen-by-us',
    cluster,
  })
  assert.deepEqual(env, { PATH: '/bin', AWS_ROLE_ARN: 'role' })
  assert.ok(!JSON.stringify(argv).includes('chosen'))
})

test('its exit code says what became of a request', async (t) => {
  const codes = {
    10: ['REGISTRY_NAME_TAKEN', 'REGISTRY_NAME_TAKEN'],
    11: ['REGISTRY_UNCERTAIN', 'REGISTRY_UNAVAILABLE'],
    12: ['REGISTRY_UNAVAILABLE', 'REGISTRY_UNAVAILABLE'],
    13: ['REGISTRY_UNAUTHORIZED', 'REGISTRY_UNAUTHORIZED'],
    14: ['REGISTRY_REFUSED', 'REGISTRY_REFUSED'],
    1: ['REGISTRY_UNCERTAIN', 'REGISTRY_UNAVAILABLE'],
  }
  const { driver } = await programmed(t, `process.exit(Number(request.name.split('-').pop()))`)
  for (const [code, [create = '', find = '']] of Object.entries(codes)) {
    await assert.rejects(driver.create({ name: `hyp-cls-${code}` }, forever), failsWith(create), code)
    await assert.rejects(driver.find(`hyp-cls-${code}`, forever), failsWith(find), code)
  }
})

test('what is no answer leaves a creation open, and a look without result', async (t) => {
  const answers = {
    words: `process.stdout.write('created!')`,
    nothing: ``,
    'no token': `answer({ username: 'x' })`,
    'a colon': `answer({ username: 'a:b', token: 'x' })`,
    'no date': `answer({ username: 'a', token: 'x', expiresAt: 'soon' })`,
    'too much': `process.stdout.write('x'.repeat(2_000_000))`,
    'a signal': `process.kill(process.pid, 'SIGTERM'); await new Promise((done) => setTimeout(done, 60_000))`,
  }
  for (const [what, script] of Object.entries(answers)) {
    const { driver } = await programmed(t, script)
    await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_UNCERTAIN'), what)
  }
  const { driver } = await programmed(t, `process.stdout.write('found!')`)
  await assert.rejects(driver.find(name, forever), failsWith('REGISTRY_UNAVAILABLE'))
})

test('a program that does not end in time is ended, with everything it has started', async (t) => {
  const clock = new FakeClock()
  const { driver, dir } = await programmed(
    t,
    `const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
     writeFileSync(dir + '/child', String(child.pid))
     await new Promise((done) => setTimeout(done, 60_000))`,
    {},
    { clock },
  )
  const call = driver.create({ name }, forever)
  const pid = await eventually('the program runs', () => pidIn(join(dir, 'child')))
  await Promise.all([assert.rejects(call, failsWith('REGISTRY_UNCERTAIN')), clock.advance('31s')])
  await eventually('the child has ended', () => !isRunning(pid))
})

test('a program whose child has left its group and keeps the output open is waited for until its time is up', async (t) => {
  const clock = new FakeClock()
  const { driver, dir } = await programmed(
    t,
    `const script = 'setTimeout(() => {}, 60_000)'
     const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'ignore'], detached: true })
     child.unref()
     writeFileSync(dir + '/child', String(child.pid))`,
    {},
    { clock },
  )
  const call = driver.create({ name }, forever)
  const pid = await eventually('the program runs', () => pidIn(join(dir, 'child')))
  teardown(t, async () => void process.kill(pid, 'SIGKILL'))
  await Promise.all([assert.rejects(call, failsWith('REGISTRY_UNCERTAIN')), clock.advance('31s')])
  assert.ok(isRunning(pid))
})

test('whoever calls it off ends the program', async (t) => {
  const { driver, dir } = await programmed(
    t,
    `writeFileSync(dir + '/pid', String(process.pid)); await new Promise((done) => setTimeout(done, 60_000))`,
  )
  const over = new AbortController()
  const call = driver.create({ name }, over.signal)
  const pid = await eventually('the program runs', () => pidIn(join(dir, 'pid')))
  over.abort(new Error('the lock is lost'))
  await assert.rejects(call, /the lock is lost/)
  await eventually('the program has ended', () => !isRunning(pid))
})

test('a program that cannot be started has done nothing', async (t) => {
  const { driver } = await programmed(t, '', { generic: { exec: { command: '/nowhere/program' } } })
  await assert.rejects(driver.create({ name }, forever), failsWith('REGISTRY_UNAVAILABLE'))
})

test('a program that fails again and again is left alone for a while', async (t) => {
  const { driver, dir } = await programmed(t, `writeFileSync(dir + '/ran', '', { flag: 'a' }); process.exit(12)`)
  for (let times = 0; times < 8; times++)
    await assert.rejects(driver.find(name, forever), failsWith('REGISTRY_UNAVAILABLE'))
  writeFileSync(join(dir, 'program.mjs'), `process.stdout.write('{"found":true}')`)
  await assert.rejects(driver.find(name, forever), /too often/)
})

const pidIn = (file: string): number | undefined =>
  existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined

/** One that has ended and that nobody has asked for its code is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('mistakes in its entry are told by the field', async (t) => {
  const cases: [RegistryConfig['generic'], RegExp][] = [
    [{}, /generic .*exec or http/],
    [{ exec: { command: 'node' } }, /exec\.command/],
    [{ exec: { command: '/bin/true' }, http: { baseUrl: 'https://a.example' } }, /exec or http/],
  ]
  for (const [generic, message] of cases)
    await assert.rejects(programmed(t, '', { ...(generic && { generic }) }), { message })
})
