import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { assetsDir, findAssets, readModuleFiles } from './locate.ts'
import type { AssetName } from './versions.ts'
import { assetNames } from './versions.ts'

/** A cache folder and a folder for KUBEBUILDER_ASSETS, both empty. */
function folders(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'lanyard-kube-assets-'))
  t.after(() => rmSync(root, { recursive: true }))
  const env = { LANYARD_CACHE: join(root, 'cache') }
  const given = join(root, 'given')
  for (const folder of [assetsDir(env), given]) mkdirSync(folder, { recursive: true })
  return { env, envWithGiven: { ...env, KUBEBUILDER_ASSETS: given }, cached: assetsDir(env), given }
}

function put(folder: string, names: readonly AssetName[], mode = 0o755) {
  for (const name of names) writeFileSync(join(folder, name), '', { mode })
}

test('nothing is found while the cache folder does not exist', () => {
  assert.equal(findAssets({ LANYARD_CACHE: '/nonexistent' }), undefined)
})

test('what was built is found in the cache', (t) => {
  const { env, cached } = folders(t)
  put(cached, assetNames)
  const assets = findAssets(env)
  assert.equal(assets?.dir, cached)
  assert.equal(assets?.path('kube-apiserver'), join(cached, 'kube-apiserver'))
})

test('one missing program means not found, unless it was not asked for', (t) => {
  const { env, cached } = folders(t)
  put(cached, ['etcd', 'kube-apiserver'])
  assert.equal(findAssets(env), undefined)
  assert.equal(findAssets(env, ['etcd', 'kube-apiserver'])?.dir, cached)
})

test('asking the path of a program that is not there says how to build it', (t) => {
  const { env, cached } = folders(t)
  put(cached, ['etcd'])
  assert.throws(() => findAssets(env, ['etcd'])?.path('kubectl'), /npm run kube-assets -- --only kubectl/)
})

test('a file that cannot be run is no program', (t) => {
  const { env, cached } = folders(t)
  put(cached, ['etcd'], 0o644)
  assert.equal(findAssets(env, ['etcd']), undefined)
})

test('a folder is no program', (t) => {
  const { env, cached } = folders(t)
  mkdirSync(join(cached, 'etcd'))
  assert.equal(findAssets(env, ['etcd']), undefined)
})

test('KUBEBUILDER_ASSETS comes before the cache, and is the folder when it holds all', (t) => {
  const { envWithGiven, cached, given } = folders(t)
  put(cached, assetNames)
  put(given, ['etcd', 'kubectl'])
  const assets = findAssets(envWithGiven, ['etcd', 'kubectl'])
  assert.equal(assets?.dir, given)
  assert.equal(assets?.path('etcd'), join(given, 'etcd'))
})

test('the cache completes what KUBEBUILDER_ASSETS lacks', (t) => {
  const { envWithGiven, cached, given } = folders(t)
  put(cached, ['kube-controller-manager'])
  put(given, ['etcd'])
  const assets = findAssets(envWithGiven, ['etcd', 'kube-controller-manager'])
  assert.equal(assets?.dir, cached)
  assert.equal(assets?.path('etcd'), join(given, 'etcd'))
  assert.equal(assets?.path('kube-controller-manager'), join(cached, 'kube-controller-manager'))
})

test('an empty KUBEBUILDER_ASSETS is as none', (t) => {
  const { env, cached } = folders(t)
  put(cached, ['etcd'])
  assert.equal(findAssets({ ...env, KUBEBUILDER_ASSETS: '' }, ['etcd'])?.dir, cached)
})

test('the key covers go.mod and go.sum of each module', () => {
  const files = Object.keys(readModuleFiles())
  for (const module of ['etcd', 'kubernetes-1.35', 'kubernetes-1.36', 'ocm'])
    for (const file of ['go.mod', 'go.sum']) assert.ok(files.includes(join(module, file)), join(module, file))
})
