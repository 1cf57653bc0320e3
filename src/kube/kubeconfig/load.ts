import { delimiter, join, resolve } from 'node:path'
import type { ConnectionDeps, FoundConnection } from './connection-of.ts'
import { connectionOf } from './connection-of.ts'
import { defined } from './defined.ts'
import { failures } from './failures.ts'
import type { ReadFile } from './files.ts'
import { readIfThere, readTextFile } from './files.ts'
import { inClusterConnection, isInCluster } from './in-cluster.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { parseKubeconfig } from './kubeconfig.ts'
import { mergeKubeconfigs } from './merge.ts'

export interface LoadOptions extends ConnectionDeps {
  /** What `--kubeconfig` names. */
  path?: string
  /** What `--context` names. */
  context?: string
  /** Home folder of the user. Absent: nothing is looked for there. */
  home?: string
}

/**
 * The connection a person means: the given file, else the files of KUBECONFIG, else ~/.kube/config, else the pod's own
 * service account. A KUBECONFIG whose files are all missing ends the search: to go on would act on another cluster.
 */
export async function loadConnection(options: LoadOptions): Promise<FoundConnection> {
  const { path, context, env, home, readFile = readTextFile } = options
  if (path !== undefined) {
    const config = await readKubeconfig(path, readFile)
    if (!config) throw failures.KUBECONFIG_MISSING({ path })
    return connectionOf(config, { ...options, source: path })
  }

  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  if (listed.length > 0) {
    const config = await readKubeconfigs(listed, readFile)
    if (config) return connectionOf(config, { ...options, source: listed.join(', ') })
    throw failures.KUBECONFIG_NOTHING_FOUND({ tried: `KUBECONFIG names ${listed.join(', ')}: no such file` })
  }

  const tried = ['KUBECONFIG is not set']
  if (home !== undefined) {
    const file = join(home, '.kube', 'config')
    const config = await readKubeconfig(file, readFile)
    if (config && config.contexts.length > 0) return connectionOf(config, { ...options, source: file })
    tried.push(config ? `${file} has no contexts` : `${file} does not exist`)
  }
  if (context === undefined && isInCluster(env)) return inClusterConnection(defined({ ...options }))
  tried.push(isInCluster(env) ? `a pod's service account has no context "${context}"` : 'this is no pod')
  throw failures.KUBECONFIG_NOTHING_FOUND({ tried: tried.join('; ') })
}

/** A kubeconfig file; undefined when there is none. Relative paths in it will be those of its folder. */
export async function readKubeconfig(path: string, readFile: ReadFile = readTextFile): Promise<Kubeconfig | undefined> {
  const file = resolve(path)
  const text = await readIfThere(readFile, file)
  return text === undefined ? undefined : parseKubeconfig(text, { file })
}

/** Several files as one. Those that do not exist are passed over; undefined when none does. */
async function readKubeconfigs(paths: readonly string[], readFile: ReadFile): Promise<Kubeconfig | undefined> {
  const configs = await Promise.all([...new Set(paths)].map((path) => readKubeconfig(path, readFile)))
  const found = configs.filter((config) => config !== undefined)
  return found.length > 0 ? mergeKubeconfigs(found) : undefined
}
