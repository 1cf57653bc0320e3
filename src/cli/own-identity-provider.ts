import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { replaceFile } from '../core/replace-file.ts'
import { Secret } from '../core/secret.ts'
import type { DemoIdentityProvider } from '../demo/identity-provider/index.ts'
import { accountOf, makeSigningKey, startIdentityProvider } from '../demo/identity-provider/index.ts'
import { createAuthority, generateKey, issueCertificate } from '../pki/index.ts'
import type { PersonName } from './own-people.ts'
import { people, peopleClientId } from './own-people.ts'

/** The identity provider of our own clusters: what a company has, and what they trust. */
export interface OwnIdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** Who vouches for it, PEM. */
  readonly caPem: string
  /** The hub. Its other client is what people log in by. */
  readonly clientId: string
  readonly clientSecret: Secret
  /** As if this person had logged in on this machine. */
  logInFor(person: PersonName): Promise<{ bearer: Secret; refreshToken: Secret }>
}

/** What outlives a restart, so that nobody has to be told anything new. */
interface Kept {
  caPem: string
  certPem: string
  keyPem: string
  signingKey: string
  clientSecret: string
  port: number
  /** RFC 3339. */
  expiresAt: string
}

const host = '127.0.0.1'
const clientId = 'lanyard-hub'
const dayMs = 86_400_000
const lifeMs = 3_650 * dayMs
const renewBeforeMs = 365 * dayMs

/** Starts it from a folder, on the port it had before where that is free. */
export async function startOwnIdentityProvider(
  dir: string,
  deps: { clock: Clock; log: Log },
): Promise<OwnIdentityProvider> {
  const path = join(dir, 'identity-provider.json')
  const kept = (await keptIn(path, deps.clock)) ?? (await make(deps.clock))
  const clientSecret = Secret.of(kept.clientSecret)
  const start = (port: number): Promise<DemoIdentityProvider> =>
    startIdentityProvider({
      ...deps,
      ...{ host, port },
      certificate: { certPem: kept.certPem, keyPem: Secret.of(kept.keyPem) },
      signingKey: Secret.of(kept.signingKey),
      clients: [
        { id: clientId, secret: clientSecret },
        { id: peopleClientId, forPeople: true },
      ],
      people: Object.values(people),
    })
  const provider = await start(kept.port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    return start(0)
  })
  const { issuer } = provider
  const port = Number(new URL(issuer).port)
  if (port !== kept.port) await replaceFile(path, JSON.stringify({ ...kept, port } satisfies Kept))
  const { caPem } = kept
  return {
    ...{ issuer, caPem, clientId, clientSecret },
    async logInFor(person) {
      const who = { audience: peopleClientId, ...accountOf(people[person]) }
      const [bearer, refreshToken] = await Promise.all([
        provider.accessToken(who),
        provider.offlineToken({ ...who, client: peopleClientId }),
      ])
      return { bearer, refreshToken }
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}

async function keptIn(path: string, clock: Clock): Promise<Kept | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const kept: Kept | undefined = text === undefined ? undefined : JSON.parse(text)
  return kept && new Date(kept.expiresAt).getTime() - clock.now().getTime() > renewBeforeMs ? kept : undefined
}

async function make(clock: Clock): Promise<Kept> {
  const [authority, signingKey] = await Promise.all([
    createAuthority({ commonName: 'lanyard-identity-provider', clock, lifetimeMs: lifeMs }),
    makeSigningKey(),
  ])
  const { keyPem, publicKeyPem } = generateKey()
  const notAfter = after(clock.now(), lifeMs)
  const certPem = await issueCertificate(
    authority,
    { subject: { commonName: 'lanyard-identity-provider' }, publicKeyPem, sans: { ipAddresses: [host] } },
    { usages: ['server'], notBefore: after(clock.now(), -300_000), notAfter },
  )
  return {
    caPem: authority.certPem,
    certPem,
    keyPem: keyPem.reveal(),
    signingKey: signingKey.reveal(),
    clientSecret: randomBytes(24).toString('base64url'),
    port: 0,
    expiresAt: notAfter.toISOString(),
  }
}
