import type { PodSecurityOverrides } from '../../apis/breakglass/pod-security-fields.ts'
import type { Clause } from './clause.ts'
import { namespaceOf } from './clause.ts'
import type { PolicyFacts, PolicyRequest, PolicyVerdict } from './contract.ts'
import type { PodFacts } from './pod-security.ts'
import type { Entry } from './shelf.ts'

export interface Evaluation {
  readonly request: PolicyRequest
  readonly facts: PolicyFacts
  readonly signal: AbortSignal
  readonly overrides: readonly PodSecurityOverrides[]
  /** Whether what it warns of was told already. */
  isQuiet?(entry: Entry): boolean
}

interface RequestFacts extends PodFacts {
  isNamespaced(): Promise<boolean | undefined>
}

const passes: PolicyVerdict = { denied: false, warnings: [] }

/** The first entry that refuses, by rank. Asks the cluster only once it comes to one that cannot be decided without. */
export function firstRefusal(found: Entry[], evaluation: Evaluation): PolicyVerdict | Promise<PolicyVerdict> {
  if (found.length === 0) return passes
  const { request } = evaluation
  const entries = ordered(found)
  for (const [at, entry] of entries.entries()) {
    if (!entry.holdsIn(request)) continue
    if ('pods' in entry.part) return refusalByFacts(entries.slice(at), evaluation)
    const fit = entry.part.clause.fits(request)
    if (fit === 'yes') return refusedBy(entry, entry.part.clause.because(request))
    if (fit !== 'no') return refusalByFacts(entries.slice(at), evaluation)
  }
  return passes
}

async function refusalByFacts(entries: readonly Entry[], evaluation: Evaluation): Promise<PolicyVerdict> {
  const { request, overrides } = evaluation
  const facts = askedOnce(evaluation)
  askTogether(entries, evaluation, facts)
  const warnings: string[] = []
  for (const entry of entries) {
    if (!entry.holdsIn(request)) continue
    if ('pods' in entry.part) {
      const verdict = await entry.part.pods.judge(request, facts, overrides)
      if (verdict.action === 'deny') return refusedBy(entry, verdict.says)
      if (verdict.action === 'warn' && !evaluation.isQuiet?.(entry))
        warnings.push(`policy ${entry.policy}: ${verdict.says}`)
      continue
    }
    const { clause } = entry.part
    const fit = clause.fits(request)
    if (fit === 'no') continue
    if (fit === 'yes') return refusedBy(entry, clause.because(request))
    const holds = fit === 'scope' ? await facts.isNamespaced() : await byLabels(clause, facts)
    if (holds === undefined) return { ...refusedBy(entry, unreadable(request)), isError: true }
    if (holds) return refusedBy(entry, clause.because(request))
  }
  return warnings.length === 0 ? passes : { denied: false, warnings }
}

/** Where both may be needed they are waited for at the same time: one after the other there may be no time for the second. */
function askTogether(entries: readonly Entry[], { request, overrides }: Evaluation, facts: PodFacts): void {
  const asked = { pod: false, labels: false }
  for (const { part, holdsIn } of entries) {
    if (!holdsIn(request)) continue
    const { pod, labels } =
      'pods' in part
        ? part.pods.asksFor(request, overrides)
        : { pod: false, labels: part.clause.fits(request) === 'labels' }
    asked.pod ||= pod
    asked.labels ||= labels
  }
  if (!asked.pod || !asked.labels) return
  void facts.pod()
  void facts.labels()
}

const refusedBy = ({ policy }: Entry, because: string) => ({ denied: true, policy, because }) as const

async function byLabels(clause: Clause, facts: PodFacts): Promise<boolean | undefined> {
  const labels = await facts.labels()
  return labels && clause.byLabels(labels)
}

function unreadable({ resource }: PolicyRequest): string {
  const { group = '', resource: kind = '' } = resource ?? {}
  const namespace = resource ? namespaceOf(resource) : ''
  if (namespace !== '') return `it goes by the labels of namespace ${namespace}, which could not be read`
  const name = group === '' ? kind : `${kind}.${group}`
  return `it is for namespaces, and the cluster does not say whether ${name} are in any`
}

/** By rank, each once. */
function ordered(found: Entry[]): readonly Entry[] {
  if (found.length < 2) return found
  found.sort((one, other) => one.rank - other.rank)
  return found.filter(({ rank }, at) => rank !== found[at - 1]?.rank)
}

/** Each question at most once a request, and a failure to answer it is no answer. */
function askedOnce({ request, facts, signal }: Evaluation): RequestFacts {
  const { name = '', group = '', resource = '' } = request.resource ?? {}
  const namespace = request.resource ? namespaceOf(request.resource) : ''
  const pod = once(() => facts.pod(namespace, name, signal))
  const labels = once(() => facts.namespaceLabels(namespace, signal))
  const isNamespaced = once(() => facts.isNamespaced(group, resource, signal))
  return { pod, labels, isNamespaced }
}

function once<V>(ask: () => Promise<V | undefined>): () => Promise<V | undefined> {
  let asked: Promise<V | undefined> | undefined
  return () => {
    asked ??= (async () => ask())().catch(() => undefined)
    return asked
  }
}
