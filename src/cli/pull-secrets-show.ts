import type { Command } from 'commander'
import { failures } from './failures.ts'
import { formatData } from './output.ts'
import { hintOn } from './print-on.ts'
import type { PullClient } from './pull-secrets-client.ts'
import { PullRefusal } from './pull-secrets-client.ts'
import { openService } from './pull-secrets-server.ts'
import type { ClusterItem, CredentialItem, PoolItem, PullSecretItem, RegistryItem } from './pull-secrets-words.ts'
import { clusterPath } from './pull-secrets-words.ts'
import type { Stop } from './stop-signal.ts'
import type { TableColumn } from './table.ts'
import { formatSpan, formatTable } from './table.ts'

export interface ShowOptions {
  output: 'table' | 'json' | 'yaml'
}

interface GetOptions extends ShowOptions {
  reveal?: boolean
  as: 'docker' | 'secret'
  secretName: string
  secretNamespace?: string
}

export const print = (text: string): void => void process.stdout.write(text)

/** Rows for people, data for programs. */
export function show<Row>(
  output: ShowOptions['output'],
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): void {
  print(output === 'table' ? formatTable(columns, rows) : formatData(output, rows))
}

export async function get(cluster: string, options: GetOptions, command: Command, stop: Stop): Promise<void> {
  if (options.as === 'secret' && !options.reveal) throw failures.PULL_REVEAL_NEEDED()
  const { client, deps } = await openService(command, stop)
  if (options.reveal) {
    const { body } = await client.call<PullSecretItem>('GET', clusterPath(cluster))
    return print(revealed(body, options))
  }
  const credentials = await credentialsOf(client, cluster)
  if (credentials.length === 0) throw failures.PULL_NONE_THERE({ cluster })
  show(options.output, credentials, credentialColumns(deps.clock.now()))
}

/** The document, in the form that was asked for: the only thing here that prints tokens. */
export function revealed({ pull_secret: document }: PullSecretItem, options: Omit<GetOptions, 'reveal'>): string {
  if (options.as === 'docker') {
    return options.output === 'yaml' ? formatData('yaml', document) : `${JSON.stringify(document)}\n`
  }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: options.secretName,
      ...(options.secretNamespace !== undefined && { namespace: options.secretNamespace }),
    },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify(document)).toString('base64') },
  }
  return formatData(options.output === 'json' ? 'json' : 'yaml', secret)
}

/** Metadata only: no token leaves the service for it. */
export async function credentialsOf(client: PullClient, cluster: string): Promise<CredentialItem[]> {
  try {
    return await client.all<CredentialItem>('/credentials', {
      search: `cluster_id = '${cluster.replaceAll("'", "''")}'`,
    })
  } catch (error) {
    if (error instanceof PullRefusal && error.status === 404) return []
    throw error
  }
}

const ago = (time: string, now: Date): string => formatSpan(now.getTime() - Date.parse(time))

const credentialColumns = (now: Date): readonly TableColumn<CredentialItem>[] => [
  { heading: 'REGISTRY', cell: ({ registry_id: id }) => id },
  { heading: 'USERNAME', cell: ({ username }) => username },
  { heading: 'GENERATION', cell: ({ generation }) => String(generation) },
  { heading: 'STATE', cell: ({ state }) => state },
  {
    heading: 'EXPIRES',
    cell: ({ expires_time: time }) => time && `in ${formatSpan(Date.parse(time) - now.getTime())}`,
  },
  { heading: 'AGE', cell: ({ created_time: time }) => ago(time, now) },
]

export async function list(options: ShowOptions, command: Command, stop: Stop): Promise<void> {
  const { client, deps } = await openService(command, stop)
  const rows = await clustersOf(client)
  if (rows.length === 0 && options.output === 'table')
    return hintOn(command)(
      'No cluster has a pull secret yet. `lanyard pull-secrets generate` gives one to a cluster.\n',
    )
  const now = deps.clock.now()
  show(options.output, rows, [
    { heading: 'CLUSTER', cell: ({ cluster_id: id }) => id },
    { heading: 'STATE', cell: ({ state }) => state },
    { heading: 'PROVIDER', cell: ({ cloud_provider: provider }) => provider },
    { heading: 'REGION', cell: ({ region }) => region },
    { heading: 'GENERATION', cell: ({ generation }) => String(generation) },
    { heading: 'ROTATED', cell: ({ last_rotated_time: time }) => time && `${ago(time, now)} ago` },
    { heading: 'AGE', cell: ({ created_time: time }) => ago(time, now) },
  ])
}

/** In the order of their ids: a fleet that grows meanwhile is still walked through once. */
export const clustersOf = (client: PullClient): Promise<ClusterItem[]> =>
  client.all<ClusterItem>('/clusters', { order: 'cluster_id asc' })

export async function pool(
  { verb, registry }: { verb?: string; registry?: string },
  options: ShowOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  if (verb !== undefined && (verb !== 'fill' || registry === undefined)) throw failures.PULL_POOL_VERB()
  const { client } = await openService(command, stop)
  const rows =
    registry === undefined
      ? await client.all<PoolItem>('/pools')
      : [(await client.call<PoolItem>('POST', `/pools/${encodeURIComponent(registry)}/fill`)).body]
  if (rows.every(({ high }) => high === 0) && options.output === 'table')
    return print('There are no pools; `pullSecrets.pool.enabled: true` in lanyard.yaml makes them.\n')
  show(options.output, rows, [
    { heading: 'REGISTRY', cell: ({ registry_id: id }) => id },
    { heading: 'SIZE', cell: ({ size }) => String(size) },
    { heading: 'LOW', cell: ({ low }) => String(low) },
    { heading: 'HIGH', cell: ({ high }) => String(high) },
    { heading: 'STATE', cell: ({ is_low: isLow }) => (isLow ? 'low' : 'ok') },
  ])
}

export async function registries(options: ShowOptions, command: Command, stop: Stop): Promise<void> {
  const { client } = await openService(command, stop)
  show(options.output, await client.all<RegistryItem>('/registries'), [
    { heading: 'ID', cell: ({ id }) => id },
    { heading: 'TYPE', cell: ({ type }) => type },
    { heading: 'HOST', cell: ({ host }) => host },
    { heading: 'CREDENTIAL OF', cell: ({ credential_source: source }) => source },
    { heading: 'REQUIRED', cell: ({ required }) => (required ? 'yes' : 'no') },
  ])
}
