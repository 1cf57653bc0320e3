import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import { bearer } from './authorization.ts'
import type { FoundConnection } from './connection-of.ts'
import { authorityFile, tokenFile, trust } from './credential-files.ts'
import type { Env } from './exec-run.ts'
import { failures } from './failures.ts'
import type { ReadFile } from './files.ts'
import { readIfThere, readTextFile } from './files.ts'

export interface InClusterOptions {
  env: Env
  clock: Clock
  /** Default: from disk. */
  readFile?: ReadFile
  /** Default: nobody. */
  log?: Log
}

const folder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The connection of a pod's own service account. Its token is read again as the kubelet renews it. */
export async function inClusterConnection(options: InClusterOptions): Promise<FoundConnection> {
  const { env, clock, readFile = readTextFile, log = silentLog } = options
  const deps = { clock, readFile, log }
  const server = serverOf(env)
  const isThere = async (name: string) => (await readIfThere(readFile, `${folder}/${name}`)) !== undefined
  if (!(await isThere('token'))) throw failures.KUBECONFIG_NOT_IN_CLUSTER({ missing: `${folder}/token` })
  const token = tokenFile(`${folder}/token`, deps)
  // Without ca.crt the machine's own roots count, as in client-go: the API server may have a public certificate.
  const authority = (await isThere('ca.crt')) ? authorityFile(`${folder}/ca.crt`, deps) : undefined
  await Promise.all([token.current(), authority?.current()])
  return {
    connection: {
      server,
      tls: trust({}, authority),
      credentials: async ({ refresh } = {}) => {
        const [held] = await Promise.all([token.current({ refresh }), authority?.current({ refresh })])
        return bearer(held)
      },
    },
    namespace: await namespaceOf(env, readFile),
    source: 'the service account of this pod',
  }
}

/** Whether the environment says that this is a pod. */
export const isInCluster = (env: Env): boolean =>
  Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT'])

function serverOf(env: Env): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env
  if (!host) throw failures.KUBECONFIG_NOT_IN_CLUSTER({ missing: 'KUBERNETES_SERVICE_HOST' })
  if (!port) throw failures.KUBECONFIG_NOT_IN_CLUSTER({ missing: 'KUBERNETES_SERVICE_PORT' })
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** POD_NAMESPACE, set by the downward API, comes first, as in client-go. */
async function namespaceOf(env: Env, readFile: ReadFile): Promise<string> {
  if (env['POD_NAMESPACE']) return env['POD_NAMESPACE']
  return (await readIfThere(readFile, `${folder}/namespace`))?.trim() || 'default'
}
