/** Where docker, podman and kubelet change a password for a token to pull with, as the Docker registry token protocol says. */
import { createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { BasicCredentials } from './basic.ts'
import { basicOf } from './basic.ts'
import type { Ask, Reply } from './serving.ts'

/** Makes tokens that a registry accepts which trusts the certificate (its `rootcertbundle`). Its key is on P-256. */
export interface TokenIssuer {
  /** Both as the configuration of the registry has them. */
  issuer: string
  service: string
  certPem: string
  keyPem: string
  /** Who may push besides. Accounts of the stand-in only pull. */
  pusher?: BasicCredentials
}

export interface TokenDoor {
  logsIn(username: string, token: string): boolean
  clock: Clock
  /** Absent: the token says nothing, and no registry accepts it. */
  tokens?: TokenIssuer
}

const lifetimeSeconds = 60

interface Access {
  type: string
  name: string
  actions: string[]
}

export function tokenEndpoint({ headers, query }: Ask, { logsIn, clock, tokens }: TokenDoor): Reply {
  const client = basicOf(headers.authorization)
  const isPusher = (asked: BasicCredentials) =>
    tokens?.pusher?.username === asked.username && tokens.pusher.password === asked.password
  if (!client || !(isPusher(client) || logsIn(client.username, client.password))) return refused
  if (!tokens) return { status: 200, body: { token: 'for-pulling' } }
  const allowed = isPusher(client) ? ['pull', 'push'] : ['pull']
  const now = clock.now()
  const token = signed(tokens, {
    iss: tokens.issuer,
    sub: client.username,
    aud: query.get('service') ?? tokens.service,
    iat: seconds(now),
    nbf: seconds(now) - 5,
    exp: seconds(now) + lifetimeSeconds,
    jti: randomUUID(),
    access: query.getAll('scope').flatMap((scope) => accessOf(scope, allowed)),
  })
  return {
    status: 200,
    body: { token, access_token: token, expires_in: lifetimeSeconds, issued_at: now.toISOString() },
  }
}

const refused: Reply = {
  status: 401,
  body: { errors: [{ code: 'UNAUTHORIZED', message: 'Invalid username or password' }] },
  headers: { 'www-authenticate': 'Basic realm="registry"' },
}

const seconds = (at: Date): number => Math.floor(at.getTime() / 1_000)

/** `repository:some/image:pull,push`; the name may hold a port and so colons. What is not allowed is left out, not refused. */
function accessOf(scope: string, allowed: readonly string[]): Access[] {
  const [type = '', ...rest] = scope.split(':')
  const actions = (rest.pop() ?? '').split(',').filter((action) => allowed.includes(action))
  return type === 'repository' && actions.length > 0 ? [{ type, name: rest.join(':'), actions }] : []
}

function signed({ certPem, keyPem }: TokenIssuer, claims: Record<string, unknown>): string {
  const x5c = [new X509Certificate(certPem).raw.toString('base64')]
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const content = `${part({ typ: 'JWT', alg: 'ES256', x5c })}.${part(claims)}`
  const key = { key: createPrivateKey(keyPem), dsaEncoding: 'ieee-p1363' as const }
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}
