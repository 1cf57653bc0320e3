import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import { assertNoCanary } from '../../support/canary.ts'
import { commands, serveSetting, serving } from '../../support/pull-secret-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const west = ['west', '--provider', 'gcp', '--region', 'us-east1']

suite('lanyard pull-secrets', () => {
  test('a cluster gets its pull secret and shows it, and only --reveal tells a token', async (t) => {
    const setting = await serveSetting(t)
    const service = await serving(t, setting)
    const { succeeds, fails, told } = commands(t, setting)

    assert.match(await succeeds('list'), /No cluster has a pull secret yet/)
    const generated = await succeeds('generate', ...west)
    assert.match(generated, /west got its pull secret for 3 registries/)
    assert.ok(generated.includes(`lanyard pull-secrets get west --reveal --config ${setting.config}\n`), generated)
    const shown = await succeeds('get', 'west')
    assert.match(shown, /^redhat .*\|hyp-cls-west .*active/m)
    assert.match(shown, /^quay .*active/m)
    const document = JSON.parse(await succeeds('get', 'west', '--reveal'))
    assert.deepEqual(Object.keys(document.auths), ['cloud.openshift.com', 'quay.io', 'registry.redhat.io'])
    const secret = parse(await succeeds('get', 'west', '--reveal', '--as', 'secret', '--secret-namespace', 'apps'))
    assert.deepEqual(
      [secret.kind, secret.type, secret.metadata],
      ['Secret', 'kubernetes.io/dockerconfigjson', { name: 'pull-secret', namespace: 'apps' }],
    )
    assert.deepEqual(JSON.parse(Buffer.from(secret.data['.dockerconfigjson'], 'base64').toString()), document)
    assert.match(await fails('get', 'west', '--as', 'secret'), /--reveal.*PULL_REVEAL_NEEDED/)
    assert.match(await fails('get', 'nobody'), /lanyard pull-secrets generate nobody.*PULL_NONE_THERE/)

    assertNoCanary({ ...told, service: service.printed() }, setting.canary)
  })

  test('a pull secret is rotated, suspended, resumed and deleted, and the registries follow', async (t) => {
    const setting = await serveSetting(t)
    const { quay, redhat, canary } = setting
    const service = await serving(t, setting)
    const { succeeds, fails, told } = commands(t, setting)
    await service.call('POST', '/clusters/west/pull-secrets', { cloud_provider: 'gcp', region: 'us-east1' })
    assert.match(
      await succeeds('rotate', 'west', '--reason', 'compromise', '--force', '--wait'),
      /the old ones are gone/,
    )
    assert.match(await succeeds('rotations', 'west'), /completed .*compromise/)
    assert.match(await succeeds('suspend', 'west', '--reason', 'unpaid'), /west is suspended/)
    assert.deepEqual([quay.accounts(), redhat.accounts()], [[], []])
    const rows = JSON.parse(await succeeds('list', '-o', 'json'))
    assert.deepEqual(
      rows.map((row: { cluster_id: string; state: string }) => [row.cluster_id, row.state]),
      [['west', 'suspended']],
    )
    assert.match(await fails('generate', ...west), /suspended; resume it first \[HYPERFLEET-CNF-003\]/)
    assert.match(await succeeds('resume', 'west', '--reason', 'paid'), /west is resumed/)
    assert.match(await succeeds('delete', 'west'), /west has no credentials any more/)
    assert.deepEqual([quay.accounts(), redhat.accounts()], [[], []])

    assertNoCanary({ ...told, service: service.printed() }, canary)
    assert.equal((await service.stop()).code, 0)
    assert.match(await fails('list'), /lanyard pull-secrets serve.*PULL_SERVER_UNKNOWN/)
  })

  test('a token that is not the right one is refused with where to find it; the right one is for its owner alone', async (t) => {
    const setting = await serveSetting(t)
    await serving(t, setting)
    const { fails } = commands(t, setting)
    const wrong = join(tempDir(t), 'token')
    writeFileSync(wrong, 'not-it')
    assert.match(await fails('list', '--token-file', wrong), /--token-file/)
    assert.match(await fails('list', '--token-file', join(setting.data, 'none')), /FILE_UNREADABLE/)
    assert.equal(statSync(join(setting.data, 'pull-secrets', 'operator-token')).mode & 0o777, 0o600)
  })
})
