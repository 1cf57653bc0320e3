import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Keep, Kept, Pass, Pending } from '../../core/pass.ts'
import { Secret } from '../../core/secret.ts'
import { fingerprintOf, readClaims, tokenDates } from '../../fleet/account-token.ts'
import { datesOf, formatDates, isOfAnother, renewalAnnotation } from '../../fleet/pass-record.ts'
import { textOf } from '../../fleet/secret-texts.ts'
import { handoverAccount, handoverSecret, secretKeys } from '../../fleet/spoke/names.ts'
import { KubeFailure } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { failures } from './failures.ts'
import type { ClusterAddress } from './kubeconfig.ts'
import { formatHandover, tokenIn } from './kubeconfig.ts'

export interface HandedToken {
  readonly token: Secret
  /** Of the account that it is a token of. */
  readonly uid: string
}

export type PassFacts = Pick<Pass, 'id' | 'kind' | 'holder' | 'issuer' | 'keptIn' | 'state'>

export interface ShelfOptions {
  hub: Kube
  cluster: string
  /** Of the account. */
  namespace: string
  address: ClusterAddress
  facts: PassFacts
  clock: Clock
}

const [kubeconfigKey] = secretKeys.kubeconfig

/**
 * The Secret on the hub as a keep: nothing of what is handed over is kept anywhere else. One request a write. Content
 * that is damaged, or for another address or account, counts as absent: a new token replaces it.
 */
export function handoverShelf(options: ShelfOptions): Keep<HandedToken> {
  const { hub, cluster, namespace, address, facts, clock } = options
  /** Only of a refusal. A request for a token leaves nothing behind that a restart could find again. */
  let pending: Pending | undefined
  const shelf = hub.of(secrets, cluster)

  function keptIn({ data = {}, metadata }: SecretObject): Kept<HandedToken> | undefined {
    const kubeconfig = Secret.of(textOf(data, kubeconfigKey) ?? '')
    const token = tokenIn(kubeconfig)
    const claims = token && readClaims(token)
    if (!claims || claims.namespace !== namespace || claims.account !== handoverAccount) return undefined
    if (!formatHandover(cluster, address, token).equals(kubeconfig)) return undefined
    const [fingerprint, record] = [fingerprintOf(token), metadata?.annotations?.[renewalAnnotation]]
    if (isOfAnother(record, fingerprint)) return undefined
    const dates = tokenDates(claims, datesOf(record, fingerprint), clock.now())
    return { pass: { ...facts, ...dates, fingerprint }, material: { token, uid: claims.uid } }
  }

  return {
    async load() {
      const found = await shelf.find(handoverSecret)
      const kept = found && keptIn(found)
      return { ...(kept && { kept }), ...(pending && { pending }) }
    },
    async savePending(given) {
      pending = given
    },
    async save({ pass, material }) {
      const value = Buffer.from(formatHandover(cluster, address, material.token).reveal()).toString('base64')
      const body = {
        metadata: { annotations: { [renewalAnnotation]: formatDates(pass) } },
        data: { [kubeconfigKey]: value },
      }
      // Never made: the hub makes it when it wants it, and an agent may not.
      await shelf.patch(handoverSecret, { type: 'merge', body }).catch((error: unknown) => {
        throw failures.HANDOVER_NOT_KEPT({ secret: `${cluster}/${handoverSecret}`, detail: detailOf(error) })
      })
      pending = undefined
    },
  }
}

/** Takes back what is there. Nothing where the hub has no such Secret, or does not let the agent at it. */
export async function clearShelf(hub: Kube, cluster: string, signal: AbortSignal): Promise<void> {
  const body = { data: { [kubeconfigKey]: null } }
  await hub
    .of(secrets, cluster)
    .patch(handoverSecret, { type: 'merge', body }, { signal })
    .catch((error: unknown) => {
      if (!(error instanceof KubeFailure && [403, 404].includes(error.code))) throw error
    })
}

/** Never the text of an answer, nor the answer itself: whoever is on the way to the hub may put into it what was sent. */
const detailOf = (error: unknown): string => {
  if (error instanceof KubeFailure) return `${error.code} ${error.reason}`
  return isFailure(error) ? error.code : 'unexpected'
}
