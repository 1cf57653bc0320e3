import { resolve } from 'node:path'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { systemRandom } from '../core/random.ts'
import { Secret } from '../core/secret.ts'
import type { AccessClient } from './access-client.ts'
import { hubUrl } from './access-flag-values.ts'
import type { KeptLogin } from './access-logins.ts'
import { defaultLogin, readAccessServer, readLogin } from './access-logins.ts'
import { failures } from './failures.ts'
import { certificateFile, readNamed } from './named-file.ts'
import type { CommandDeps } from './open-hub.ts'
import { sameFlags } from './same-flags.ts'
import { loadSettings, withSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

/** Flags of the commands that talk to the hub as a person. */
export const withAccessFlags = (command: Command, taken?: readonly string[]): Command =>
  withSettings(
    command,
    { kubeconfig: null, context: null, namespace: null, data: 'Folder of your logins, and of a hub on this machine.' },
    taken,
  )
    .option('--server <url>', 'where the hub is (default: as at login, else as the data folder says)', hubUrl)
    .option('--ca <file>', 'who vouches for it, PEM (default: the same)')
    .option('--login <name>', 'which of your logins, where you keep several', defaultLogin)
    .option('--token-file <file>', 'a file with a token of your identity provider, in place of a login')

export interface AccessFlags {
  server?: string
  ca?: string
  login: string
  tokenFile?: string
}

/** The flags by which a command was told where everything is and who asks, for one that is to be run after it. */
export const sameAccessFlags = (command: Command): string =>
  sameFlags(command, ['data', 'config', 'server', 'ca', 'login', 'token-file'])

export interface AccessPlace {
  server: string
  ca: string | undefined
  /** Absolute. */
  data: string
  deps: CommandDeps
}

/** Where the hub is, for who has not said who they are yet. */
export async function accessPlace(
  command: Command,
  stop: Stop,
): Promise<AccessPlace & { kept: KeptLogin | undefined }> {
  const { settings, log } = await loadSettings(command)
  const flags = command.opts<AccessFlags>()
  const deps: CommandDeps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const data = resolve(settings.data)
  const kept = await readLogin(data, flags.login)
  const own = await readAccessServer(data)
  const server = flags.server ?? kept?.server ?? own?.url
  if (server === undefined) throw failures.ACCESS_SERVER_UNKNOWN({ data })
  const given = flags.ca === undefined ? undefined : await certificateFile(flags.ca, '--ca')
  const ofServer = server === kept?.server ? kept.ca : undefined
  return { server, ca: given ?? ofServer ?? (server === own?.url ? own.ca : undefined), data, deps, kept }
}

export interface OpenAccess extends AccessPlace {
  client: AccessClient
  token: Secret
  /** Of the command, for the next one. */
  flags: string
}

/** The hub as the person that the flags of a command name. Renews a login that is about to end. */
export async function openAccess(command: Command, stop: Stop): Promise<OpenAccess> {
  const { kept, ...place } = await accessPlace(command, stop)
  const { login, tokenFile } = command.opts<AccessFlags>()
  const flags = sameAccessFlags(command)
  const token =
    tokenFile === undefined
      ? await tokenOf(kept, { ...place, login, flags })
      : Secret.of((await readNamed(tokenFile, '--token-file')).trim())
  const { accessClient } = await import('./access-client.ts')
  return { ...place, token, flags, client: accessClient({ ...place, token, flags, signal: stop.signal }) }
}

export interface LoginWanted {
  login: string
  /** Of the command, for the one that logs in. */
  flags: string
}

/** A minute before its end: a command takes a while, and clocks differ. */
const renewBeforeMs = 60_000

async function tokenOf(kept: KeptLogin | undefined, place: AccessPlace & LoginWanted): Promise<Secret> {
  const { login, flags, server, data, deps } = place
  if (!kept) throw failures.ACCESS_NOT_LOGGED_IN({ server, flags })
  // A token is for the hub it was got for: another must not be shown it by a mistyped address.
  if (kept.server !== server) throw failures.ACCESS_LOGIN_ELSEWHERE({ login, server, kept: kept.server })
  if (new Date(kept.expiresAt).getTime() - deps.clock.now().getTime() > renewBeforeMs) return Secret.of(kept.bearer)
  const { renewLogin } = await import('./access-login.ts')
  return await renewLogin(kept, { login, flags, data, deps })
}
