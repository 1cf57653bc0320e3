import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotBuild, ensureAssets } from './build.ts'
import { assetsDir } from './locate.ts'
import type { Progress } from './progress.ts'

/** An empty cache and a `go` that is a script: `build` is what it does instead of compiling, with the target in $out. */
function fakeGo(t: TestContext, build: string, version = 'go1.26.8') {
  const root = mkdtempSync(join(tmpdir(), 'lanyard-kube-assets-'))
  t.after(() => rmSync(root, { recursive: true }))
  const go = join(root, 'go')
  writeFileSync(
    go,
    `#!/bin/sh
if [ "$1" = version ]; then echo "go version ${version} linux/amd64"; exit; fi
while [ "$1" != -o ]; do shift; done
out=$2 package=$3
echo "$package" >>'${root}/built'
${build}
`,
  )
  chmodSync(go, 0o755)
  const env = { LANYARD_CACHE: join(root, 'cache'), PATH: `${root}:${process.env.PATH}` }
  const said: string[] = []
  const progress: Progress = { say: (line) => said.push(line), during: () => ({ [Symbol.dispose]() {} }) }
  const built = () =>
    existsSync(join(root, 'built')) ? readFileSync(join(root, 'built'), 'utf8').trim().split('\n') : []
  return { root, env, progress, said, built }
}

const succeeds = 'env >"$out"; chmod +x "$out"'

test('what is missing is built in order, and nothing else is left in the cache', async (t) => {
  const { env, progress, built, said } = fakeGo(t, succeeds)
  const assets = await ensureAssets({ env, progress, names: ['etcd', 'kubectl'] })
  assert.equal(assets.dir, assetsDir(env))
  assert.deepEqual(built(), ['go.etcd.io/etcd/server/v3', 'k8s.io/kubernetes/cmd/kubectl'])
  assert.deepEqual(readdirSync(assets.dir).sort(), ['etcd', 'kubectl'])
  assert.match(said.join('\n'), /^etcd v[\d.]+: built in 0 s, 0 MB\nkubectl v/)
})

test('what is there is not built again', async (t) => {
  const { env, progress, built } = fakeGo(t, succeeds)
  await ensureAssets({ env, progress, names: ['etcd'] })
  await ensureAssets({ env, progress, names: ['etcd'] })
  assert.equal(built().length, 1)
})

test('two callers at once both get it, whole', async (t) => {
  const { env, progress } = fakeGo(t, `sleep 0.1; ${succeeds}`)
  const wishes = { env, progress, names: ['etcd'] as const }
  const both = await Promise.all([ensureAssets(wishes), ensureAssets(wishes)])
  for (const assets of both) assert.deepEqual(readdirSync(assets.dir), ['etcd'])
})

test('only what KUBEBUILDER_ASSETS lacks is built', async (t) => {
  const { root, env, progress, built } = fakeGo(t, succeeds)
  const given = join(root, 'given')
  mkdirSync(given)
  writeFileSync(join(given, 'etcd'), '', { mode: 0o755 })
  const assets = await ensureAssets({
    env: { ...env, KUBEBUILDER_ASSETS: given },
    progress,
    names: ['etcd', 'kubectl'],
  })
  assert.deepEqual(built(), ['k8s.io/kubernetes/cmd/kubectl'])
  assert.equal(assets.path('etcd'), join(given, 'etcd'))
})

test('the build is pinned, whatever the caller’s Go settings are', async (t) => {
  const { env, progress } = fakeGo(t, succeeds)
  const loose = { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'auto', GOWORK: '/elsewhere/go.work', GOOS: 'plan9' }
  const assets = await ensureAssets({ env: { ...env, ...loose }, progress, names: ['etcd'] })
  const seen = readFileSync(assets.path('etcd'), 'utf8').split('\n')
  for (const setting of ['GOFLAGS=-mod=readonly', 'GOTOOLCHAIN=local', 'GOWORK=off', 'CGO_ENABLED=0'])
    assert.ok(seen.includes(setting), setting)
  assert.ok(!seen.includes('GOOS=plan9'))
})

test('a failed build tells what Go said and leaves nothing half-made', async (t) => {
  const { env, progress } = fakeGo(t, 'echo half >"$out"; echo "no space left on device" >&2; exit 1')
  await assert.rejects(
    ensureAssets({ env, progress, names: ['etcd'] }),
    (error) =>
      error instanceof CannotBuild &&
      /go build go\.etcd\.io\S+ ended with code 1:\nno space left on device/.test(error.message),
  )
  assert.deepEqual(readdirSync(assetsDir(env)), [])
})

test('a stopped build ends the compilers, too, and leaves nothing half-made', async (t) => {
  const compiles = 'until [ -e "$0/done" ]; do sleep 0.05; done; touch "$0/survived"'
  const { root, env, progress, built } = fakeGo(t, `sh -c '${compiles}' "$(dirname "$0")"`)
  const stopping = new AbortController()
  const building = ensureAssets({ env, progress, names: ['etcd'], signal: stopping.signal })
  while (built().length === 0) await sleep(5)
  stopping.abort(new Error('enough'))
  await assert.rejects(building, /enough/)
  assert.deepEqual(readdirSync(assetsDir(env)), [])
  writeFileSync(join(root, 'done'), '')
  await sleep(500)
  assert.ok(!existsSync(join(root, 'survived')))
})

test('what a killed build left is swept, what a living one works on is not', async (t) => {
  const { env, progress } = fakeGo(t, succeeds)
  const dir = assetsDir(env)
  // No process has the first number, it is above what any kernel gives; the second is init's or launchd's.
  for (const pid of [2 ** 30, 1]) mkdirSync(join(dir, `building-${pid}-Xy1z`), { recursive: true })
  await ensureAssets({ env, progress, names: ['etcd'] })
  assert.deepEqual(readdirSync(dir).sort(), ['building-1-Xy1z', 'etcd'])
})

test('without a fitting Go nothing is tried', async (t) => {
  const { env, progress, built } = fakeGo(t, succeeds, 'go1.25.4')
  await assert.rejects(ensureAssets({ env, progress, names: ['etcd'] }), /Go 1\.26\.0 or newer .* go1\.25\.4/)
  await assert.rejects(
    ensureAssets({ env: { ...env, PATH: '/nonexistent' }, progress, names: ['etcd'] }),
    /no `go` on PATH/,
  )
  assert.deepEqual(built(), [])
})
