import type { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import { passBy } from '../../../core/checkpoint.ts'
import type { Condition } from '../../../core/conditions.ts'
import { isTrue } from '../../../core/conditions.ts'
import { isFailure } from '../../../core/failure.ts'
import { isAlreadyExists, isConflict } from '../../../kube/failures.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Note, OidcWay, Trust } from '../contract.ts'
import { failures } from '../failures.ts'
import { spokeConditions } from '../names.ts'
import { confirmedOn, takeAwayConfirmation } from './confirmation.ts'
import type { Decision } from './decide.ts'
import { decideTrust } from './decide.ts'
import type { TrustDeps } from './deps.ts'
import type { Offer } from './judge.ts'
import { isVouchedFor } from './judge.ts'
import type { Look } from './look.ts'
import { faultText, lookAt } from './look.ts'
import type { Kept, PinPlace, PinRecord } from './pin.ts'
import { detailOf, placeOf, readPin, writePin } from './pin.ts'

export interface Trusted {
  readonly trust: Trust
  readonly notes: readonly Note[]
}

/** How often another replica may be faster at the same Secret before that is strange. */
const mostTries = 5

/**
 * How the API server of a cluster is trusted. A CA that is kept is taken without a look at the server: whoever calls it
 * verifies. Throws SPOKE_TRUST_FAILED, SPOKE_TRUST_CHANGED, SPOKE_UNVOUCHED, SPOKE_UNREACHABLE or one about a Secret.
 */
export async function trustOf(
  config: Stored<ClusterConfig>,
  way: OidcWay,
  deps: TrustDeps,
  signal?: AbortSignal,
): Promise<Trusted> {
  if (way.trust.insecure) return { trust: { source: 'Insecure' }, notes: [] }
  const log = deps.log.child({
    cluster: config.metadata.name,
    namespace: config.metadata.namespace,
    server: way.server,
  })
  const confirmed = confirmedOn(config, log)
  const question = { config, way, confirmed, deps: { ...deps, log }, place: placeOf(config, way), signal }
  for (let tries = 1; ; tries += 1) {
    const answer = await settle(question)
    if (answer) return answer
    if (tries === mostTries) throw notKept(question, 'others keep changing it')
  }
}

interface Question {
  readonly config: Stored<ClusterConfig>
  readonly way: OidcWay
  /** By a person: the fingerprint of a CA. */
  readonly confirmed: string | undefined
  readonly deps: TrustDeps
  readonly place: PinPlace
  readonly signal: AbortSignal | undefined
}

/** Undefined when somebody else wrote meanwhile: to be asked again, as what they wrote counts. */
async function settle(question: Question): Promise<Trusted | undefined> {
  const { config, way, confirmed, deps, place, signal } = question
  const record = await readPin(deps.kube, place, signal)
  const known = {
    kept: record.kept,
    confirmed,
    mayTrustFirst: way.trust.firstUse ?? deps.settings().trustOnFirstUse,
    systemVouchedBefore: systemVouchedBefore(config, way),
    trustedBefore: trustedBefore(config, way),
  }
  const decision = decideTrust({ ...known, offer: undefined })
  if (decision.do !== 'look') return follow(decision, question, record)
  const look = await lookAt(way.server, deps, signal)
  const offer = offerOf(look, question)
  const vouchedByKept = record.kept !== undefined && isVouchedFor(look.captured, record.kept.pem, deps.clock.now())
  return follow(decideTrust({ ...known, offer: { ...offer, vouchedByKept } }), question, record, offer)
}

/** A status of an older spec, by which nothing worked, says nothing: there the system was not asked, or said no. */
function systemVouchedBefore({ metadata, status }: Stored<ClusterConfig>, { server }: OidcWay): boolean {
  if (status?.tls?.source !== 'System' || status.server !== server) return false
  const conditions = status.conditions as Condition[] | undefined
  return isTrue(conditions, spokeConditions.ready) || status.observedGeneration === metadata.generation
}

/** Also where nothing came of it since: what was trusted once is what people compared. */
function trustedBefore({ status }: Stored<ClusterConfig>, { server }: OidcWay): string | undefined {
  return status?.tls?.source === 'FirstUse' && status.server === server ? status.tls.fingerprint : undefined
}

function offerOf({ judgement }: Look, { way: { server } }: Question): Offer {
  if ('fault' in judgement) throw failures.SPOKE_TRUST_FAILED({ server, detail: faultText(judgement.fault) })
  return judgement.offer
}

async function follow(
  decision: Decision,
  question: Question,
  record: PinRecord,
  offer?: Offer,
): Promise<Trusted | undefined> {
  const { config, way, confirmed, deps, signal } = question
  const params = { server: way.server, cluster: config.metadata.name, offered: offer?.fingerprint }
  switch (decision.do) {
    case 'use-system':
      return { trust: { source: 'System', ...(deps.roots && { ca: deps.roots().join('\n') }) }, notes: [] }
    case 'refuse-changed':
      throw failures.SPOKE_TRUST_CHANGED({ ...params, fingerprint: decision.onRecord })
    case 'refuse-unvouched':
      throw failures.SPOKE_UNVOUCHED(params)
    case 'pin':
      return offer && pin(question, record, offer)
    case 'use-kept':
      if (record.kept?.fingerprint === confirmed) await takeAwayConfirmation(config, deps, signal)
      return record.kept && { trust: trustIn(record.kept), notes: [] }
    case 'look':
      return undefined
  }
}

const trustIn = ({ by, pem, fingerprint }: Kept): Trust => ({
  source: by === 'person' ? 'Secret' : 'FirstUse',
  ca: pem,
  fingerprint,
})

/** Kept before it is used: killed in between, the next start reads it. */
async function pin(question: Question, record: PinRecord, offer: Offer): Promise<Trusted | undefined> {
  const { config, way, confirmed, deps, place, signal } = question
  const { kube, log, clock, checkpoint = passBy } = deps
  const { subject, issuer, notBefore, notAfter, fingerprint } = offer
  try {
    await writePin(kube, place, record, offer.pem, clock.now(), signal)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (isConflict(error) || isAlreadyExists(error)) return undefined
    if (isFailure(error, 'KUBE_READ_ONLY')) throw onlyLooked(question, fingerprint)
    throw notKept(question, detailOf(error), error)
  }
  checkpoint('reach-trust.pinned')
  const secret = `${place.namespace}/${place.name}`
  const fields = { fingerprint, subject, issuer, notBefore, notAfter, keptIn: secret }
  const trust: Trust = { source: 'FirstUse', ca: offer.pem, fingerprint }
  const onRecord = record.kept?.fingerprint ?? trustedBefore(config, way)
  if (confirmed !== fingerprint && onRecord === fingerprint) {
    log.info(fields, 'the CA that was trusted before is kept again')
    return { trust, notes: [] }
  }
  if (confirmed !== fingerprint) {
    log.info(fields, 'a CA that nobody vouches for is trusted on first use')
    return { trust, notes: [{ kind: 'first-use', fingerprint, secret }] }
  }
  const before = onRecord ?? 'none'
  log.info({ ...fields, before }, 'a CA that a person confirmed is trusted')
  await takeAwayConfirmation(config, deps, signal)
  return { trust, notes: [{ kind: 'replaced', fingerprint, before }] }
}

const onlyLooked = ({ way: { server } }: Question, fingerprint: string) =>
  failures.SPOKE_TRUST_FAILED({
    server,
    detail: `it shows one with SHA-256 ${fingerprint}, which the hub would keep, and this is only a look`,
  })

const notKept = ({ way: { server }, place: { namespace, name } }: Question, detail: string, cause?: unknown) =>
  failures.SPOKE_TRUST_FAILED({ server, detail: `it cannot be kept in Secret ${namespace}/${name}: ${detail}` }, cause)
