import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { user } from '../../src/fleet/manifests/rbac.ts'
import { spokeRbacManifests } from '../../src/fleet/spoke/rbac.ts'
import { clusterRoleBindings, clusterRoles } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { findAssets } from '../../tools/kube-assets/locate.ts'
import { clientAs } from './access-scene.ts'
import { authorizationConfig, rbacAuthorizer } from './authorization-hook.ts'
import type { BreakglassScene } from './breakglass-scene.ts'
import { uniqueName } from './builders.ts'
import type { OwnControlPlane } from './control-plane.ts'
import { startControlPlane } from './control-plane.ts'
import { kubeClient } from './kube-client.ts'
import { lanyard } from './lanyard.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import type { WebhookFront } from './webhook-front.ts'
import { startWebhookFront } from './webhook-front.ts'

/** A cluster whose API server asks the hub, by what `lanyard access webhook-config` printed. */
export interface WebhookSpoke {
  readonly plane: OwnControlPlane
  readonly admin: Kube
  readonly cluster: string
  /** Who the hub is there: somebody whose name no system user has, with the rights that `lanyard reach rbac` prints. */
  readonly hubUser: string
  readonly front: WebhookFront
  /** The folder with the printed files. */
  readonly folder: string
  as(person: string): Promise<Kube>
  /** By RBAC of the cluster itself. */
  let(person: string, rules: PolicyRule[]): Promise<void>
  /** What the person sees: all of its output, and whether it went well. */
  kubectl(person: string, ...args: string[]): Promise<{ ok: boolean; text: string }>
}

export interface WebhookSpokeOptions {
  spec?: Partial<ClusterConfig['spec']>
  auditPolicy?: string
  /** Default: one that notes what is asked. */
  front?: WebhookFront
}

const run = promisify(execFile)

export async function webhookSpoke(
  t: TestScope,
  scene: BreakglassScene,
  { spec = {}, auditPolicy, front: given }: WebhookSpokeOptions = {},
): Promise<WebhookSpoke> {
  const front = given ?? (await startWebhookFront(t, () => scene.url))
  const plane = await startControlPlane(t, {
    controllers: false,
    ...(auditPolicy !== undefined && { auditPolicy }),
    authorizationConfig: authorizationConfig({ type: 'Node', name: 'node' }, rbacAuthorizer),
  })
  const admin = kubeClient(t, plane.connection())
  const hubUser = 'lanyard@example.com'
  for (const { resource, object } of spokeRbacManifests(user(hubUser)))
    await admin.of(resource).apply(object, { fieldManager: 'test', force: true })
  const certificate = await plane.issueClientCertificate({ commonName: hubUser })
  const cluster = await scene.cluster(spec, { kubeconfig: plane.kubeconfig({ certificate }) })
  const folder = tempDir(t)
  await printedInto(t, folder, { scene, cluster, front })
  await writeFile(join(plane.dir, 'authorization.yaml'), await readFile(join(folder, 'authorization-config.yaml')))
  await plane.restart(plane.apiServer)
  return {
    ...{ plane, admin, cluster, hubUser, front, folder },
    as: (person) => clientAs(t, plane, person),
    async let(person, rules) {
      const name = uniqueName('let')
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: person }]
      await admin.of(clusterRoles).create({ metadata: { name }, rules })
      await admin.of(clusterRoleBindings).create({ metadata: { name }, roleRef, subjects })
    },
    kubectl: kubectlOn(t, plane),
  }
}

/** Where it is printed and where it is to be are one folder here: the API server runs on this machine. */
async function printedInto(
  t: TestScope,
  folder: string,
  { scene, cluster, front }: { scene: BreakglassScene; cluster: string; front: WebhookFront },
): Promise<void> {
  const caFile = join(folder, 'ca.crt')
  await writeFile(caFile, front.caPem)
  const where = ['--kubeconfig', scene.plane.adminKubeconfigPath, '--namespace', scene.namespace]
  const hub = ['--url', front.url, '--ca-file', caFile]
  const args = ['access', 'webhook-config', cluster, ...where, ...hub, '--at', folder, '--out', folder]
  const { code, err } = await lanyard(t, args).ended
  if (code !== 0) throw new Error(`webhook-config failed: ${err}`)
}

/** For tests that only kubectl can tell something by. What a laptop lacks is skipped with its reason. */
export const needsKubectl = {
  get skip(): string | false {
    return process.env.CI || findAssets(process.env, ['kubectl'])
      ? false
      : 'kubectl is not built; run: npm run kube-assets'
  },
}

function kubectlOn(t: TestScope, plane: OwnControlPlane): WebhookSpoke['kubectl'] {
  const home = tempDir(t)
  return async (person, ...args) => {
    const program = findAssets(process.env, ['kubectl'])?.path('kubectl')
    if (!program) throw new Error('kubectl is not built; run: npm run kube-assets')
    const kubeconfig = join(home, `${person}.kubeconfig`)
    const certificate = await plane.issueClientCertificate({ commonName: person })
    await writeFile(kubeconfig, plane.kubeconfig({ certificate }), { mode: 0o600 })
    try {
      const { stdout } = await run(program, ['--kubeconfig', kubeconfig, ...args], { env: { HOME: home } })
      return { ok: true, text: stdout }
    } catch (error) {
      return { ok: false, text: String((error as { stderr?: string }).stderr ?? error) }
    }
  }
}
