import type { Authorizer } from '../authorization/attributes.ts'
import type { Registry, Served } from '../kinds/registry.ts'
import type { Labels } from '../select/label-selector.ts'
import type { ApiFailure } from '../status.ts'
import { notFound } from '../status.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { Admitted, WriteTarget } from './admission.ts'
import { refused } from './admission.ts'
import { evaluateConditions } from './match-conditions.ts'
import type { Candidate } from './matching.ts'
import { candidateOf, namespaceOf, selectsNamespace, selectsObject } from './matching.ts'
import type { ReviewRequest } from './review.ts'
import { reviewRequest } from './review.ts'
import type { Shown, Versions } from './versions.ts'
import { equivalentsOf } from './versions.ts'
import type { WebhookIndex, WebhookType } from './webhooks.ts'
import { isAboutWebhooks } from './webhooks.ts'

const nobody: readonly Candidate[] = []

/** Finds out whom to ask about a write. */
export interface Selection {
  /** By rules alone. Nobody, and at once, where no webhook is configured. */
  candidates(type: WebhookType, target: WriteTarget): readonly Candidate[]
  /** What to ask a candidate; undefined when this write is none of its business. Throws when that cannot be told. */
  questionFor(candidate: Candidate, write: Admitted, versions: Versions): Promise<Question | undefined>
}

export interface Question {
  readonly request: ReviewRequest
  readonly shown: Shown
}

export interface SelectionDeps {
  store: Store
  registry: Registry
  authorizer: Authorizer
  index: WebhookIndex
}

export function createSelection({ store, registry, authorizer, index }: SelectionDeps): Selection {
  const candidates = rememberCandidates(registry, index)
  const labelsOf = (name: string): Labels => {
    const entry = store.get('namespaces', '', name)
    if (!entry) throw notFound({ group: '', plural: 'namespaces' }, name)
    return parsed(entry).metadata.labels ?? {}
  }

  return {
    candidates,
    async questionFor({ webhook, served }, write, versions) {
      if (!selectsNamespace(webhook, { ...write, object: versions.own.object }, labelsOf)) return undefined
      if (!selectsObject(webhook, versions.own)) return undefined
      const shown = await versions.as(served)
      const request = reviewRequest(write, versions.own, served, shown)
      if (webhook.conditions.length > 0) {
        const values = { object: shown.object ?? null, oldObject: shown.old ?? null, request }
        const asking = { authorizer, user: write.user, resource: resourceOf(write) }
        const outcome = await evaluateConditions(webhook.conditions, values, asking)
        if ('errors' in outcome) {
          if (webhook.ignoresFailure) return undefined
          throw unclear(write, outcome.errors)
        }
        if (!outcome.verdict) return undefined
      }
      return { request, shown }
    },
  }
}

/** As it was requested, however the webhook is shown it. */
const resourceOf = (write: Admitted) => ({
  group: write.served.kind.group,
  resource: write.served.kind.plural,
  subresource: write.subresource,
  namespace: namespaceOf(write),
  name: write.name,
})

const unclear = (write: Admitted, errors: string): ApiFailure => refused(write, errors)

/** The rules are gone through once for each kind of write, until a configuration changes. */
function rememberCandidates(registry: Registry, index: WebhookIndex): Selection['candidates'] {
  let generation: object | undefined
  let known = new WeakMap<Served, Map<string, readonly Candidate[]>>()
  return (type, target) => {
    const webhooks = index.webhooks(type)
    if (webhooks.length === 0) return nobody
    if (generation !== index.generation) {
      generation = index.generation
      known = new WeakMap()
    }
    const { served, operation, subresource } = target
    const ofKind = known.get(served) ?? new Map<string, readonly Candidate[]>()
    known.set(served, ofKind)
    const key = `${type} ${operation} ${subresource}`
    let found = ofKind.get(key)
    if (found === undefined) {
      const equivalents = equivalentsOf(registry, served, subresource)
      found = isAboutWebhooks(target)
        ? nobody
        : webhooks.flatMap((webhook) => candidateOf(webhook, target, equivalents) ?? [])
      ofKind.set(key, found)
    }
    return found
  }
}
