import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../core/clock.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Keep, Kept, Pass, Pending } from '../../../core/pass.ts'
import { Secret } from '../../../core/secret.ts'
import { fingerprintOf, isSameMoment, readClaims, tokenDates } from '../../../fleet/account-token.ts'
import { datesOf, formatDates, isOfAnother, renewalAnnotation } from '../../../fleet/pass-record.ts'
import { textOf, writeSecret } from '../../../fleet/secret-texts.ts'
import { isNotFound, KubeFailure } from '../../../kube/failures.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import { failures } from './failures.ts'

export interface TokenMaterial {
  readonly token: Secret
  /** Of the account that it is a token of. */
  readonly uid: string
  /** By the hub's clock. */
  readonly expiresAt: Date
}

/** What a pass is besides its dates and its fingerprint. */
export type PassFacts = Pick<Pass, 'id' | 'kind' | 'holder' | 'issuer' | 'keptIn' | 'state'>

export interface TokenSecretOptions {
  kube: Kube
  secret: { readonly namespace: string; readonly name: string }
  labels: Record<string, string>
  cluster: string
  account: string
  /** For the hub at present: what is kept with another one is not for it. */
  kubeconfig: Secret
  facts: PassFacts
  clock: Clock
}

const keys = { token: 'token', expiration: 'expiration', uid: 'service-account-uid', cluster: 'cluster-name' } as const
/** What a certificate leaves there when its add-on comes by token from now on. */
const ofCertificates = { 'tls.crt': null, 'tls.key': null, pending: null }

/**
 * The Secret of an add-on as a keep for its token. One request a write, and what others put there stays. Content that is
 * damaged, incomplete or for something else counts as absent: a new token replaces it.
 */
export function tokenSecretKeep(options: TokenSecretOptions): Keep<TokenMaterial> {
  const { kube, secret, cluster, account, kubeconfig, facts, clock } = options
  const { namespace, name } = secret
  /** Only of a refusal. A request for a token leaves nothing behind that a restart could find again. */
  let pending: Pending | undefined

  function keptIn({ data = {}, metadata }: SecretObject): Kept<TokenMaterial> | undefined {
    const token = Secret.of(textOf(data, keys.token) ?? '')
    const [expiresAt, uid] = [new Date(textOf(data, keys.expiration) ?? ''), textOf(data, keys.uid)]
    const claims = readClaims(token)
    if (!claims || claims.namespace !== cluster || claims.account !== account || claims.uid !== uid) return undefined
    if (!isSameMoment(claims.expiresAt, expiresAt) || textOf(data, keys.cluster) !== cluster) return undefined
    // Changes of a Secret without its labels are not heard of.
    if (Object.entries(options.labels).some(([label, value]) => metadata?.labels?.[label] !== value)) return undefined
    if (!kubeconfig.equals(Secret.of(textOf(data, 'kubeconfig') ?? ''))) return undefined
    const [fingerprint, record] = [fingerprintOf(token), metadata?.annotations?.[renewalAnnotation]]
    // Nobody but the hub can tell whether a signature is good; but that it is not the one that came can be told.
    if (isOfAnother(record, fingerprint)) return undefined
    const dates = tokenDates(claims, datesOf(record, fingerprint), clock.now())
    return { pass: { ...facts, ...dates, fingerprint }, material: { token, uid, expiresAt } }
  }

  return {
    async load() {
      const found = await kube.of(secrets, namespace).find(name)
      const kept = found && keptIn(found)
      return { ...(kept && { kept }), ...(pending && { pending }) }
    },
    async savePending(given) {
      pending = given
    },
    async save({ pass, material }) {
      const texts = {
        [keys.token]: material.token.reveal(),
        [keys.expiration]: rfc3339(material.expiresAt),
        [keys.uid]: material.uid,
        [keys.cluster]: cluster,
        kubeconfig: kubeconfig.reveal(),
        ...ofCertificates,
      }
      try {
        await writeSecret(kube, namespace, name, texts, { [renewalAnnotation]: formatDates(pass) }, options.labels)
      } catch (error) {
        throw notKept(error, namespace, name)
      }
      pending = undefined
    },
  }
}

function notKept(error: unknown, namespace: string, name: string): unknown {
  if (isNotFound(error)) return failures.ADDON_TOKEN_NO_NAMESPACE({ namespace }, error)
  return failures.ADDON_TOKEN_NOT_KEPT({ secret: `${namespace}/${name}`, detail: detailOf(error) }, error)
}

/** Never the text of an answer: whoever is on the way to the server may put into it what was sent. */
export const detailOf = (error: unknown): string => {
  if (error instanceof KubeFailure) return `${error.code} ${error.reason}`
  return isFailure(error) ? error.message : 'unexpected'
}
