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
  if (!suite.sharedControlPlane) return nothing
  console.log('starting a control plane')
  // Which one that is, CONTROL_PLANE says, and it is set by now.
  const { launchControlPlane } = await import('../../test/support/control-plane.ts')
  const plane = await launchControlPlane()
  process.env['LANYARD_TEST_CONTROL_PLANE'] = plane.descriptorPath
  return plane
}

async function provide(names: readonly AssetName[]): Promise<void> {
  if (!findAssets(process.env, names)) await ensureAssets({ names })
}
