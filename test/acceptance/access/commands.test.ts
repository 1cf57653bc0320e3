/** What people do on the command line to break glass: log in, ask, approve, look, end. */
import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { accessCommand } from '../../../src/cli/access.ts'
import type { KeptLogin } from '../../../src/cli/access-logins.ts'
import type { SessionItem } from '../../../src/cli/access-words.ts'
import { getCommand } from '../../../src/cli/get.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { isFailure } from '../../../src/core/failure.ts'
import type { DemoIdentityProvider } from '../../../src/demo/identity-provider/index.ts'
import { startIdentityProvider } from '../../../src/demo/identity-provider/index.ts'
import type { BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { issueForServer, testAuthority } from '../../support/control-plane/identities.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startFaultProxy } from '../../support/fault-proxy.ts'
import { inProcess } from '../../support/in-process-cli.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { teardown } from '../../support/test-scope.ts'

const alice = { username: 'alice', email: 'alice@example.com', name: 'Alice', groups: ['devs'] }

describe('break glass on the command line', needsControlPlane, () => {
  const suite = suiteScope()
  const cli = inProcess(accessCommand)
  const get = inProcess(getCommand)
  let plane: OwnControlPlane
  let scene: BreakglassScene
  let people: DemoIdentityProvider
  let provider: string
  let data: string
  before(async () => {
    plane = await startControlPlane(suite, {})
    scene = await breakglassScene(suite, plane)
    data = tempDir(suite)
    const authority = await testAuthority('people')
    people = await startIdentityProvider({
      certificate: await issueForServer(authority, { ipAddresses: ['127.0.0.1'] }),
      clients: [{ id: 'cli', forPeople: true }],
      people: [alice],
      clock: systemClock,
    })
    teardown(suite, async () => await people[Symbol.asyncDispose]())
    provider = uniqueName('people')
    const oidc = { authority: people.issuer, clientID: 'cli', certificateAuthority: authority.certPem }
    await scene.admin.of(IdentityProvider.resource).create({ metadata: { name: provider }, spec: { oidc } })
  })

  /** The flags of somebody who has a token in a file. */
  const as = async (person: TestPerson): Promise<string[]> => {
    const path = join(tempDir(suite), 'token')
    await writeFile(path, `${await person.token()}\n`, { mode: 0o600 })
    return ['--server', scene.url, '--token-file', path, '--data', data]
  }
  const printed = async (...args: string[]): Promise<string> => (await cli.run(...args)).out
  const parsed = async <T>(...args: string[]): Promise<T> => JSON.parse(await printed(...args, '-o', 'json')) as T
  const refusal = async (...args: string[]): Promise<string> => {
    const error = await cli.run(...args).then(
      ({ out }) => assert.fail(`it did: ${out}`),
      (thrown: unknown) => thrown,
    )
    assert.ok(isFailure(error), String(error))
    return `${error.code}: ${error.message}`
  }

  test('somebody logs in by a device code, is who they are, and is renewed until they log out', async () => {
    const flags = ['--server', scene.url, '--data', data, '--login', 'alice']
    assert.match(
      await refusal('list', ...flags),
      /^ACCESS_NOT_LOGGED_IN.*lanyard access login .*--server .* --login alice`/,
    )
    assert.match(await refusal('login', ...flags), new RegExp(`ACCESS_WHICH_PROVIDER.*--idp.*${provider}`))
    assert.match(await refusal('login', ...flags, '--idp', 'nobody'), /ACCESS_PROVIDER_UNKNOWN/)
    const login = cli.start('login', ...flags, '--idp', provider)
    const code = await eventually('a code is shown', () => /shows the code (\S+)\./.exec(login.said())?.[1])
    await people.logIn(code ?? '', 'alice')
    assert.match((await login.ended).out, /logged in to .* as alice@example.com[\s\S]*lanyard access escalations/)

    const path = join(data, 'access', 'logins', 'alice.json')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    const { server: _, ...without } = await parsed<{ server: string; email: string; groups: string[] }>(
      ...['whoami', '--data', data, '--login', 'alice'],
    )
    assert.deepEqual([without.email, without.groups], [alice.email, ['devs']])
    assert.match(await printed('whoami', '--data', data, '--login', 'alice'), /Who: +alice@example.com\n/)

    const read = async (): Promise<KeptLogin> => JSON.parse(await readFile(path, 'utf8'))
    const kept = await read()
    await writeFile(path, JSON.stringify({ ...kept, bearer: 'old', expiresAt: new Date(0).toISOString() }))
    await printed('list', '--data', data, '--login', 'alice')
    const renewed = await read()
    assert.ok(renewed.bearer !== 'old' && new Date(renewed.expiresAt) > new Date())
    assert.match(
      await refusal('list', '--data', data, '--login', 'alice', '--server', 'https://127.0.0.1:9'),
      /^ACCESS_LOGIN_ELSEWHERE/,
    )
    await writeFile(path, JSON.stringify({ ...renewed, refreshToken: 'revoked', expiresAt: new Date(0).toISOString() }))
    assert.match(
      await refusal('list', '--data', data, '--login', 'alice'),
      /^ACCESS_LOGIN_ENDED.*lanyard access login .*--login alice`/,
    )
    assert.match(await printed('logout', '--data', data, '--login', 'alice'), /forgotten/)
    assert.match(await printed('logout', '--data', data, '--login', 'alice'), /not logged in/)
  })

  /** Lists are answered from what the hub watches, which may be behind for a moment. */
  const listed = (what: RegExp, ...args: string[]) =>
    eventually('it is listed like that', () => printed('list', ...args), { until: (list) => what.test(list) })

  test('somebody asks, another approves for less time, more time is asked for, and it ends', async () => {
    const { cluster, group, dev, lead } = await scene.story({
      escalation: { maxValidFor: '4h', requestReason: { mandatory: true } },
    })
    const [mine, theirs] = [await as(dev), await as(lead)]
    const open = await printed('escalations', ...mine, '--cluster', cluster)
    assert.match(open, /^GROUP +CLUSTERS +AT MOST +APPROVERS +APPROVALS +REASON +EMERGENCY +NAME\n/)
    assert.match(open, new RegExp(`${group} +${cluster} +4h +lead@example.com +1 +needed +no`))
    const why = (...what: string[]) => printed('why', cluster, ...what, ...mine)
    const ask = `Ask for it: lanyard access request ${cluster} ${group} `
    const may = await why('get', 'secrets', 'x', '-n', 'default')
    assert.match(may, new RegExp(`^No: [\\s\\S]*${group} .* yes\\n[\\s\\S]*${ask}`))
    assert.doesNotMatch(await why('delete', 'deployments.apps', '-n', 'default'), /Ask for it/)
    assert.match(await refusal('request', cluster, group, ...mine), /^ACCESS_REFUSED.*reason.*UNPROCESSABLE_ENTITY/)
    const asked = await printed('request', cluster, group, ...mine, '--reason', 'INC-1', '--for', '2h')
    const [, name = ''] = /^✔ (\S+): asked for /.exec(asked) ?? []
    assert.match(asked, new RegExp(`lanyard access show ${name} `))
    assert.match(
      await refusal('request', cluster, group, ...mine, '--reason', 'again'),
      new RegExp(`CONFLICT.*lanyard access show ${name}`),
    )
    assert.match(await refusal('approve', name, ...mine), /^ACCESS_REFUSED.*NOT_AN_APPROVER.*lanyard access list/)

    const waiting = cli.start('request', cluster, group, ...mine, '--reason', 'again', '--wait', '-o', 'json')
    const row = new RegExp(`${name} +Pending +dev@example.com +${cluster} +${group} +waits \\S+ +INC-1`)
    await listed(row, '--pending', '--cluster', cluster, ...theirs)
    assert.match(await printed('show', name, ...theirs), /Approvals: +none of 1\n[\s\S]*lanyard access approve /)
    const approved = await parsed<SessionItem>('approve', ...theirs, '--for', '30m', '--reason', 'on call')
    assert.deepEqual([approved.metadata.name, approved.status?.state], [name, 'Approved'])
    const { expiresAt = '', approvedAt = '' } = approved.status ?? {}
    assert.equal(Date.parse(expiresAt) - Date.parse(approvedAt), 1_800_000)
    assert.equal((JSON.parse((await waiting.ended).out) as SessionItem).status?.state, 'Approved')
    await listed(new RegExp(`${name} +Approved .* left`), '--mine', '--state', 'approved', ...mine)

    assert.match(await why('get', 'secrets', 'x', '-n', 'default'), /^Yes, by a session: /)
    assert.match(
      await printed('extend', ...mine, '--for', '1h', '--reason', 'not done'),
      /1h more asked for.*\nSomebody else/,
    )
    assert.match(await printed('show', name, ...mine), /More time: +1h asked for/)
    const longer = await parsed<SessionItem>('approve', name, ...theirs)
    assert.ok((longer.status?.expiresAt ?? '') > expiresAt)
    assert.match(await printed('drop', ...mine), /is over \(Expired, dropped\)/)
    await listed(new RegExp(`^((?!${name})[^])*$`), '--mine', '--state', 'approved', ...mine)
    assert.match(await refusal('drop', ...mine), /^ACCESS_NONE_MEANT.*lanyard access list/)
    const history = await printed('show', name, ...mine)
    assert.match(
      history,
      /requested +dev@[\s\S]*approved +lead@[\s\S]*extension-requested[\s\S]*extended[\s\S]*dropped/,
    )
    const ofHub = ['sessions', name, '--kubeconfig', plane.adminKubeconfigPath]
    assert.match((await get.run(...ofHub)).out, new RegExp(`${name} +Expired +dev@example.com .* dropped `))
    const { session } = JSON.parse(await printed('show', name, ...mine, '-o', 'json'))
    assert.equal(session.status.reasonEnded, 'dropped')
  })

  test('what waits is refused, taken back and cancelled, and an emergency is reviewed', async () => {
    const { cluster, group, dev, lead } = await scene.story({ escalation: { emergencyBypass: { enabled: true } } })
    const [mine, theirs] = [await as(dev), await as(lead)]
    const ask = async (...more: string[]) =>
      (await parsed<SessionItem>('request', cluster, group, ...mine, ...more)).metadata.name
    assert.match(await printed('reject', await ask(), ...theirs, '--reason', 'no'), /is over \(Rejected, rejected\)/)
    assert.match(await printed('withdraw', await ask(), ...mine), /is over \(Withdrawn, withdrawn\)/)
    const later = await ask('--at', '+2h')
    assert.match(await printed('approve', later, ...theirs), /is approved and begins in (1h59m|2h)/)
    assert.match(await printed('cancel', later, ...theirs, '--reason', 'not needed'), /is over \(Expired, canceled\)/)
    const refused = cli.start('request', cluster, group, ...mine, '--wait')
    const pending = await eventually('it waits', async () => {
      const found = await parsed<SessionItem[]>('list', '--pending', '--cluster', cluster, ...theirs)
      return found[0]?.metadata.name
    })
    await printed('reject', pending ?? '', ...theirs)
    await assert.rejects(refused.ended, { code: 'ACCESS_WAIT_ENDED' })

    assert.match(await refusal('request', cluster, group, ...mine, '--emergency'), /^ACCESS_NO_REASON/)
    const name = await ask('--emergency', '--reason', 'outage')
    assert.match(
      await printed('show', name, ...theirs),
      /Emergency: +yes[\s\S]*Review: +due [\s\S]*lanyard access review /,
    )
    const reviewed = await printed('review', name, ...theirs, '--verdict', 'justified', '--comment', 'it was one')
    assert.match(reviewed, /reviewed: Justified/)
    assert.match(await printed('show', name, ...mine), /Review: +Justified, by lead@example.com: it was one/)
    await printed('drop', name, ...mine)
  })

  test('events are shown as they happen, and taken up where the connection was lost', async (t) => {
    const { cluster, group, dev, lead } = await scene.story()
    const proxy = await startFaultProxy(t, scene.url)
    const watching = cli.start('watch', ...(await as(lead)), '--server', proxy.url, '--count', '2')
    await eventually('it listens', () => watching.said().includes('Watching'))
    const { body } = await dev.request(cluster, group)
    const { name } = body.metadata
    await eventually('the request is seen', () => watching.said().includes('requested by dev@example.com'))
    proxy.refuse()
    proxy.resetAll()
    await eventually('the loss is told', () => watching.said().includes('trying again'))
    await lead.act(name, 'approve')
    proxy.heal()
    const { out } = await watching.ended
    assert.equal(out.split('\n').length, 3)
    assert.match(
      out,
      new RegExp(`approved by lead@example.com: ${group} on ${cluster} for dev@example.com, Approved ${name}`),
    )
  })

  test('an audit log is proven to be whole, and one that was edited is not', async (t) => {
    scene.settings.auditFile = join(tempDir(t), 'audit.log')
    const name = uniqueName('audit')
    const sinks = [{ name: 'log', type: 'log' as const }]
    await scene.admin.of(AuditConfig.resource).create({ metadata: { name }, spec: { sinks } })
    const { cluster, group, dev, lead } = await scene.story()
    // Somebody chooses it who would like the log to be broken: to some readers of lines these two end one.
    const { body } = await dev.request(cluster, group, { reason: 'one\u2028two\u2029three' })
    await lead.act(body.metadata.name, 'approve')
    const file = scene.settings.auditFile
    const where = ['--kubeconfig', plane.adminKubeconfigPath, '--namespace', scene.namespace]
    const whole = async () => await printed('audit', 'verify', file, ...where).catch(() => undefined)
    const said = await eventually('it is written and anchored', whole, {
      until: (text) => / [1-9]\d* records? of 1 writer/.test(text ?? ''),
      withinMs: 30_000,
    })
    assert.match(said ?? '', /the log is whole/)
    assert.ok((await readFile(file, 'utf8')).includes('\u2028'))
    const edited = join(tempDir(t), 'edited.log')
    await writeFile(edited, (await readFile(file, 'utf8')).replace('dev@example.com', 'eve@example.com'))
    assert.match(await refusal('audit', 'verify', edited, ...where), /^ACCESS_AUDIT_BROKEN: .*line \d+ shows: edited/)
    await scene.admin.of(AuditConfig.resource).delete(name)
  })

  test('a mistake has the exit code that it has elsewhere', async (t) => {
    const nowhere = lanyard(t, ['access', 'list', '--data', tempDir(t)])
    const unknown = lanyard(t, ['access', 'extend', 'x', '--for', 'long'])
    assert.deepEqual([(await nowhere.ended).code, (await unknown.ended).code], [1, 2])
    assert.match((await nowhere.ended).err, /--server.*lanyard up.*ACCESS_SERVER_UNKNOWN/)
    assert.match((await unknown.ended).err, /30m, 2h or 1d/)
  })
})
