import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { ownDomain } from '../../core/own-domain.ts'
import type { Keep, Kept, Pass } from '../../core/pass.ts'
import { Secret } from '../../core/secret.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Certificate } from '../../pki/index.ts'
import { keyMatches, readCertificate } from '../../pki/index.ts'
import { datesOf, formatDates, formatPending, readPending, renewalAnnotation } from '../pass-record.ts'
import { textOf, writeSecret } from '../secret-texts.ts'
import type { CertifiedIdentity } from './issuance.ts'
import { certificatePass } from './issuance.ts'

/** What a Secret holds, as its keep looks at it. */
export interface SecretContent {
  /** Undefined where there is no such key. */
  text(key: string): string | undefined
  annotation(name: string): string | undefined
}

export interface CertificateKeepOptions<M extends CertifiedIdentity> {
  kube: Kube
  namespace: string
  name: string
  facts: Pick<Pass, 'id' | 'kind' | 'holder' | 'issuer' | 'keptIn'>
  /** The pair with what else is kept beside it; undefined for what is damaged or somebody else's. */
  materialIn(content: SecretContent, identity: CertifiedIdentity, certificate: Certificate): M | undefined
  /** The keys besides the pair; null removes one. */
  textsOf(material: M): Record<string, string | null>
  /** Somebody finds the Secret by them: they are put back where they were taken off a good one. */
  labels?: Record<string, string>
  /** Written with the material. */
  annotations?: Record<string, string>
  /**
   * Stands for all that is asked for. A pending request of anything else is forgotten, with the pause after its refusal:
   * whoever puts the order right need not wait for that. Default: every request is of this one order.
   */
  order?: string
}

/** What the pending request beside it is for. */
const orderAnnotation = `${ownDomain}/certificate-order`

/** A request on its way, with its key. */
const pendingKey = 'pending'

/**
 * A Secret with a certificate and its key as a keep. Each write is one request, and what others put there stays. Content
 * that does not fit counts as absent: a new certificate replaces it.
 */
export function certificateKeep<M extends CertifiedIdentity>(options: CertificateKeepOptions<M>): Keep<M> {
  const { kube, namespace, name, facts } = options

  function keptIn({ data = {}, metadata }: SecretObject): Kept<M> | undefined {
    const content: SecretContent = {
      text: (key) => textOf(data, key),
      annotation: (annotation) => metadata?.annotations?.[annotation],
    }
    const identity = { certPem: content.text('tls.crt') ?? '', keyPem: Secret.of(content.text('tls.key') ?? '') }
    const certificate = readPair(identity)
    const material = certificate && options.materialIn(content, identity, certificate)
    if (!material) return undefined
    const pass = certificatePass(facts, certificate, certificate.notBefore)
    return { pass: { ...pass, ...datesOf(content.annotation(renewalAnnotation), pass.fingerprint) }, material }
  }

  return {
    async load() {
      const secret = await kube.of(secrets, namespace).find(name)
      if (!secret) return {}
      const kept = keptIn(secret)
      if (kept && !hasLabels(secret, options.labels)) await writeSecret(kube, namespace, name, {}, {}, options.labels)
      const isOfThisOrder = secret.metadata.annotations?.[orderAnnotation] === options.order
      const pending = isOfThisOrder ? readPending(textOf(secret.data ?? {}, pendingKey)) : undefined
      return { ...(kept && { kept }), ...(pending && { pending }) }
    },
    savePending: (pending) =>
      writeSecret(
        kube,
        namespace,
        name,
        { [pendingKey]: formatPending(pending) },
        options.order === undefined ? {} : { [orderAnnotation]: options.order },
        options.labels,
      ),
    save: ({ pass, material }) =>
      writeSecret(
        kube,
        namespace,
        name,
        {
          ...options.textsOf(material),
          'tls.crt': material.certPem,
          'tls.key': material.keyPem.reveal(),
          [pendingKey]: null,
        },
        { ...options.annotations, [renewalAnnotation]: formatDates(pass) },
        options.labels,
      ),
  }
}

const hasLabels = ({ metadata }: SecretObject, wanted: Record<string, string> = {}): boolean =>
  Object.entries(wanted).every(([label, value]) => metadata?.labels?.[label] === value)

function readPair({ certPem, keyPem }: CertifiedIdentity): Certificate | undefined {
  try {
    return keyMatches(certPem, keyPem) ? readCertificate(certPem) : undefined
  } catch {
    return undefined
  }
}
