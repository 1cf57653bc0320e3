import assert from 'node:assert/strict'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Secret } from '../../core/secret.ts'
import { emptyKubeconfig, parseKubeconfig } from './kubeconfig.ts'
import { loadConnection, readKubeconfig } from './load.ts'
import { withContext } from './merge.ts'
import { aFolder, failureOf, revealed } from './testing/fixtures.ts'
import { writeKubeconfig } from './write.ts'

const aContext = withContext(emptyKubeconfig, {
  cluster: { server: 'https://hub' },
  user: { token: Secret.of('canary-token') },
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('what is written can be loaded again, and only by its owner', async (t) => {
  const folder = aFolder(t)
  await writeKubeconfig(folder.at('deep/er/config'), aContext)
  assert.equal(modeOf(folder.at('deep/er/config')), '600')
  assert.equal(modeOf(folder.at('deep')), '700')
  assert.deepEqual(readdirSync(folder.at('deep/er')), ['config'], 'nothing else is left in the folder')
  const path = folder.at('deep/er/config')
  const { connection } = await loadConnection({ path, env: {}, clock: new FakeClock() })
  assert.equal(revealed((await connection.credentials?.())?.authorization), 'canary-token')
})

test('a file that others could read is closed to them', async (t) => {
  const folder = aFolder(t)
  chmodSync(folder.write('config', ''), 0o644)
  await writeKubeconfig(folder.at('config'), aContext)
  assert.equal(modeOf(folder.at('config')), '600')
})

test('a context added to a file leaves the rest of the file as it was', async (t) => {
  const folder = aFolder(t)
  const text = `
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters: [{name: a, cluster: {server: https://a, certificate-authority: ca.crt, extensions: [{name: x, extension: {}}]}}]
users: [{name: a, user: {auth-provider: {name: oidc}}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
current-context: a
`
  folder.write('config', text)
  const config = await readKubeconfig(folder.at('config'))
  await writeKubeconfig(
    folder.at('config'),
    withContext(config ?? emptyKubeconfig, { cluster: { server: 'https://b' } }),
  )
  const [before, after] = [parse(text), parse(folder.read('config'))]
  assert.deepEqual(after.clusters[0], before.clusters[0])
  assert.deepEqual(after.users, before.users)
  assert.deepEqual(after.contexts[0], before.contexts[0])
  assert.deepEqual([after.preferences, after['current-context']], [{ colors: true }, 'default-context'])
})

test('a link stays a link, and the file it leads to is written', async (t) => {
  const folder = aFolder(t)
  mkdirSync(folder.at('dotfiles'))
  folder.write('dotfiles/config', '')
  symlinkSync('dotfiles/config', folder.at('config'))
  await writeKubeconfig(folder.at('config'), aContext)
  assert.equal(readlinkSync(folder.at('config')), 'dotfiles/config')
  assert.ok(lstatSync(folder.at('dotfiles/config')).isFile())
  assert.match(folder.read('dotfiles/config'), /canary-token/)
})

test('paths of entries from another folder are written absolute', async (t) => {
  const folder = aFolder(t)
  const cluster = 'clusters: [{name: a, cluster: {server: https://a, certificate-authority: ca.crt}}]'
  await writeKubeconfig(folder.at('config'), parseKubeconfig(cluster, { file: '/etc/hub/config' }))
  assert.equal(parse(folder.read('config')).clusters[0].cluster['certificate-authority'], '/etc/hub/ca.crt')
})

test('a write that fails names the path and leaves the old file', async (t) => {
  const folder = aFolder(t)
  folder.write('file', 'old')
  const failure = await failureOf(
    () => writeKubeconfig(folder.at('file/config'), aContext),
    'KUBECONFIG_UNWRITABLE',
    'canary-token',
  )
  assert.ok(failure.message.includes(folder.at('file/config')))
  assert.equal(folder.read('file'), 'old')
})
