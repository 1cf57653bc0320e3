import { writeFile } from 'node:fs/promises'
import { findAssets } from '../../../tools/kube-assets/locate.ts'
import type { Facts } from './access.ts'
import { accessTo, kubeconfigOf, publish } from './access.ts'
import type { ControlPlaneOptions, KubeProgram, OwnControlPlane } from './contract.ts'
import { kubePrograms } from './contract.ts'
import type { GuardedDir } from './guard.ts'
import { createGuardedDir } from './guard.ts'
import { createIdentities, issueForClient, writeSecret } from './identities.ts'
import type { Paths } from './paths.ts'
import { pathsIn } from './paths.ts'
import { Servers } from './servers.ts'

/** Why a real control plane cannot be started here, and what to do. Undefined when it can. */
export const whyNoKube = (env: NodeJS.ProcessEnv): string | undefined =>
  findAssets(env, kubePrograms) ? undefined : `${kubePrograms.join(', ')} are not built; run: npm run kube-assets`

/** A real etcd, kube-apiserver and kube-controller-manager. */
export async function launchKube(options: ControlPlaneOptions, env: NodeJS.ProcessEnv): Promise<OwnControlPlane> {
  const assets = findAssets(env, kubePrograms)
  if (assets === undefined) throw new Error(whyNoKube(env))
  const dir = createGuardedDir()
  const servers = new Servers(assets, pathsIn(dir.path), options)
  try {
    return ownControlPlane(await startAll(servers), servers, dir)
  } catch (error) {
    await servers.endAll()
    dir.remove()
    throw error
  }
}

async function startAll(servers: Servers): Promise<Facts> {
  const { paths, options } = servers
  await writeGivenFiles(paths, options)
  const [identities] = await Promise.all([createIdentities(paths), servers.startEtcd()])
  const { serverCaPem, clientCa, admin } = identities
  const port = await servers.startApiserver(identities)
  const facts: Facts = {
    url: `https://127.0.0.1:${port}`,
    caPem: serverCaPem,
    admin,
    clientCa,
    adminKubeconfigPath: paths.adminKubeconfig,
    auditLogPath: paths.auditLog,
    descriptorPath: paths.descriptor,
  }
  await publish(facts)
  if (options.controllers !== false) {
    const certificate = await issueForClient(clientCa, { commonName: 'system:kube-controller-manager' })
    await writeSecret(paths.controllerManagerKubeconfig, kubeconfigOf(facts, { certificate }))
    await servers.startControllerManager(identities)
  }
  return facts
}

export async function writeGivenFiles(paths: Paths, options: ControlPlaneOptions): Promise<void> {
  const given = {
    [paths.authorizationConfig]: options.authorizationConfig,
    [paths.authenticationConfig]: options.authenticationConfig,
    [paths.tokenWebhookConfig]: options.tokenWebhookConfig,
    [paths.webhookUsers]: options.webhookUsers,
    [paths.admissionConfig]: options.webhookUsers && admissionConfiguration(paths.webhookUsers),
    [paths.auditPolicy]: options.auditPolicy,
    [paths.oidcCa]: options.oidc?.caPem,
  }
  for (const [path, content] of Object.entries(given)) if (content !== undefined) await writeFile(path, content)
}

/** Webhooks of both kinds are shown the users of one kubeconfig. */
export const admissionConfiguration = (kubeConfigFile: string): string => {
  const apiVersion = 'apiserver.config.k8s.io/v1'
  const configuration = { apiVersion, kind: 'WebhookAdmissionConfiguration', kubeConfigFile }
  const plugins = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'].map((name) => ({ name, configuration }))
  return JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins })
}

function ownControlPlane(facts: Facts, servers: Servers, dir: GuardedDir): OwnControlPlane {
  let stopped: Promise<void> | undefined
  const stop = async () => {
    // What fails because a server is gone says ECONNREFUSED and no more: why it went is said here.
    const { faults } = servers
    await servers.endAll()
    dir.remove()
    if (faults.length > 0) throw new Error(faults.join('\n\n'))
  }
  return {
    ...accessTo(facts),
    dir: dir.path,
    programs: servers.programs,
    apiServer: 'kube-apiserver',
    get pids() {
      return servers.pids
    },
    kill: (program, signal = 'SIGKILL') => servers.end(program as KubeProgram, signal),
    start: (program) => servers.start(program as KubeProgram),
    async restart(given) {
      const program = given as KubeProgram | undefined
      if (program) await servers.end(program, 'SIGTERM').then(() => servers.start(program))
      else await servers.endAll().then(() => servers.startAll())
    },
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  }
}
