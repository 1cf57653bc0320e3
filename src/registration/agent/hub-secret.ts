import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Keep, Kept, Pass, Pending } from '../../core/pass.ts'
import { Secret } from '../../core/secret.ts'
import type { CertifiedIdentity } from '../../fleet/csr/issuance.ts'
import { certificatePass } from '../../fleet/csr/issuance.ts'
import { agentSubject, isSameSubject } from '../../fleet/csr/request.ts'
import { isAlreadyExists, isNotFound } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Certificate } from '../../pki/index.ts'
import { keyMatches, readCertificate } from '../../pki/index.ts'
import type { HubStanza } from './hub-stanza.ts'
import { formatHubKubeconfig, readHubKubeconfig } from './hub-stanza.ts'

/** What an agent has once it joined a hub. */
export interface HubMaterial extends CertifiedIdentity {
  readonly stanza: HubStanza
}

export interface HubSecretOptions {
  kube: Kube
  namespace: string
  name: string
  cluster: string
  agent: string
}

/** The keys of the Secret that are files as well. */
export const fileKeys = ['tls.key', 'tls.crt', 'cluster-name', 'agent-name', 'kubeconfig'] as const
/** A request on its way, with its key. Ours alone, and no file. */
const pendingKey = 'pending'
/** When the certificate came and is renewed: signers date back, so that the certificate alone cannot tell. */
export const renewalAnnotation = 'lanyard.io/certificate-renewal'

/**
 * The agent's Secret as a keep. Each write is one request, and what others put there stays. Content that is damaged or
 * for another cluster or agent counts as absent: a new certificate replaces it.
 */
export function hubSecretKeep({ kube, namespace, name, cluster, agent }: HubSecretOptions): Keep<HubMaterial> {
  const facts = {
    id: `join/${cluster}`,
    kind: 'join',
    holder: cluster,
    issuer: 'hub',
    keptIn: `secret/${namespace}/${name}`,
  } as const
  const write = (data: Record<string, string | null>, annotations: Record<string, string> = {}) =>
    writeSecret(kube, namespace, name, data, annotations)

  function keptIn({ data = {}, metadata }: SecretObject): Kept<HubMaterial> | undefined {
    if (textOf(data, 'cluster-name') !== cluster || textOf(data, 'agent-name') !== agent) return undefined
    const stanza = readHubKubeconfig(textOf(data, 'kubeconfig') ?? '')
    const [certPem, keyPem] = [textOf(data, 'tls.crt') ?? '', Secret.of(textOf(data, 'tls.key') ?? '')]
    const certificate = readPair(certPem, keyPem)
    if (!stanza || !certificate || !isSameSubject(certificate.subject, agentSubject(cluster, agent))) return undefined
    const pass = certificatePass(facts, certificate, certificate.notBefore)
    const dates = datesOf(metadata?.annotations?.[renewalAnnotation], pass.fingerprint)
    return { pass: { ...pass, ...dates }, material: { certPem, keyPem, stanza } }
  }

  return {
    async load() {
      const secret = await kube.of(secrets, namespace).find(name)
      if (!secret) return {}
      const kept = keptIn(secret)
      const pending = readPending(textOf(secret.data ?? {}, pendingKey))
      return { ...(kept && { kept }), ...(pending && { pending }) }
    },
    savePending: (pending) => write({ [pendingKey]: formatPending(pending) }),
    save: ({ pass, material }) =>
      write(
        {
          kubeconfig: formatHubKubeconfig(material.stanza),
          'cluster-name': cluster,
          'agent-name': agent,
          'tls.crt': material.certPem,
          'tls.key': material.keyPem.reveal(),
          [pendingKey]: null,
        },
        { [renewalAnnotation]: formatDates(pass) },
      ),
  }
}

/** Sets these keys, removes those that are null and leaves the rest; makes the Secret where there is none. */
export async function writeSecret(
  kube: Kube,
  namespace: string,
  name: string,
  texts: Record<string, string | null>,
  annotations: Record<string, string> = {},
): Promise<void> {
  const collection = kube.of(secrets, namespace)
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text === null ? null : Buffer.from(text).toString('base64')]),
  )
  const patch = () => collection.patch(name, { type: 'merge', body: { metadata: { annotations }, data } })
  try {
    await patch()
  } catch (error) {
    if (!isNotFound(error)) throw error
    const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
    const object = { metadata: { name, annotations }, data: present as Record<string, string> }
    await collection.create(object).catch((refused: unknown) => {
      if (isAlreadyExists(refused)) return patch()
      throw refused
    })
  }
}

/** Undefined also for bytes that are no base64 of text. */
export const textOf = (data: Record<string, string>, key: string): string | undefined => {
  const value = data[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
}

function readPair(certPem: string, keyPem: Secret): Certificate | undefined {
  try {
    return keyMatches(certPem, keyPem) ? readCertificate(certPem) : undefined
  } catch {
    return undefined
  }
}

const formatDates = ({ fingerprint, issuedAt, renewAt }: Pass): string =>
  [fingerprint.slice(0, 16), rfc3339(issuedAt), ...(renewAt ? [rfc3339(renewAt)] : [])].join(' ')

/** Nothing for a certificate that somebody else put there. */
function datesOf(text = '', fingerprint: string): Pick<Pass, 'issuedAt' | 'renewAt'> | undefined {
  const [of, ...times] = text.split(' ')
  const [issuedAt, renewAt] = times.map((time) => new Date(time))
  if (of !== fingerprint.slice(0, 16) || !isDate(issuedAt)) return undefined
  return { issuedAt, ...(isDate(renewAt) && { renewAt }) }
}

const isDate = (date: Date | undefined): date is Date => date !== undefined && !Number.isNaN(date.getTime())

const formatPending = ({ material, ...rest }: Pending): string =>
  JSON.stringify({ ...rest, ...(material && { material: material.reveal() }) })

/** A damaged one is forgotten: a new request replaces it. */
function readPending(text: string | undefined): Pending | undefined {
  if (text === undefined) return undefined
  try {
    const { name, createdAt, material, refusals, refused } = JSON.parse(text)
    const pending: Pending = {
      name: String(name),
      createdAt: new Date(createdAt),
      ...(material !== undefined && { material: Secret.of(String(material)) }),
      ...(refusals !== undefined && { refusals: Number(refusals) }),
      ...(refused && { refused: { ...refused, at: new Date(refused.at), retryAt: new Date(refused.retryAt) } }),
    }
    const dates = [pending.createdAt, ...(pending.refused ? [pending.refused.at, pending.refused.retryAt] : [])]
    return dates.every(isDate) ? pending : undefined
  } catch {
    return undefined
  }
}

/** Whether the Secret still says what was put there. */
export const holds = ({ data = {} }: SecretObject, { certPem, keyPem, stanza }: HubMaterial): boolean =>
  textOf(data, 'tls.crt') === certPem &&
  textOf(data, 'tls.key') === keyPem.reveal() &&
  textOf(data, 'kubeconfig') === formatHubKubeconfig(stanza)
