import { isIP } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { Secret } from '../core/secret.ts'
import { secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { Authority } from '../pki/index.ts'
import { hubService } from '../registration/manifests/hub.ts'
import { hubCaSecret } from '../registration/manifests/hub-rbac.ts'
import type { CertificateSource, ServingCertificate, ServingNames } from '../server/index.ts'
import { issuedBy, selfSigned } from '../server/index.ts'

/** The CA of a hub out of its Secret; undefined when that holds none. */
export function authorityIn(data: Readonly<Record<string, string>> = {}): Authority | undefined {
  const { 'ca.crt': certificate, 'ca.key': key } = data
  const text = (base64: string) => Buffer.from(base64, 'base64').toString()
  return certificate && key ? { certPem: text(certificate), keyPem: Secret.of(text(key)) } : undefined
}

/** Everything the API server may call the hub by. */
export function hubNames(namespace: string, listenHost: string, webhookUrl?: string): ServingNames {
  const service = `${hubService}.${namespace}.svc`
  const hosts = [listenHost, ...(webhookUrl ? [new URL(webhookUrl).hostname.replace(/^\[(.*)\]$/, '$1')] : [])]
  const everywhere = ['0.0.0.0', '::']
  return {
    dnsNames: unique([service, `${service}.cluster.local`, 'localhost', ...hosts.filter((host) => !isIP(host))]),
    ipAddresses: unique(['127.0.0.1', '::1', ...hosts.filter((host) => isIP(host))]).filter(
      (address) => !everywhere.includes(address),
    ),
  }
}

const unique = (names: readonly string[]): string[] => [...new Set(names)]

const lookAgainMs = 60_000
const askAgainMs = 2_000

/**
 * Issued by the CA of the hub. While there is none, or the API server does not answer, the hub serves with a
 * certificate that nobody vouches for and looks again: it starts in any case, and `lanyard init` may come later.
 */
export function hubCertificate(
  kube: Kube,
  { namespace, names, clock, log }: { namespace: string; names: ServingNames; clock: Clock; log: Log },
): CertificateSource {
  let own: Promise<ServingCertificate> | undefined
  const meanwhile = async (ms: number) => {
    own ??= selfSigned({ names, clock })()
    return { ...(await own), renewAt: after(clock.now(), ms) }
  }
  return async () => {
    try {
      const authority = authorityIn((await kube.of(secrets, namespace).find(hubCaSecret, { deadlineMs: 5_000 }))?.data)
      if (authority) return await issuedBy(authority, { names, clock })()
      log.warn({ namespace, name: hubCaSecret }, 'no CA to serve with, so webhooks cannot work; run lanyard init')
      return await meanwhile(lookAgainMs)
    } catch (error) {
      log.warn({ err: error, namespace, name: hubCaSecret }, 'the CA to serve with could not be read')
      return await meanwhile(askAgainMs)
    }
  }
}
