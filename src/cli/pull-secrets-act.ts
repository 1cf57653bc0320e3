import type { Command } from 'commander'
import { listOf } from './flag-values.ts'
import { formatData } from './output.ts'
import { hintOn } from './print-on.ts'
import { openService, sameFlags } from './pull-secrets-server.ts'
import type { ShowOptions } from './pull-secrets-show.ts'
import { print, revealed } from './pull-secrets-show.ts'
import type { ProgressItem, PullSecretItem } from './pull-secrets-words.ts'
import { clusterPath } from './pull-secrets-words.ts'
import type { Stop } from './stop-signal.ts'

interface GenerateOptions extends ShowOptions {
  provider: string
  region: string
  externalId?: string
  registries?: string
  reveal?: boolean
}

interface ReasonOptions {
  reason?: string
  output: 'table' | 'json'
}

export async function generate(cluster: string, options: GenerateOptions, command: Command, stop: Stop): Promise<void> {
  const { client } = await openService(command, stop)
  const { status, body } = await client.call<PullSecretItem>('POST', clusterPath(cluster), {
    body: {
      cloud_provider: options.provider,
      region: options.region,
      ...(options.externalId !== undefined && { external_resource_id: options.externalId }),
      ...(options.registries !== undefined && { registries: listOf(options.registries) }),
    },
  })
  if (options.reveal) return print(revealed(body, { as: 'docker', secretName: '', output: options.output }))
  const isNew = status === 201
  if (options.output !== 'table') return print(formatData(options.output, { ...withoutTokens(body), created: isNew }))
  const hosts = Object.keys(body.pull_secret.auths)
  const what = isNew ? 'got its pull secret' : 'has its pull secret already'
  print(`✔ ${cluster} ${what} for ${hosts.length} registries: ${hosts.join(', ')}\n`)
  hintOn(command)(`See it: lanyard pull-secrets get ${cluster} --reveal${sameFlags(command)}\n`)
}

export const withoutTokens = ({ pull_secret: { auths }, ...rest }: PullSecretItem) => ({
  ...rest,
  hosts: Object.keys(auths),
})

export async function suspend(cluster: string, options: ReasonOptions, command: Command, stop: Stop): Promise<void> {
  const { client } = await openService(command, stop)
  const path = `${clusterPath(cluster)}/suspend`
  const { body } = await client.call<ProgressItem>('POST', path, { body: { reason: options.reason } })
  tellProgress(cluster, body, options, command, {
    done: 'is suspended: its credentials are gone',
    going: 'is being suspended',
  })
}

export async function resume(cluster: string, options: ReasonOptions, command: Command, stop: Stop): Promise<void> {
  const { client } = await openService(command, stop)
  const path = `${clusterPath(cluster)}/resume`
  const { body } = await client.call<Omit<PullSecretItem, 'pull_secret'>>('POST', path, {
    body: { reason: options.reason },
  })
  if (options.output === 'json') return print(formatData('json', body))
  print(`✔ ${cluster} is resumed and has its credentials\n`)
  hintOn(command)(`See them: lanyard pull-secrets get ${cluster}${sameFlags(command)}\n`)
}

export async function remove(cluster: string, options: ReasonOptions, command: Command, stop: Stop): Promise<void> {
  const { client, deps } = await openService(command, stop)
  if (options.reason !== undefined) deps.log.info({ cluster, reason: options.reason }, 'deleting a pull secret')
  const { body } = await client.call<ProgressItem | undefined>('DELETE', clusterPath(cluster))
  tellProgress(cluster, body ?? {}, options, command, {
    done: 'has no credentials any more',
    going: 'is losing its credentials',
  })
}

/** What has not happened outside yet goes on in the service. */
function tellProgress(
  cluster: string,
  { registries = [] }: ProgressItem,
  { output }: ReasonOptions,
  command: Command,
  words: { done: string; going: string },
): void {
  const pending = registries.filter(({ state }) => state === 'pending').map(({ registry_id: id }) => id)
  if (output === 'json') print(formatData('json', { cluster_id: cluster, registries }))
  else if (pending.length === 0) print(`✔ ${cluster} ${words.done}\n`)
  else {
    print(`… ${cluster} ${words.going}: ${pending.join(', ')} did not answer, the service goes on trying\n`)
    hintOn(command)(`Look again: lanyard pull-secrets get ${cluster}${sameFlags(command)}\n`)
  }
}
