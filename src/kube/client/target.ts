import { isIP } from 'node:net'
import { Secret } from '../../core/secret.ts'
import type { Connection } from '../connection.ts'
import { failures } from '../failures.ts'

export interface ProxyServer {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly authorization: Secret | undefined
}

/** Where the server is: what stays the same for the life of a client, while identities come and go. */
export interface Target {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** `host:port` as in the URL, for the Host header. */
  readonly authority: string
  /** Path before `/api`, without a slash at its end; usually empty. */
  readonly prefix: string
  /** For messages. Without userinfo. */
  readonly shown: string
  readonly loopback: boolean
  readonly proxy: ProxyServer | undefined
}

export function targetOf({ server, proxyUrl }: Pick<Connection, 'server' | 'proxyUrl'>): Target {
  const url = parse(server)
  if (!url) throw failures.KUBE_BAD_CONNECTION({ detail: 'the server is not an http or https URL' })
  const { secure, host, port } = addressOf(url)
  const prefix = url.pathname.replace(/\/+$/, '')
  return {
    secure,
    host,
    port,
    authority: url.host,
    prefix,
    shown: `${url.protocol}//${url.host}${prefix}`,
    loopback: host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.')),
    proxy: proxyUrl && proxyOf(proxyUrl),
  }
}

function proxyOf(secret: Secret): ProxyServer {
  const url = parse(secret.reveal())
  // The URL itself is not shown: it may hold a password.
  if (!url) throw failures.KUBE_BAD_CONNECTION({ detail: 'the proxy is not an http or https URL' })
  const userinfo = `${decoded(url.username)}:${decoded(url.password)}`
  return {
    ...addressOf(url),
    authorization: userinfo === ':' ? undefined : Secret.of(`Basic ${Buffer.from(userinfo).toString('base64')}`),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    const detail = 'the user or password of the proxy holds a % that begins no escape; write it as %25'
    throw failures.KUBE_BAD_CONNECTION({ detail })
  }
}

function parse(text: string): URL | undefined {
  const url = URL.parse(text)
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined
}

function addressOf(url: URL): Pick<ProxyServer, 'secure' | 'host' | 'port'> {
  const secure = url.protocol === 'https:'
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 443 : 80),
  }
}
