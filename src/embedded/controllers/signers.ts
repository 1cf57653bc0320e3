import type { CertificateRequest, KeyUsage, Usage } from '../../pki/index.ts'

/** Why a signer does not sign a request, in Kubernetes' words; undefined when it does. */
export type SignerCheck = (request: CertificateRequest, usages: readonly string[]) => string | undefined

/** The signers that a cluster comes with and that have a purpose: what each of them signs. */
export const signers: ReadonlyMap<string, SignerCheck> = new Map([
  ['kubernetes.io/kube-apiserver-client', (_, usages) => clientUsageFlaw(usages)],
  ['kubernetes.io/kube-apiserver-client-kubelet', kubeletClientFlaw],
  ['kubernetes.io/kubelet-serving', kubeletServingFlaw],
])

const clientUsages: readonly string[] = ['client auth', 'digital signature', 'key encipherment']

function clientUsageFlaw(usages: readonly string[]): string | undefined {
  const foreign = usages.find((usage) => !clientUsages.includes(usage))
  if (foreign !== undefined) return `invalid usage for client certificate: ${foreign}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}

export function kubeletClientFlaw({ subject, sans }: CertificateRequest, usages: readonly string[]) {
  return firstFlaw(
    [isOfNodes(subject), 'subject organization is not system:nodes'],
    [sans.dnsNames.length === 0, 'DNS subjectAltNames are not allowed'],
    [sans.emails.length === 0, 'Email subjectAltNames are not allowed'],
    [sans.ipAddresses.length === 0, 'IP subjectAltNames are not allowed'],
    [sans.uris.length === 0, 'URI subjectAltNames are not allowed'],
    [isNode(subject), 'subject common name does not begin with system:node:'],
    [isExactly('client auth', usages), 'usages did not match [client auth digital signature key encipherment]'],
  )
}

function kubeletServingFlaw({ subject, sans }: CertificateRequest, usages: readonly string[]) {
  return firstFlaw(
    [isOfNodes(subject), 'subject organization is not system:nodes'],
    [sans.dnsNames.length + sans.ipAddresses.length > 0, 'DNS or IP subjectAltName is required'],
    [sans.emails.length === 0, 'Email subjectAltNames are not allowed'],
    [sans.uris.length === 0, 'URI subjectAltNames are not allowed'],
    [isExactly('server auth', usages), 'usages did not match [digital signature key encipherment server auth]'],
    [isNode(subject), 'subject common name does not begin with system:node:'],
  )
}

type Subject = CertificateRequest['subject']

const isOfNodes = ({ organizations }: Subject): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes'

const isNode = ({ commonName }: Subject): boolean => commonName.startsWith('system:node:')

/** The purpose and signatures; key encipherment may be there. */
const isExactly = (purpose: string, usages: readonly string[]): boolean =>
  usages.includes(purpose) &&
  usages.includes('digital signature') &&
  usages.every((usage) => [purpose, 'digital signature', 'key encipherment'].includes(usage))

const firstFlaw = (...rules: [isKept: boolean, flaw: string][]): string | undefined =>
  rules.find(([isKept]) => !isKept)?.[1]

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const backdateMs = 5 * minuteMs
const shortestMs = 10 * minuteMs
const longestMs = 365 * 24 * hourMs
/** What lives for less gets all of its time from now on; to anything longer the back-dated minutes count. */
const shortLifeMs = 8 * hourMs

/** From when until when a certificate is valid. The authority's own end cuts it. */
export function lifetime(expirationSeconds: number | undefined, now: Date): { notBefore: Date; notAfter: Date } {
  const askedMs = expirationSeconds === undefined ? longestMs : expirationSeconds * 1_000
  const lifeMs = Math.min(Math.max(askedMs, shortestMs), longestMs)
  const endMs = lifeMs < shortLifeMs ? lifeMs : lifeMs - backdateMs
  return { notBefore: new Date(now.getTime() - backdateMs), notAfter: new Date(now.getTime() + endMs) }
}

export function certificateUsages(usages: readonly string[]): { usages: Usage[]; keyUsages: KeyUsage[] } {
  const named = <T>(names: Readonly<Record<string, T>>): T[] =>
    Object.entries(names).flatMap(([name, value]) => (usages.includes(name) ? value : []))
  return {
    usages: named<Usage>({ 'client auth': 'client', 'server auth': 'server' }),
    keyUsages: named<KeyUsage>({ 'digital signature': 'digitalSignature', 'key encipherment': 'keyEncipherment' }),
  }
}
