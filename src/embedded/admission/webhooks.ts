import type { LabelSelector, SelectorObject } from '../select/label-selector.ts'
import { selectorOf } from '../select/label-selector.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { WriteTarget } from './admission.ts'
import type { Rule } from './matching.ts'
import type { WebhookClientConfig } from './webhook-client.ts'

export type WebhookType = 'mutating' | 'validating'

/** A webhook as its configuration has it, with all that is left out filled in. */
export interface Webhook {
  readonly type: WebhookType
  readonly configuration: string
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly timeoutMs: number
  readonly rules: readonly Rule[]
  readonly takesEquivalent: boolean
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly conditions: readonly string[]
  /** What becomes of a write when the webhook cannot be asked. */
  readonly ignoresFailure: boolean
  readonly hasSideEffects: boolean
  /** Of the AdmissionReview, in the order of preference. */
  readonly reviewVersions: readonly string[]
  readonly isReinvocable: boolean
}

/** What a configuration holds, as far as it is read here. Defaults are set when it is written. */
interface Written {
  name: string
  clientConfig: WebhookClientConfig
  rules?: Rule[]
  failurePolicy?: string
  matchPolicy?: string
  namespaceSelector?: SelectorObject
  objectSelector?: SelectorObject
  matchConditions?: { expression: string }[]
  sideEffects?: string
  timeoutSeconds?: number
  admissionReviewVersions?: string[]
  reinvocationPolicy?: string
}

const group = 'admissionregistration.k8s.io'
const storages = {
  mutating: `mutatingwebhookconfigurations.${group}`,
  validating: `validatingwebhookconfigurations.${group}`,
} as const

const configurationPlurals = new Set(Object.values(storages).map((storage) => storage.split('.')[0]))

/** Whether a write is about webhooks: no webhook may stand between an administrator and the webhooks. */
export const isAboutWebhooks = ({ served }: Pick<WriteTarget, 'served'>): boolean =>
  served.kind.group === group && configurationPlurals.has(served.kind.plural)

const defaultTimeoutSeconds = 10

const webhookOf = (type: WebhookType, configuration: string, written: Written): Webhook => ({
  type,
  configuration,
  name: written.name,
  clientConfig: written.clientConfig,
  timeoutMs: (written.timeoutSeconds ?? defaultTimeoutSeconds) * 1_000,
  rules: written.rules ?? [],
  takesEquivalent: written.matchPolicy !== 'Exact',
  namespaceSelector: selectorOf(written.namespaceSelector ?? {}),
  objectSelector: selectorOf(written.objectSelector ?? {}),
  conditions: (written.matchConditions ?? []).map(({ expression }) => expression),
  ignoresFailure: written.failurePolicy === 'Ignore',
  hasSideEffects: written.sideEffects !== 'None' && written.sideEffects !== 'NoneOnDryRun',
  reviewVersions: written.admissionReviewVersions ?? ['v1'],
  isReinvocable: written.reinvocationPolicy === 'IfNeeded',
})

/** All webhooks there are, in the order in which they are asked. Read again only after a configuration has changed. */
export class WebhookIndex implements Disposable {
  readonly #store: Store
  readonly #subscription: Disposable
  #known: Record<WebhookType, readonly Webhook[]> | undefined
  #generation = {}

  constructor(store: Store) {
    this.#store = store
    this.#subscription = store.subscribe((changes) => {
      if (changes.some(({ entry }) => entry.storage === storages.mutating || entry.storage === storages.validating)) {
        this.#known = undefined
        this.#generation = {}
      }
    })
  }

  /** Another object whenever what `webhooks` says may have changed: for what is derived from it. */
  get generation(): object {
    return this.#generation
  }

  webhooks(type: WebhookType): readonly Webhook[] {
    this.#known ??= { mutating: this.#read('mutating'), validating: this.#read('validating') }
    return this.#known[type]
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }

  #read(type: WebhookType): readonly Webhook[] {
    return this.#store.list(storages[type]).entries.flatMap((entry) => {
      const { webhooks = [] } = parsed<{ webhooks?: Written[] }>(entry)
      return webhooks.map((written) => webhookOf(type, entry.name, written))
    })
  }
}
