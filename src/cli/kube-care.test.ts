import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { inProcess } from '../../test/support/in-process-cli.ts'
import { rawRequest } from '../../test/support/raw-request.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import { teardown } from '../../test/support/test-scope.ts'
import { systemClock } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import type { Embedded } from '../embedded/index.ts'
import { startEmbedded } from '../embedded/index.ts'
import { clusterRoleBindings, clusterRoles, configMaps, secrets } from '../kube/kinds.ts'
import { kubeCommand } from './kube.ts'

const cli = inProcess(kubeCommand)

async function start(t: TestContext, dir: string): Promise<Embedded> {
  const plane = await startEmbedded({ dir, clock: systemClock, random: systemRandom, log: silentLog })
  teardown(t, () => plane.close())
  return plane
}

const paths = (t: TestContext) => {
  const dir = tempDir(t)
  return { dir: join(dir, 'kube'), file: join(dir, 'kube.backup'), to: join(dir, 'new') }
}

const ask = (
  { url, identities: { admin, serverCa } }: Embedded,
  path: string,
  certificate: typeof admin | null = admin,
) => rawRequest({ url, caPem: serverCa.certPem }, { path, certificate })

/** What a command leaves for the process to exit with, and the process of the test as it was. */
async function exitCodeOf(run: () => Promise<unknown>): Promise<number> {
  try {
    await run()
    return Number(process.exitCode ?? 0)
  } finally {
    process.exitCode = 0
  }
}

test('E3b: a plane is backed up while it is written to, and comes back elsewhere with all that was acknowledged', async (t) => {
  const { dir, file, to } = paths(t)
  const first = await start(t, dir)
  const maps = first.kube.of(configMaps, 'default')
  await first.kube.of(secrets, 'default').create({ metadata: { name: 'kept' }, stringData: { password: 'hunter2' } })
  for (let i = 0; i < 50; i++) await maps.create({ metadata: { name: `before-${i}` } })
  let isWriting = true
  const writing = (async () => {
    for (let i = 0; isWriting; i++) await maps.create({ metadata: { name: `during-${i}` }, data: { line: 'a\u2028b' } })
  })()
  const { out } = await cli.run('backup', '--data', dir, '--to', file, '-o', 'json')
  isWriting = false
  await writing
  const report = JSON.parse(out)
  assert.deepEqual([report.file, report.wasRunning], [file, true])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const { metadata: latest } = await maps.create({ metadata: { name: 'after' } })
  const { metadata: known } = await maps.get('before-0')
  await first.close()

  const { out: words } = await cli.run('restore', '--data', to, '--from', file)
  assert.match(
    words,
    /objects and the keys of .* are in .*new, which goes on at revision \d+\n(✔ ended.*\n)(! .*\n)lanyard kube --data /,
  )
  const second = await start(t, to)
  assert.equal(second.identities.admin.certPem, first.identities.admin.certPem)
  const again = second.kube.of(configMaps, 'default')
  assert.equal((await again.get('before-0')).metadata.uid, known.uid)
  assert.equal((await again.get('before-0')).metadata.resourceVersion, known.resourceVersion)
  const { data } = await second.kube.of(secrets, 'default').get('kept')
  assert.equal(Buffer.from(data?.['password'] ?? '', 'base64').toString(), 'hunter2')
  for (let i = 0; i < 50; i++) assert.ok(await again.find(`before-${i}`), `before-${i}`)
  assert.equal(await again.find('after'), undefined)
  // Whoever knows of a later state than the backup's is told that it is gone, and is not left waiting.
  for (const resourceVersion of [latest.resourceVersion, known.resourceVersion]) {
    const { text } = await ask(second, `/api/v1/configmaps?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`)
    assert.match(text, /"code":410/, `a watch from ${resourceVersion}`)
  }
  const next = await again.create({ metadata: { name: 'next' } })
  assert.ok(Number(next.metadata.resourceVersion) > Number(latest.resourceVersion))
  await assert.rejects(again.update({ metadata: { name: 'before-0', resourceVersion: '1' } }), { code: 409 })
})

test('E3b: only who may read everything gets at the objects of a plane that runs', async (t) => {
  const plane = await start(t, paths(t).dir)
  assert.equal((await ask(plane, '/lanyard/snapshot')).code, 200)
  assert.ok([401, 403].includes((await ask(plane, '/lanyard/snapshot', null)).code))
  const joe = (path: string) =>
    rawRequest(
      { url: plane.url, caPem: plane.identities.serverCa.certPem },
      { path, certificate: plane.identities.admin, headers: { 'impersonate-user': 'joe' } },
    )
  assert.equal((await joe('/lanyard/snapshot')).code, 403)
  // Such a role is common, for metrics: it must not show Secrets.
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'paths' }
  await plane.kube.of(clusterRoles).create({
    metadata: { name: 'paths' },
    rules: [{ nonResourceURLs: ['*'], verbs: ['get'] }],
  })
  await plane.kube.of(clusterRoleBindings).create({
    metadata: { name: 'paths' },
    roleRef: role,
    subjects: [{ kind: 'User', apiGroup: role.apiGroup, name: 'joe' }],
  })
  assert.equal((await joe('/metrics')).code, 200)
  assert.equal((await joe('/lanyard/snapshot')).code, 403)
})

test('E3c: a restore refuses what is in its way, and moves it aside when told to', async (t) => {
  const { dir, file } = paths(t)
  const first = await start(t, dir)
  await first.kube.of(configMaps, 'default').create({ metadata: { name: 'old' } })
  await cli.run('backup', '--data', dir, '--to', file)
  await assert.rejects(cli.run('backup', '--data', dir, '--to', file), { code: 'EMBEDDED_BACKUP_EXISTS' })
  await assert.rejects(cli.run('restore', '--data', dir, '--from', file), { code: 'EMBEDDED_FOLDER_IN_USE' })
  await first.kube.of(configMaps, 'default').create({ metadata: { name: 'newer' } })
  await first.close()
  await assert.rejects(cli.run('restore', '--data', dir, '--from', file), {
    code: 'EMBEDDED_FOLDER_NOT_EMPTY',
    message: /state\.db.*--replace/,
  })
  const { out } = await cli.run('restore', '--data', dir, '--from', file, '--replace', '-o', 'json')
  const { aside, revision } = JSON.parse(out)
  assert.ok(existsSync(join(aside, 'state.db')) && existsSync(join(aside, 'pki', 'admin.pem')))
  const second = await start(t, dir)
  const maps = second.kube.of(configMaps, 'default')
  assert.ok(await maps.find('old'))
  assert.equal(await maps.find('newer'), undefined)
  await second.close()
  await cli.run('restore', '--data', join(tempDir(t), 'kube'), '--from', file)
  await cli.run('backup', '--data', dir, '--to', file, '--overwrite')
  assert.ok(revision > 1e15)
})

test('E3c: a backup that is not whole is not restored, and what is readable of it can be saved', async (t) => {
  const { dir, file, to } = paths(t)
  await (await start(t, dir)).close()
  await cli.run('backup', '--data', dir, '--to', file)
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.slice(0, text.length - 500))
  await assert.rejects(cli.run('restore', '--data', to, '--from', file), { code: 'EMBEDDED_BACKUP_DAMAGED' })
  assert.ok(!existsSync(to))
  const wrong = await exitCodeOf(async () => {
    const { out } = await cli.run('fsck', '--from', file, '--repair', to)
    assert.match(out, /BackupDamaged .*its end/)
    assert.match(out, /objects are in .*new, which goes on at revision/)
  })
  assert.equal(wrong, 1)
  await start(t, to)
})

test('E3d: compacting forgets the history, keeps the objects and gives room back', async (t) => {
  const { dir } = paths(t)
  const plane = await start(t, dir)
  const maps = plane.kube.of(configMaps, 'default')
  await assert.rejects(cli.run('compact', '--data', dir), { code: 'EMBEDDED_COMPACT_RUNNING', message: /end it, then/ })
  for (let i = 0; i < 60; i++) {
    await maps.create({ metadata: { name: `c-${i}` }, data: { value: 'x'.repeat(20_000) } })
    if (i > 3) await maps.delete(`c-${i}`)
  }
  await plane.close()
  const { out } = await cli.run('compact', '--data', dir, '-o', 'json')
  const { bytesBefore, bytesAfter, revision } = JSON.parse(out)
  assert.ok(bytesAfter < bytesBefore / 2, out)
  const again = await start(t, dir)
  const found = (await again.kube.of(configMaps, 'default').list()).items.filter(({ metadata }) =>
    /^c-/.test(metadata.name),
  )
  assert.equal(found.length, 4)
  const { text } = await ask(again, `/api/v1/configmaps?watch=1&timeoutSeconds=1&resourceVersion=${revision - 5}`)
  assert.match(text, /"code":410/)
})

test('E3e: fsck says in a table and by its exit code whether something is wrong', async (t) => {
  const { dir } = paths(t)
  await (await start(t, dir)).close()
  const well = await exitCodeOf(async () => {
    const { out } = await cli.run('fsck', '--data', dir)
    assert.match(out, /^✔ nothing is wrong with .*kube\n$/)
  })
  assert.equal(well, 0)
  writeFileSync(join(dir, 'pki', 'admin.pem'), 'no key')
  const wrong = await exitCodeOf(async () => {
    const { out } = await cli.run('fsck', '--data', dir)
    assert.match(out, /^FINDING +WHERE +DETAIL +NEXT\nKeyUnfit +pki\/admin\.pem .*delete the file/)
    const { findings } = JSON.parse((await cli.run('fsck', '--data', dir, '-o', 'json')).out)
    assert.deepEqual([findings.length, findings[0].id], [1, 'KeyUnfit'])
  })
  assert.equal(wrong, 1)
  await assert.rejects(cli.run('fsck'), { code: 'EMBEDDED_FSCK_WHAT' })
  await assert.rejects(cli.run('fsck', '--data', dir, '--from', 'x'), { code: 'EMBEDDED_FSCK_WHAT' })
  await assert.rejects(cli.run('fsck', '--data', join(dir, 'none')), { code: 'EMBEDDED_NO_DATA' })
})

test('flags of serving are not taken by the commands below it, and the folder is asked for', async (t) => {
  const { dir, file } = paths(t)
  await assert.rejects(cli.run('backup', '--to', file), { code: 'commander.error', message: /--data <folder>/ })
  await assert.rejects(cli.run(), { code: 'commander.error', message: /--data <folder>/ })
  await assert.rejects(cli.run('backup', '--data', dir, '--to', file, '--port', '7443'), {
    message: /unknown option '--port'/,
  })
  await assert.rejects(cli.run('backup', '--data', dir, '--to', file), { code: 'EMBEDDED_NO_DATA' })
})
