import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { refusalOf } from '../../test/support/admission-hook.ts'
import { uniqueName } from '../../test/support/builders.ts'
import { eventually } from '../../test/support/eventually.ts'
import { kubeClient } from '../../test/support/kube-client.ts'
import type { Running } from '../../test/support/lanyard.ts'
import { lanyard } from '../../test/support/lanyard.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { BreakglassEscalation } from '../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../apis/breakglass/breakglass-session.ts'
import { MailProvider } from '../apis/breakglass/mail-provider.ts'
import { systemClock } from '../core/clock.ts'
import type { Condition } from '../core/conditions.ts'
import { findCondition } from '../core/conditions.ts'
import { loadConnection } from '../kube/kubeconfig/index.ts'

interface Row {
  name: string
  stage: string
  available?: string
  agent?: string
  certificateExpiresAt?: string
}

interface Way {
  name: string
  ready: string
  permissions: string
  reason: string
  issuer?: string
  fingerprint?: string
}

test('up --manual: a cluster asks, is accepted, denied, accepted again and deleted, whatever is killed in between', async (t) => {
  const data = tempDir(t)
  const kubeconfig = join(data, 'hub', 'admin.kubeconfig')
  const up = () => lanyard(t, ['up', '--manual', '--clusters', '1', '--data', data])
  const run = async (...args: string[]) => {
    const { code, out, err } = await lanyard(t, [...args, '--kubeconfig', kubeconfig]).ended
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
    return out
  }
  const row = async (): Promise<Row> => JSON.parse(await run('get', 'clusters', 'cluster1', '-o', 'json'))[0]
  const becomes = (what: string, isSo: (row: Row) => boolean) =>
    eventually(what, row, { until: isSo, withinMs: 30_000, everyMs: 250 })
  const killed = async ({ child, ended }: Running): Promise<Running> => {
    child.kill('SIGKILL')
    await ended
    return up()
  }

  let fleet = up()
  await fleet.says('cluster1 asks to join: lanyard accept cluster1')
  assert.equal((await row()).stage, 'pending')

  fleet = await killed(fleet)
  await fleet.says('cluster1 asks to join')
  assert.match(await run('accept', 'cluster1', '--wait', '--timeout', '30'), /cluster1 has joined and is available/)
  const { agent, certificateExpiresAt } = await row()

  fleet = await killed(fleet)
  await fleet.says('the hub is prepared')
  await becomes('it is available again', ({ available }) => available === 'True')
  assert.deepEqual([(await row()).agent, (await row()).certificateExpiresAt], [agent, certificateExpiresAt])

  await run('deny', 'cluster1')
  await becomes('it is denied', ({ stage }) => stage === 'denied')
  fleet = await killed(fleet)
  await fleet.says('the hub is prepared')
  assert.equal((await row()).stage, 'denied')

  await run('accept', 'cluster1', '--wait', '--timeout', '30')
  assert.equal((await row()).agent, agent)

  assert.match(await run('unjoin', 'cluster1'), /cluster1 is gone from the hub/)
  fleet.child.kill('SIGINT')
  const { code, err } = await fleet.ended
  assert.equal(code, 0)
  assert.equal(err, '')
})

test('up lets its clusters in by itself, and the example add-on works on them', async (t) => {
  const data = tempDir(t)
  const fleet = lanyard(t, ['up', '--clusters', '3', '--data', data])
  await fleet.says('the fleet is complete')
  await fleet.says('the example add-on is on all of it')
  const kubeconfig = join(data, 'hub', 'admin.kubeconfig')
  const addons = async (): Promise<{ addon: string; available?: string; credential: string }[]> =>
    JSON.parse((await lanyard(t, ['get', 'addons', '-o', 'json', '--kubeconfig', kubeconfig]).ended).out)
  await eventually('the example add-on works on all of them', addons, {
    until: (rows) => rows.length === 3 && rows.every((row) => row.available === 'True' && row.credential === 'valid'),
    everyMs: 250,
  })
  fleet.child.kill('SIGTERM')
  const { code, out, err } = await fleet.ended
  assert.equal(code, 0)
  assert.equal(err, '')
  for (const name of ['cluster1', 'cluster2', 'cluster3']) assert.match(out, new RegExp(`${name} has joined`))
})

test('up: the hub gets into its clusters by a kubeconfig and by OIDC, and finds its ways again after kill -9', async (t) => {
  const data = tempDir(t)
  const kubeconfig = join(data, 'hub', 'admin.kubeconfig')
  const up = () => lanyard(t, ['up', '--clusters', '2', '--data', data])
  const ways = async (): Promise<Way[]> =>
    JSON.parse((await lanyard(t, ['reach', 'list', '-o', 'json', '--kubeconfig', kubeconfig]).ended).out)
  const first = up()
  await first.says('the hub gets into all of them: lanyard reach list')
  const before = await ways()
  assert.deepEqual(
    before.map(({ name, ready, permissions, reason }) => [name, ready, permissions, reason]),
    [
      ['cluster1', 'True', 'True', 'KubeconfigValidated'],
      ['cluster2', 'True', 'True', 'OIDCValidated'],
    ],
  )
  first.child.kill('SIGKILL')
  await first.ended

  const second = up()
  await second.says('the hub gets into all of them')
  const issuers = (rows: Way[]) => rows.map(({ name, issuer, fingerprint }) => [name, issuer, fingerprint])
  assert.deepEqual(issuers(await ways()), issuers(before))
  const check = await lanyard(t, ['reach', 'check', '--all', '--kubeconfig', kubeconfig]).ended
  assert.equal(check.code, 0, check.err)
  second.child.kill('SIGINT')
  const { code, err } = await second.ended
  assert.deepEqual([code, err], [0, ''])
})

test('F8e: the hub of up acts as its account too, so that its administrator is checked as everybody is', async (t) => {
  const data = tempDir(t)
  const fleet = lanyard(t, ['up', '--clusters', '0', '--data', data])
  await fleet.says('the hub is prepared')
  const { connection } = await loadConnection({
    path: join(data, 'hub', 'admin.kubeconfig'),
    env: {},
    clock: systemClock,
  })
  const admin = kubeClient(t, connection)
  const escalations = admin.of(BreakglassEscalation.resource, 'default')
  await escalations.create({
    metadata: { name: 'support' },
    spec: {
      escalatedGroup: 'support',
      allowed: { clusters: ['west'], groups: ['developers'] },
      approvers: { groups: ['leads'] },
    },
  })
  const status = { approverGroupMembers: { leads: ['me@example.com'] } }
  const forged = await refusalOf(
    escalations.patch('support', { type: 'merge', body: { status } }, { subresource: 'status' }),
  )
  assert.deepEqual([forged.code, /only the hub itself/.test(forged.message)], [403, true], forged.message)
  const session = { cluster: 'west', user: 'me@example.com', grantedGroup: 'support' }
  const unknown = await refusalOf(
    admin.of(BreakglassSession.resource, 'default').create({ metadata: { name: 'by-hand' }, spec: session }),
  )
  assert.deepEqual([unknown.code, /there is no ClusterConfig west/.test(unknown.message)], [400, true], unknown.message)
  fleet.child.kill('SIGINT')
  const { code, err } = await fleet.ended
  assert.deepEqual([code, err], [0, ''])
})

test('up takes over what changes in its configuration file, as the hub does', async (t) => {
  const data = tempDir(t)
  const file = join(data, 'lanyard.yaml')
  writeFileSync(file, 'reach: { egress: { denied: [] } }\n')
  const fleet = lanyard(t, ['up', '--clusters', '0', '--data', data, '--config', file])
  await fleet.says('the hub is prepared')
  const { connection } = await loadConnection({
    path: join(data, 'hub', 'admin.kubeconfig'),
    env: {},
    clock: systemClock,
  })
  const providers = kubeClient(t, connection).of(MailProvider.resource)
  const spec = { smtp: { host: '127.0.0.1', port: 9 }, sender: { address: 'hub@example.com' } }
  /** Of a mail server that is new to the hub, so that it is looked at now. */
  const reasonOfAnother = async () => {
    const { metadata } = await providers.create({ metadata: { name: uniqueName('mail') }, spec })
    const found = await eventually('the hub has looked at the mail server', async () => {
      const { status } = await providers.get(metadata.name)
      return findCondition(status?.conditions as Condition[] | undefined, 'Healthy')
    })
    return found.reason
  }
  assert.notEqual(await reasonOfAnother(), 'EgressDenied')
  writeFileSync(file, 'reach: { egress: { denied: [127.0.0.0/8] } }\n')
  await eventually('the hub does not connect there any more', reasonOfAnother, {
    until: (reason) => reason === 'EgressDenied',
    everyMs: 250,
  })
  fleet.child.kill('SIGINT')
  assert.equal((await fleet.ended).code, 0)
})
