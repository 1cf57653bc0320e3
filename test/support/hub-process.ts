import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from '../../src/core/secret.ts'
import { agentNamespace, hubNamespace } from '../../src/fleet/names.ts'
import { deployments, serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { freePort } from './control-plane/ports.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Running } from './lanyard.ts'
import { lanyard } from './lanyard.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'

/** What `lanyard init -o json` prints. */
export interface Invited {
  'hub-token': string
  'hub-apiserver': string
  'ca-pins': string[]
  'join-command': string
  'hub-command': string
  warnings: string[]
}

export interface PreparedHub {
  webhookUrl: string
  /** Fresh tokens come from `lanyard token`. */
  invited: Invited
}

/** `lanyard init`, with webhooks that `hubProcess` will answer. */
export async function prepareHub(t: TestScope, plane: ControlPlane, ...flags: string[]): Promise<PreparedHub> {
  const webhookUrl = `https://127.0.0.1:${await freePort()}`
  const args = ['init', '--kubeconfig', plane.adminKubeconfigPath, '--webhook-url', webhookUrl, '-o', 'json', ...flags]
  const { code, out, err } = await lanyard(t, args).ended
  if (code !== 0) throw new Error(`lanyard init: ${err}`)
  return { webhookUrl, invited: JSON.parse(out) }
}

/** `lanyard hub` as it would run in the cluster: with the rights of its account and no others. */
export async function hubProcess(
  t: TestScope,
  plane: ControlPlane,
  kube: Kube,
  { webhookUrl }: Pick<PreparedHub, 'webhookUrl'>,
  ...flags: string[]
): Promise<Running> {
  const kubeconfig = await accountKubeconfig(t, plane, kube, {
    namespace: hubNamespace,
    name: 'registration-controller-sa',
  })
  const listen = new URL(webhookUrl).host
  const where = ['--listen', listen, '--webhook-url', webhookUrl, '--access-listen', '127.0.0.1:0']
  const hub = lanyard(t, ['hub', '--kubeconfig', kubeconfig, ...where, ...flags])
  await hub.says('are served')
  return hub
}

/**
 * The agent that `lanyard join` installed, started as a kubelet would: with the arguments of its Deployment and the
 * rights of its account. No Secret is mounted, so it reads its bootstrap kubeconfig from the API.
 */
export async function agentProcess(
  t: TestScope,
  plane: ControlPlane,
  kube: Kube,
  namespace: string = agentNamespace,
  ...flags: string[]
): Promise<Running> {
  const { spec } = await kube.of(deployments, namespace).get('lanyard-agent')
  const [container] = spec?.template.spec?.containers ?? []
  const own = ['--hub-kubeconfig-dir=', '--listen=']
  const args = (container?.args ?? []).filter((arg) => !own.some((flag) => arg.startsWith(flag)))
  const kubeconfig = await accountKubeconfig(t, plane, kube, { namespace, name: 'lanyard-agent' })
  const more = ['--kubeconfig', kubeconfig, '--hub-kubeconfig-dir', join(tempDir(t), 'hub')]
  return lanyard(t, [...args, ...more, ...flags])
}

/** A file with a token of this service account. */
export async function accountKubeconfig(
  t: TestScope,
  plane: ControlPlane,
  kube: Kube,
  { namespace, name }: { namespace: string; name: string },
  expirationSeconds = 3_600,
): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } }
  const { status } = await kube
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status: { token: string } }>(name, 'token', review)
  const path = join(tempDir(t), 'kubeconfig')
  await writeFile(path, plane.kubeconfig({ token: Secret.of(status.token) }), { mode: 0o600 })
  return path
}
