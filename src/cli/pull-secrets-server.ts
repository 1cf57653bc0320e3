import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { systemRandom } from '../core/random.ts'
import { failures } from './failures.ts'
import type { CommandDeps } from './open-hub.ts'
import type { PullClient } from './pull-secrets-client.ts'
import { sameFlags as flagsGiven } from './same-flags.ts'
import { loadSettings, withSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

/** Where the service keeps what belongs to it, below the data folder. */
export const pullFolder = (data: string): string => join(resolve(data), 'pull-secrets')
export const operatorTokenIn = (data: string): string => join(pullFolder(data), 'operator-token')
/** Says where the service of this data folder is to be found. */
export const serverFileIn = (data: string): string => join(pullFolder(data), 'server.json')

export interface ServerFile {
  url: string
  pid: number
}

const nothingOfKubernetes = { kubeconfig: null, context: null, namespace: null }

/** Flags of the commands that talk to the service. */
export const withServiceFlags = (command: Command): Command =>
  withSettings(command, { ...nothingOfKubernetes, data: 'Folder of the service, for its address and its token.' })
    .option('--server <url>', 'where the service is (default: as the data folder says)')
    .option('--token-file <file>', 'a file with a token (default: the operator token in the data folder)')
    .option('--ca-file <file>', 'who vouches for the server, PEM')

/** Flags of the commands that work on the data folder and the database themselves. */
export const withLocalFlags = (command: Command): Command => withSettings(command, nothingOfKubernetes)

/** The flags by which a command was told where everything is, for one that is to be run after it. */
export const sameFlags = (command: Command): string =>
  flagsGiven(command, ['data', 'config', 'server', 'token-file', 'ca-file', 'key-ring-file', 'database-url-file'])

interface ServiceFlags {
  server?: string
  tokenFile?: string
  caFile?: string
}

export interface OpenService {
  client: PullClient
  deps: CommandDeps
  /** Absolute. */
  data: string
}

/** The service that the flags of a command name. */
export async function openService(command: Command, stop: Stop): Promise<OpenService> {
  const { settings, log } = await loadSettings(command)
  const flags = command.opts<ServiceFlags>()
  const deps: CommandDeps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const { pullClient, tokenIn } = await import('./pull-secrets-client.ts')
  const server = flags.server ?? (await serverOf(settings.data))
  const token = await tokenIn(flags.tokenFile ?? operatorTokenIn(settings.data), '--token-file')
  const ca = flags.caFile === undefined ? undefined : await readCa(flags.caFile)
  const client = pullClient({ server, token, signal: stop.signal, ...(ca !== undefined && { ca }) })
  return { client, deps, data: resolve(settings.data) }
}

async function serverOf(data: string): Promise<string> {
  try {
    return (JSON.parse(await readFile(serverFileIn(data), 'utf8')) as ServerFile).url
  } catch (error) {
    throw failures.PULL_SERVER_UNKNOWN({ data: resolve(data) }, error)
  }
}

const readCa = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw failures.FILE_UNREADABLE({ path, flag: '--ca-file', detail: error.code }, error)
  })
