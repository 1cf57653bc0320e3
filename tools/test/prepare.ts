import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { bundling } from '../build.ts'
import { CannotBuild, ensureAssets } from '../kube-assets/build.ts'
import { findAssets } from '../kube-assets/locate.ts'
import type { AssetName } from '../kube-assets/versions.ts'
import { assetNames } from '../kube-assets/versions.ts'
import { memoryFolder } from './memory-folder.ts'
import type { Suite } from './suites.ts'

const controlPlanePrograms: readonly AssetName[] = ['kube-apiserver', 'kube-controller-manager', 'etcd']

const root = resolve(import.meta.dirname, '../..')

/**
 * Builds the programs a suite needs and starts the servers its files share. Disposing stops them. Without a bundle, tests
 * start the sources as `lanyard`.
 */
export async function prepare(suite: Suite, { bundles }: { bundles: boolean }): Promise<AsyncDisposable> {
  const nothing = { async [Symbol.asyncDispose]() {} }
  try {
    if (suite.assets !== 'none') await provide(suite.assets === 'all' ? assetNames : controlPlanePrograms)
  } catch (error) {
    if (!(error instanceof CannotBuild) || process.env['CI']) throw error
    console.error(`${error.message}\nwhat needs these programs is skipped`)
    return nothing
  }
  await using started = new AsyncDisposableStack()
  const memory = memoryFolder()
  if (memory) {
    started.defer(() => memory.remove())
    process.env['TMPDIR'] = memory.path
  }
  if (bundles) process.env['LANYARD_TEST_PROGRAM'] = await bundledProgram()
  if (suite.database) started.use(await provideDatabase(suite.database))
  if (!suite.sharedControlPlane) return started.move()
  console.log('starting a control plane')
  // Which one that is, CONTROL_PLANE says, and it is set by now.
  const { launchControlPlane } = await import('../../test/support/control-plane.ts')
  const plane = await launchControlPlane({ ownProcess: true })
  process.env['LANYARD_TEST_CONTROL_PLANE'] = plane.descriptorPath
  started.use(plane)
  return started.move()
}

/** `server`: the one of the system, which is older. A laptop that has none makes do with ours. */
async function provideDatabase(which: NonNullable<Suite['database']>): Promise<AsyncDisposable> {
  const { debianPostgres, launchPostgres } = await import('../../test/support/postgres.ts')
  const binaries = which === 'server' ? debianPostgres() : undefined
  if (which === 'server' && !binaries) {
    const reason = 'there is no PostgreSQL in /usr/lib/postgresql; install the package postgresql'
    if (process.env['CI']) throw new Error(reason)
    console.error(`${reason}; its tests run on the embedded one`)
  }
  console.log(`starting PostgreSQL${binaries ? ` (${binaries.postgres})` : ''}`)
  const server = await launchPostgres(binaries ? { binaries } : {})
  process.env['LANYARD_TEST_DATABASE'] = server.url
  return server
}

/**
 * Beside what it loads from node_modules. The same sources are always at the same place, so that what Node has compiled of
 * them is found, and no run writes where another reads.
 */
async function bundledProgram(): Promise<string> {
  const bundles = resolve(root, 'node_modules/.cache/lanyard')
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: { lanyard: 'src/cli/main.ts' },
    outdir: bundles,
    write: false,
    // No package.json there says what `.js` is: Node would parse each file twice to find out.
    outExtension: { '.js': '.mjs' },
  })
  const digest = createHash('sha256')
  for (const { contents } of outputFiles) digest.update(contents)
  const folder = resolve(bundles, digest.digest('hex').slice(0, 16))
  const now = new Date()
  // In use again: no run on newer sources is to remove it as old.
  if (existsSync(folder)) await utimes(folder, now, now)
  else {
    await mkdir(bundles, { recursive: true })
    const draft = await mkdtemp(`${folder}-`)
    await Promise.all(outputFiles.map(({ path, contents }) => writeFile(join(draft, basename(path)), contents)))
    // Another run may have come first, with the same.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
    await removeOld(bundles)
  }
  return join(folder, 'lanyard.mjs')
}

/** Of sources that were since changed. Another run may rename or remove its draft meanwhile. */
async function removeOld(bundles: string): Promise<void> {
  for (const name of await readdir(bundles)) {
    const path = join(bundles, name)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > 86_400_000) await rm(path, { recursive: true, force: true })
  }
}

async function provide(names: readonly AssetName[]): Promise<void> {
  if (!findAssets(process.env, names)) await ensureAssets({ names })
}
