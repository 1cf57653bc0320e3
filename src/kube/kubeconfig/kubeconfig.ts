import { dirname } from 'node:path'
import { Secret } from '../../core/secret.ts'
import type { KubeconfigCluster } from './cluster.ts'
import { clusterOnWire, readCluster } from './cluster.ts'
import { defined } from './defined.ts'
import { failures } from './failures.ts'
import type { Refuse, Rest } from './fields.ts'
import { Fields, restOnWire } from './fields.ts'
import { formatTree, parseTree } from './tree.ts'
import type { KubeconfigUser } from './user.ts'
import { readUser, userOnWire } from './user.ts'

/** A kubeconfig as it stands in its file. Fields Lanyard does not know are kept in `rest` and written back. */
export interface Kubeconfig {
  clusters: readonly Named<KubeconfigCluster>[]
  users: readonly Named<KubeconfigUser>[]
  contexts: readonly Named<KubeconfigContext>[]
  currentContext?: string
  rest?: Rest
}

export interface KubeconfigContext {
  cluster: string
  /** Absent: anonymous. */
  user?: string
  namespace?: string
  rest?: Rest
}

export interface Named<T> {
  name: string
  value: T
  /** Absent on entries that were built, not read. */
  origin?: Origin
  rest?: Rest
}

/** Where an entry was read, for failures and relative paths. */
export interface Origin {
  /** The file, or what else people would look for. */
  source: string
  /** Paths in the entry are relative to this. Absent: it came from no file. */
  folder?: string
  /** e.g. `clusters[2].cluster` */
  field: string
}

/** Where a text comes from: a file, or a name for failures to call it by (`Secret default/west`). */
export type TextSource = { file: string } | { name: string }

export const emptyKubeconfig: Kubeconfig = { clusters: [], users: [], contexts: [] }

/**
 * Reads a kubeconfig, every field checked for its type. References between entries are checked where a context is
 * chosen, as kubectl does: a leftover context must not make the others unusable.
 */
export function parseKubeconfig(text: string | Secret, from: TextSource): Kubeconfig {
  const source = 'file' in from ? from.file : from.name
  const folder = 'file' in from ? dirname(from.file) : undefined
  const parsed = parseTree(typeof text === 'string' ? text : text.reveal())
  if ('notYaml' in parsed) throw failures.KUBECONFIG_NOT_YAML({ source, ...parsed.notYaml })
  const refuse: Refuse = (field, problem) => failures.KUBECONFIG_INVALID({ source, field, problem })
  const document = new Fields(parsed.tree, '', refuse)

  if ((document.text('kind') ?? 'Config') !== 'Config') throw document.refuse('kind', 'must be Config')
  if ((document.text('apiVersion') ?? 'v1') !== 'v1') throw document.refuse('apiVersion', 'must be v1')

  const entries = <T>(list: string, key: string, read: (fields: Fields) => T): Named<T>[] => {
    const firsts = new Map<string, string>()
    return document.list(list).map((entry): Named<T> => {
      const name = entry.text('name')
      if (!name) throw entry.refuse('name', 'is missing')
      const first = firsts.get(name)
      if (first) throw entry.refuse('name', `"${name}" is already the name of ${first}`)
      firsts.set(name, entry.path)
      const fields = entry.fields(key) ?? new Fields({ value: {}, text: {} }, `${entry.path}.${key}`, refuse)
      const value = read(fields)
      return {
        name,
        value,
        ...defined({ origin: defined({ source, folder, field: fields.path }), rest: entry.rest() }),
      }
    })
  }
  return defined({
    clusters: entries('clusters', 'cluster', readCluster),
    users: entries('users', 'user', readUser),
    contexts: entries('contexts', 'context', readContext),
    currentContext: document.text('current-context'),
    rest: document.rest(),
  })
}

/** The text of a kubeconfig: the same for the same content. Secret, because it may hold keys and tokens. */
export function formatKubeconfig(config: Kubeconfig): Secret {
  const entries = <T>(key: string, list: readonly Named<T>[], onWire: (value: T) => unknown) =>
    list.map(({ name, value, rest }) => ({ name, [key]: onWire(value), ...restOnWire(rest) }))
  return Secret.of(
    formatTree({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: entries('cluster', config.clusters, clusterOnWire),
      users: entries('user', config.users, userOnWire),
      contexts: entries('context', config.contexts, contextOnWire),
      'current-context': config.currentContext ?? '',
      ...restOnWire(config.rest),
    }),
  )
}

const readContext = (fields: Fields): KubeconfigContext =>
  defined({
    cluster: fields.text('cluster') ?? '',
    user: fields.text('user'),
    namespace: fields.text('namespace'),
    rest: fields.rest(),
  })

const contextOnWire = ({ cluster, user, namespace, rest }: KubeconfigContext) =>
  defined({ cluster, user: user ?? '', namespace, ...restOnWire(rest) })
