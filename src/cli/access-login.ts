import type { Command } from 'commander'
import { decodeJwt } from 'jose'
import { Secret } from '../core/secret.ts'
import type { KeptLogin, KeptProvider } from './access-logins.ts'
import { forgetLogin, keepLogin, loginNames, readLogin } from './access-logins.ts'
import type { AccessFlags, LoginWanted } from './access-server.ts'
import { accessPlace, openAccess, sameAccessFlags } from './access-server.ts'
import type { ProviderItem } from './access-words.ts'
import { sessionsPath } from './access-words.ts'
import { failures } from './failures.ts'
import { certificateFile } from './named-file.ts'
import type { CommandDeps } from './open-hub.ts'
import { formatData } from './output.ts'
import { hintOn, printOn, tellOn } from './print-on.ts'
import { printable } from './printable.ts'
import { sameFlags } from './same-flags.ts'
import type { Stop } from './stop-signal.ts'
import { formatSpan } from './table.ts'

export interface LoginOptions extends AccessFlags {
  idp?: string
  idpCa?: string
  output: 'table' | 'json' | 'yaml'
}

/** `lanyard access login`. */
export async function login(options: LoginOptions, command: Command, stop: Stop): Promise<void> {
  const print = printOn(command)
  const { server, ca, data, deps } = await accessPlace(command, stop)
  const { accessClient } = await import('./access-client.ts')
  const client = accessClient({ server, ca, flags: sameAccessFlags(command), signal: stop.signal })
  const found = chosen(providersIn(await client.get('/api/config/idps')), options.idp)
  const idpCa =
    options.idpCa === undefined ? found.certificateAuthority : await certificateFile(options.idpCa, '--idp-ca')
  const provider: KeptProvider = {
    name: found.name,
    issuer: found.authority,
    clientId: found.clientID,
    audience: found.expectedAudience ?? found.clientID,
    ca: idpCa,
  }
  const { deviceLogin } = await import('./access-oidc.ts')
  const tokens = await deviceLogin(
    provider,
    ({ userCode, uri, completeUri, expiresInSeconds }) => {
      // Apart from the result, which a program may read.
      tellOn(command)(
        `Open ${completeUri ?? uri}\nand see that it shows the code ${userCode}. Waiting for ${formatSpan(expiresInSeconds * 1_000)}.\n`,
      )
    },
    { ...deps, signal: stop.signal },
  )
  await keepLogin(data, options.login, { server, ca, provider, ...tokens })
  const who = claimsOf(tokens.bearer)
  if (options.output !== 'table') return print(formatData(options.output, { server, provider: provider.name, ...who }))
  print(`✔ logged in to ${server} as ${who.email ?? who.username ?? who.subject}\n`)
  // Where the hub is, login remembers.
  hintOn(command)(
    `What you may ask for: lanyard access escalations${sameFlags(command, ['data', 'config', 'login'])}\n`,
  )
}

const providersIn = (answer: ProviderItem[] | { idps?: ProviderItem[]; items?: ProviderItem[] }): ProviderItem[] =>
  Array.isArray(answer) ? answer : (answer.idps ?? answer.items ?? [])

function chosen(providers: readonly ProviderItem[], name: string | undefined): ProviderItem {
  const known = providers.map((provider) => provider.name).join(', ')
  const [first, ...others] = providers
  if (!first) throw failures.ACCESS_NO_PROVIDERS()
  if (name === undefined) {
    if (others.length > 0) throw failures.ACCESS_WHICH_PROVIDER({ known })
    return first
  }
  const found = providers.find((provider) => provider.name === name)
  if (!found) throw failures.ACCESS_PROVIDER_UNKNOWN({ name, known })
  return found
}

/** A login that has ended, once more: without a person where the provider gave a refresh token. */
export async function renewLogin(
  kept: KeptLogin,
  { login: name, flags, data, deps }: LoginWanted & { data: string; deps: CommandDeps },
): Promise<Secret> {
  const again = failures.ACCESS_LOGIN_ENDED({ server: kept.server, flags })
  if (kept.refreshToken === undefined) {
    if (new Date(kept.expiresAt) > deps.clock.now()) return Secret.of(kept.bearer)
    throw again
  }
  const { renewedTokens } = await import('./access-oidc.ts')
  const tokens = await renewedTokens(kept.provider, kept.refreshToken, deps)
  if (!tokens) {
    // Another command may have been first, with a token that is good once only.
    const now = await readLogin(data, name)
    if (now && now.bearer !== kept.bearer && new Date(now.expiresAt) > deps.clock.now()) return Secret.of(now.bearer)
    throw again
  }
  await keepLogin(data, name, { ...kept, ...tokens })
  return Secret.of(tokens.bearer)
}

/** `lanyard access logout`. */
export async function logout(options: AccessFlags & { all?: boolean }, command: Command, stop: Stop): Promise<void> {
  const { settings } = await (await import('./settings.ts')).loadSettings(command)
  stop.signal.throwIfAborted()
  const names = options.all ? await loginNames(settings.data) : [options.login]
  const gone = await Promise.all(names.map((name) => forgetLogin(settings.data, name)))
  const count = gone.filter(Boolean).length
  printOn(command)(
    count === 0 ? 'You were not logged in.\n' : `✔ ${count === 1 ? 'the login is' : `${count} logins are`} forgotten\n`,
  )
}

/** `lanyard access whoami`: what the token says, once the hub has taken it. */
export async function whoami(options: LoginOptions, command: Command, stop: Stop): Promise<void> {
  const print = printOn(command)
  const { client, token, server, deps } = await openAccess(command, stop)
  const { total } = await client.get<{ total?: number }>(sessionsPath, { mine: 'true', activeOnly: 'true' })
  const claims = claimsOf(token.reveal())
  const rows = { server, ...claims, liveSessions: total ?? 0 }
  if (options.output !== 'table') return print(formatData(options.output, rows))
  const left = claims.expiresAt && formatSpan(new Date(claims.expiresAt).getTime() - deps.clock.now().getTime())
  const lines: [string, string | undefined][] = [
    ['Who', claims.email ?? claims.username ?? claims.subject],
    ['Username', claims.username],
    ['Groups', claims.groups.join(', ') || 'none'],
    ['Issuer', claims.issuer],
    ['Hub', server],
    ['Token', left && `good for ${left}`],
    ['Live sessions', String(total ?? 0)],
  ]
  for (const [label, value] of lines) if (value) print(`${`${label}:`.padEnd(15)} ${printable(value)}\n`)
}

function claimsOf(token: string) {
  const claims = decodeOr(token)
  const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string) : undefined)
  const groups = Array.isArray(claims['groups']) ? claims['groups'].map(String) : []
  const { exp } = claims
  return {
    email: text('email'),
    username: text('preferred_username'),
    subject: text('sub'),
    issuer: text('iss'),
    groups,
    expiresAt: typeof exp === 'number' ? new Date(exp * 1_000).toISOString() : undefined,
  }
}

function decodeOr(token: string): Record<string, unknown> {
  try {
    return decodeJwt(token)
  } catch {
    return {}
  }
}
