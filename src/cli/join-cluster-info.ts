import { createHmac, timingSafeEqual } from 'node:crypto'
import { parse } from 'yaml'
import type { Secret } from '../core/secret.ts'

/** What a hub says of itself in public. */
export interface HubInfo {
  server: string
  ca: string
}

/** Out of the `kubeconfig` of `kube-public/cluster-info`; undefined when it says no CA. */
export function readHubInfo(kubeconfig: string): HubInfo | undefined {
  try {
    const document: unknown = parse(kubeconfig, { maxAliasCount: 0 })
    const { clusters } = document as { clusters?: { cluster?: Record<string, unknown> }[] }
    const { server, 'certificate-authority-data': ca } = clusters?.[0]?.cluster ?? {}
    if (typeof server !== 'string' || typeof ca !== 'string' || ca === '') return undefined
    return { server, ca: Buffer.from(ca, 'base64').toString() }
  } catch {
    return undefined
  }
}

/** The parts of a bootstrap token of Kubernetes; undefined for any other token. */
export function bootstrapTokenParts(token: Secret): { id: string; secret: string } | undefined {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token.reveal()) ?? []
  return id && secret ? { id, secret } : undefined
}

/** Whether whoever wrote it knows the token: a JWS (HS256) without its payload, as the bootstrap signer writes it. */
export function isSignedWith(
  { id, secret }: { id: string; secret: string },
  kubeconfig: string,
  signatures: Readonly<Record<string, string>>,
): boolean {
  const [header = '', payload, signature = ''] = (signatures[`jws-kubeconfig-${id}`] ?? '').split('.')
  if (payload !== '' || !isHs256(header, id)) return false
  const content = `${header}.${Buffer.from(kubeconfig).toString('base64url')}`
  const expected = createHmac('sha256', secret).update(content).digest()
  const given = Buffer.from(signature, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function isHs256(header: string, id: string): boolean {
  try {
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>
    return alg === 'HS256' && kid === id
  } catch {
    return false
  }
}
