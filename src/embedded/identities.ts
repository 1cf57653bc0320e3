import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import { replaceFile } from '../core/replace-file.ts'
import { Secret } from '../core/secret.ts'
import type { Authority, CertifiedKey, KeyPair, SubjectInput, Usage } from '../pki/index.ts'
import {
  createAuthority,
  generateKey,
  issueCertificate,
  publicKeyOf,
  readCertificate,
  whyUntrusted,
} from '../pki/index.ts'

/** Whom a control plane trusts. Servers and clients have authorities of their own, so that one is never taken for the other. */
export interface Identities {
  readonly serverCa: Authority
  readonly clientCa: Authority
  readonly server: CertifiedKey
  /** In group system:masters. */
  readonly admin: CertifiedKey
  /** Signs the tokens of service accounts. */
  readonly serviceAccounts: KeyPair
}

const dayMs = 24 * 3_600_000
const backdateMs = 5 * 60_000
const authorityLifeMs = 3_650 * dayMs
const leafLifeMs = 365 * dayMs
/** A certificate that ends sooner is replaced at the next start. */
const renewBeforeMs = 90 * dayMs

const dnsNames = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]
const ipAddresses = ['127.0.0.1', '::1', '10.0.0.1']
/** All addresses there are: nobody reaches it under these. */
const everywhere = ['0.0.0.0', '::']

function serverNames(host: string) {
  if (isIP(host) === 0) return { dnsNames: [...new Set([...dnsNames, host])], ipAddresses }
  return { dnsNames, ipAddresses: [...new Set([...ipAddresses, host])].filter((ip) => !everywhere.includes(ip)) }
}

type ServerNames = ReturnType<typeof serverNames>

/** Those that a folder holds; what is missing, or about to end, is made. Kept under `pki/`, readable by its owner only. */
export async function ensureIdentities(dir: string, clock: Clock, host: string): Promise<Identities> {
  const files = join(dir, 'pki')
  const authority = (name: string, commonName: string) =>
    kept(join(files, name), () => createAuthority({ commonName, clock, lifetimeMs: authorityLifeMs }))
  const [serverCa, clientCa] = await Promise.all([
    authority('server-ca', 'lanyard-kube-server-ca'),
    authority('client-ca', 'lanyard-kube-client-ca'),
  ])
  const leaf = (name: string, issuer: Authority, subject: SubjectInput, usage: Usage, sans?: ServerNames) =>
    kept(
      join(files, name),
      () => issue(clock, issuer, subject, usage, sans),
      ({ certPem }) => isFresh(certPem, clock) && isFrom(issuer, certPem, clock, usage) && namesAll(certPem, sans),
    )
  const [server, admin, serviceAccounts] = await Promise.all([
    leaf('server', serverCa, { commonName: 'kube-apiserver' }, 'server', serverNames(host)),
    leaf('admin', clientCa, { commonName: 'kubernetes-admin', organizations: ['system:masters'] }, 'client'),
    keptKey(join(files, 'service-accounts')),
  ])
  return { serverCa, clientCa, server, admin, serviceAccounts }
}

const isFresh = (certPem: string, clock: Clock): boolean =>
  readCertificate(certPem).notAfter.getTime() - clock.now().getTime() > renewBeforeMs

/** One of an authority that is no more is of no use. */
const isFrom = (issuer: Authority, certPem: string, clock: Clock, usage: Usage): boolean =>
  whyUntrusted(certPem, issuer.certPem, clock.now(), { usage }) === undefined

const namesAll = (certPem: string, wanted: ServerNames | undefined): boolean => {
  if (!wanted) return true
  const { sans } = readCertificate(certPem)
  return (
    wanted.ipAddresses.every((address) => sans.ipAddresses.includes(address)) &&
    wanted.dnsNames.every((name) => sans.dnsNames.includes(name))
  )
}

async function issue(
  clock: Clock,
  issuer: Authority,
  subject: SubjectInput,
  usage: Usage,
  sans?: ServerNames,
): Promise<CertifiedKey> {
  const { keyPem, publicKeyPem } = generateKey()
  const terms = {
    usages: [usage],
    notBefore: after(clock.now(), -backdateMs),
    notAfter: after(clock.now(), leafLifeMs),
  }
  const certPem = await issueCertificate(issuer, { subject, publicKeyPem, ...(sans && { sans }) }, terms)
  return { certPem, keyPem }
}

/** Certificate and key in one file, so that no crash can leave a key beside another's certificate. */
async function kept(
  path: string,
  make: () => Promise<CertifiedKey>,
  isGood: (held: CertifiedKey) => boolean = () => true,
): Promise<CertifiedKey> {
  const text = await readIfThere(`${path}.pem`)
  if (text !== undefined) {
    const held = split(text)
    if (held && isGood(held)) return held
  }
  const made = await make()
  await replaceFile(`${path}.pem`, `${made.certPem.trimEnd()}\n${made.keyPem.reveal().trimEnd()}\n`)
  return made
}

function split(text: string): CertifiedKey | undefined {
  const at = text.indexOf('-----BEGIN PRIVATE KEY-----')
  return at < 0 ? undefined : { certPem: text.slice(0, at), keyPem: Secret.of(text.slice(at)) }
}

async function keptKey(path: string): Promise<KeyPair> {
  const text = await readIfThere(`${path}.pem`)
  if (text !== undefined) return { keyPem: Secret.of(text), publicKeyPem: publicKeyOf(Secret.of(text)) }
  const made = generateKey()
  await replaceFile(`${path}.pem`, made.keyPem.reveal())
  return made
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
