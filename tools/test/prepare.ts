import { CannotBuild, ensureAssets } from '../kube-assets/build.ts'
import { findAssets } from '../kube-assets/locate.ts'
import type { AssetName } from '../kube-assets/versions.ts'
import { assetNames } from '../kube-assets/versions.ts'
import type { Suite } from './suites.ts'

const controlPlanePrograms: readonly AssetName[] = ['kube-apiserver', 'kube-controller-manager', 'etcd']

/** Builds the programs a suite needs and starts the control plane its files share. Disposing stops it. */
export async function prepare(suite: Suite): Promise<AsyncDisposable> {
  const nothing = { async [Symbol.asyncDispose]() {} }
  try {
    if (suite.assets !== 'none') await provide(suite.assets === 'all' ? assetNames : controlPlanePrograms)
  } catch (error) {
    if (!(error instanceof CannotBuild) || process.env['CI']) throw error
    console.error(`${error.message}\nwhat needs these programs is skipped`)
    return nothing
  }
  await using started = new AsyncDisposableStack()
  if (suite.database) started.use(await provideDatabase(suite.database))
  if (!suite.sharedControlPlane) return started.move()
  console.log('starting a control plane')
  // Which one that is, CONTROL_PLANE says, and it is set by now.
  const { launchControlPlane } = await import('../../test/support/control-plane.ts')
  const plane = await launchControlPlane()
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

async function provide(names: readonly AssetName[]): Promise<void> {
  if (!findAssets(process.env, names)) await ensureAssets({ names })
}
