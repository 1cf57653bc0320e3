import { join } from 'node:path'
import { hubNamespace } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { bootstrapAccount, bootstrapUser } from '../../src/registration/manifests/bootstrap.ts'
import type { OwnControlPlane } from '../support/control-plane.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { accountKubeconfig, prepareHub } from '../support/hub-process.ts'
import { kubeClient } from '../support/kube-client.ts'
import { lanyard } from '../support/lanyard.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import type { Supervised } from './supervised.ts'
import { supervise } from './supervised.ts'

/** A token outlives the longest run. */
const tokenSeconds = 24 * 3_600

/** Most of a start is compiling, and a process that is killed leaves nothing compiled behind: these end by themselves. */
export async function compileOnce(t: TestScope): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] = tempDir(t)
  const missing = join(tempDir(t), 'missing')
  for (const command of ['hub', 'agent']) await lanyard(t, [command, '--kubeconfig', missing]).ended
}

export interface SoakHub {
  plane: OwnControlPlane
  /** As the admin. */
  kube: KubeClient
  bootstrapKubeconfig: string
  hub: Supervised
}

/** A hub that lets clusters in by itself, prepared but not started. */
export async function soakHub(t: TestScope): Promise<SoakHub> {
  await compileOnce(t)
  const plane: OwnControlPlane = await startControlPlane(t, {})
  const kube = kubeClient(t, plane.connection())
  const gates = ['--feature-gates', 'ManagedClusterAutoApproval=true']
  const { webhookUrl } = await prepareHub(t, plane, ...gates, '--auto-approved-csr-identities', bootstrapUser)
  const account = { namespace: hubNamespace, name: 'registration-controller-sa' }
  const hub = supervise(t, 'hub', [
    'hub',
    ...['--kubeconfig', await accountKubeconfig(t, plane, kube, account, tokenSeconds)],
    ...['--listen', new URL(webhookUrl).host, '--webhook-url', webhookUrl, '--access-listen', '127.0.0.1:0'],
    ...[...gates, '--auto-approved-csr-users', bootstrapUser, '--no-leader-election'],
  ])
  const bootstrapKubeconfig = await accountKubeconfig(t, plane, kube, bootstrapAccount, tokenSeconds)
  return { plane, kube, bootstrapKubeconfig, hub }
}
