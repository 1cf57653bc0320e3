import { after } from '../../core/clock.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue } from '../kinds/field-errors.ts'
import type { Action } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { apiVersionOf, splitApiVersion } from '../objects.ts'
import { badRequest, conflict, invalid, notFound } from '../status.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import { timeText } from '../time-text.ts'
import type { BoundTo, Reference } from './bound-objects.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'

interface Spec {
  audiences?: string[]
  expirationSeconds?: number
  boundObjectRef?: Ref | null
}

interface Ref {
  kind?: string
  apiVersion?: string
  name?: string
  uid?: string
}

const about = { group: 'authentication.k8s.io', kind: 'TokenRequest', plural: 'TokenRequest' }

const shortestLifeSeconds = 600
const longestLifeSeconds = 2 ** 32

/**
 * A pod whose token asks for just this has it mounted by default, and may run a program that never reads it again.
 * Such tokens live for a year, and tell from when on they are overdue.
 */
const mountedLifeSeconds = 3607
const extendedLifeSeconds = 365 * 24 * 3600

export interface TokenRequestDeps {
  store: Pick<Store, 'get'>
  tokens: Pick<ServiceAccountTokens, 'issue' | 'audiences'>
}

/** Answers a TokenRequest: `serviceaccounts/token`. */
export const tokenRequestAction =
  ({ store, tokens }: TokenRequestDeps): Action['act'] =>
  async (submitted, account) => {
    const { name = '', namespace = '', uid = '' } = account.metadata
    checkIdentity(submitted, name, uid)
    const spec = (submitted['spec'] ?? {}) as Spec
    const { boundObjectRef: ref, expirationSeconds = 0 } = spec
    const errors = checkLife(expirationSeconds)
    if (errors.length > 0) throw invalid(about, '', errors)

    const anchors = ref ? anchorsOf(ref, account, store) : {}
    const audiences = spec.audiences?.length ? spec.audiences : tokens.audiences
    const isForThisApi = audiences.every((audience) => tokens.audiences.includes(audience))
    const isExtended = anchors.pod !== undefined && expirationSeconds === mountedLifeSeconds && isForThisApi
    const { token, issuedAt } = tokens.issue({
      bound: { namespace, serviceaccount: { name, uid }, ...anchors },
      audiences,
      lifeSeconds: isExtended ? extendedLifeSeconds : expirationSeconds,
      warnAfterSeconds: isExtended ? mountedLifeSeconds : undefined,
    })
    return {
      ...submitted,
      metadata: { ...submitted.metadata, name, namespace, uid, creationTimestamp: timeText(issuedAt) },
      spec: { audiences, expirationSeconds, boundObjectRef: ref ?? null },
      status: { token, expirationTimestamp: timeText(after(issuedAt, expirationSeconds * 1000)) },
    }
  }

/** The request may name the account that it is about; then it must be this one. */
function checkIdentity({ metadata }: ApiObject, name: string, uid: string): void {
  if (metadata.name && metadata.name !== name)
    throw invalid(about, name, [
      invalidValue('metadata.name', metadata.name, 'must match the service account name if specified'),
    ])
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      about,
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    )
}

function checkLife(seconds: number): FieldError[] {
  const wrong = (why: string) => [invalidValue('spec.expirationSeconds', seconds, why)]
  if (seconds < shortestLifeSeconds) return wrong('may not specify a duration less than 10 minutes')
  return seconds > longestLifeSeconds ? wrong('may not specify a duration larger than 2^32 seconds') : []
}

const bindable: Readonly<Record<string, { plural: string; claim: 'pod' | 'secret' | 'node' }>> = {
  Pod: { plural: 'pods', claim: 'pod' },
  Secret: { plural: 'secrets', claim: 'secret' },
  Node: { plural: 'nodes', claim: 'node' },
}

type Anchors = Pick<BoundTo, 'pod' | 'secret' | 'node'>

function anchorsOf(ref: Ref, account: ApiObject, store: Pick<Store, 'get'>): Anchors {
  const { kind = '', apiVersion = '', name = '', uid } = ref
  const { group, version } = splitApiVersion(apiVersion)
  const found = group === '' ? bindable[kind] : undefined
  if (!found) {
    const whole = group === '' ? `/${version}` : apiVersionOf(group, version)
    throw badRequest(`cannot bind token to object of type ${whole}, Kind=${kind}`)
  }
  if (name === '') throw badRequest('Name parameter required.')
  const { plural, claim } = found
  const entry = store.get(plural, claim === 'node' ? '' : (account.metadata.namespace ?? ''), name)
  if (!entry) throw notFound({ group: '', plural }, name)
  const object = parsed<ApiObject & { spec?: { serviceAccountName?: string; nodeName?: string } }>(entry)
  if (claim === 'pod' && object.spec?.serviceAccountName !== account.metadata.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account.metadata.name)} to pod running with different serviceaccount name.`,
    )
  const anchor: Reference = { name, uid: object.metadata.uid ?? '' }
  if (uid && uid !== anchor.uid)
    throw conflict(
      { group: '', plural: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  return { ...(claim === 'pod' && nodeOf(object.spec?.nodeName, store)), [claim]: anchor }
}

function nodeOf(name: string | undefined, store: Pick<Store, 'get'>): Pick<BoundTo, 'node'> {
  if (!name) return {}
  const entry = store.get('nodes', '', name)
  const uid = entry && parsed(entry).metadata.uid
  return { node: { name, ...(uid && { uid }) } }
}
