import { join } from 'node:path'
import { agentNamespace } from '../../src/fleet/names.ts'
import { bootstrapUser } from '../../src/registration/manifests/bootstrap.ts'
import { hubAccount } from '../../src/registration/manifests/hub-rbac.ts'
import { freePort } from '../../test/support/control-plane/ports.ts'
import { findAssets } from '../../tools/kube-assets/locate.ts'
import type { Running } from './processes.ts'
import { isHealthy, start, until } from './processes.ts'

export const ids = ['lanyard', 'lanyard-webhooks', 'ocm-raised', 'ocm'] as const
export type Id = (typeof ids)[number]

export interface HubOptions {
  kubeconfig: string
  port: number
  /** Clusters of the bootstrap identity are let in without asking. */
  autoApproval: boolean
}

export interface AgentOptions {
  cluster: string
  /** Of the cluster that is managed, where its Secrets are kept too. */
  kubeconfig: string
  bootstrapKubeconfig: string
  /** Of its own. */
  dir: string
}

export const agentId = 'agent1'

/** One side of the comparison. */
export interface Contestant {
  readonly id: Id
  readonly name: string
  /** Who the hub is for the API server; in the hub's namespace. */
  readonly account: string
  readonly hasWebhooks: boolean
  /** Returns when it answers. */
  startHub(options: HubOptions): Promise<Running>
  /** Returns at once. */
  startAgent(options: AgentOptions): Promise<Running>
}

/** @param bundle what dist/ holds @param nodeFlags for a profile */
export function contestants(bundle: string, nodeFlags: readonly string[] = []): Record<Id, Contestant> {
  return {
    lanyard: ours(bundle, 'lanyard', 'Lanyard', nodeFlags),
    'lanyard-webhooks': ours(bundle, 'lanyard-webhooks', 'Lanyard, asked by webhooks', nodeFlags),
    'ocm-raised': ocm('ocm-raised', 'OCM, limits raised', ['--kube-api-qps=10000', '--kube-api-burst=10000']),
    ocm: ocm('ocm', 'OCM as shipped', []),
  }
}

const gate = ['--feature-gates=ManagedClusterAutoApproval=true', `--auto-approved-csr-users=${bootstrapUser}`]

async function answering(hub: Running, port: number): Promise<Running> {
  await until('the hub answers', () => isHealthy(port), { by: hub })
  return hub
}

function ours(bundle: string, id: Id, name: string, nodeFlags: readonly string[]): Contestant {
  const lanyard = (args: readonly string[], flags: readonly string[] = []) =>
    start(process.execPath, [...flags, bundle, ...args])
  return {
    id,
    name,
    account: hubAccount,
    hasWebhooks: id === 'lanyard-webhooks',
    startHub: ({ kubeconfig, port, autoApproval }) =>
      answering(
        lanyard(
          [
            'hub',
            `--kubeconfig=${kubeconfig}`,
            `--listen=127.0.0.1:${port}`,
            '--disable-leader-election',
            ...(autoApproval ? gate : []),
          ],
          nodeFlags,
        ),
        port,
      ),
    startAgent: async ({ cluster, kubeconfig, bootstrapKubeconfig, dir }) =>
      lanyard([
        'agent',
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${agentNamespace}`,
        `--spoke-cluster-name=${cluster}`,
        `--agent-id=${agentId}`,
        `--bootstrap-kubeconfig=${bootstrapKubeconfig}`,
        `--hub-kubeconfig-secret=${cluster}`,
        `--hub-kubeconfig-dir=${join(dir, 'hub')}`,
        '--disable-leader-election',
        `--listen=127.0.0.1:${await freePort()}`,
      ]),
  }
}

function ocm(id: Id, name: string, limits: readonly string[]): Contestant {
  const registration = (role: string, port: number, args: readonly string[]) => {
    const program = findAssets(process.env, ['ocm-registration'])?.path('ocm-registration')
    if (program === undefined) throw new Error('ocm-registration is not built; run: npm run kube-assets')
    return start(program, [role, `--listen=127.0.0.1:${port}`, '--disable-leader-election', ...args])
  }
  return {
    id,
    name,
    account: 'ocm',
    hasWebhooks: false,
    startHub: ({ kubeconfig, port, autoApproval }) =>
      answering(
        registration('controller', port, [
          `--kubeconfig=${kubeconfig}`,
          '--namespace=open-cluster-management-hub',
          ...limits,
          ...(autoApproval ? gate : []),
        ]),
        port,
      ),
    startAgent: async ({ cluster, kubeconfig, bootstrapKubeconfig, dir }) =>
      registration('agent', await freePort(), [
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${agentNamespace}`,
        `--spoke-cluster-name=${cluster}`,
        `--agent-id=${agentId}`,
        `--bootstrap-kubeconfig=${bootstrapKubeconfig}`,
        `--hub-kubeconfig-secret=${cluster}`,
        `--hub-kubeconfig-dir=${join(dir, 'hub')}`,
      ]),
  }
}
