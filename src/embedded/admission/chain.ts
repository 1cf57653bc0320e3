import { Agent } from 'node:https'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { Authorizer } from '../authorization/attributes.ts'
import type { Registry } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import type { Store } from '../storage/store.ts'
import type { AdmissionStep, Admitted, WriteTarget } from './admission.ts'
import { certificateApproval } from './certificate-approval.ts'
import { certificateSigning } from './certificate-signing.ts'
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts'
import { defaultTolerations } from './default-tolerations.ts'
import { MutatingRound } from './mutating.ts'
import { namespaceLifecycle } from './namespace-lifecycle.ts'
import { priority } from './priority.ts'
import { serviceResolver } from './resolve-service.ts'
import { runtimeClass } from './runtime-class.ts'
import { createSelection } from './selection.ts'
import { serviceAccountStep } from './service-account.ts'
import { taintNewNodes } from './taint-new-nodes.ts'
import { askValidating } from './validating.ts'
import type { ResolveService } from './webhook-client.ts'
import type { WebhookCredentials } from './webhook-credentials.ts'
import { anonymous } from './webhook-credentials.ts'
import { WebhookIndex } from './webhooks.ts'

export interface AdmissionDeps {
  store: Store
  registry: Registry
  authorizer: Authorizer
  clock: Clock
  random: Random
  log: Log
  /** In place of the built-in ones. A `mutate` that changes the object returns another one. */
  steps?: readonly AdmissionStep[]
  /** How webhooks behind services are found. Default: by what the store knows of them. */
  resolveService?: ResolveService
  /** What webhooks are shown. Default: nothing. */
  credentials?: WebhookCredentials
}

export interface Admission extends Disposable {
  /** True when nobody has anything to say about such a write: neither call is needed, and both would do nothing. */
  isIdle(target: WriteTarget): boolean
  /** Whether such a write may be shown to a webhook. */
  asksWebhooks(target: WriteTarget): boolean
  /** The object as the mutating steps and webhooks leave it; undefined for DELETE. May refuse already. */
  mutate(write: Admitted): Promise<ApiObject | undefined>
  /** Once the object is prepared and valid. */
  validate(write: Admitted): Promise<void>
}

/** In the order of the real server. */
export const builtInSteps = (
  deps: Pick<AdmissionDeps, 'store' | 'authorizer' | 'clock' | 'random'>,
): AdmissionStep[] => [
  namespaceLifecycle(deps.store),
  serviceAccountStep(deps),
  taintNewNodes,
  priority,
  defaultTolerations,
  runtimeClass,
  certificateApproval(deps.authorizer),
  certificateSigning(deps.authorizer),
  certificateSubjectRestriction,
]

export function createAdmission(deps: AdmissionDeps): Admission {
  const {
    store,
    registry,
    authorizer,
    clock,
    log,
    resolveService = serviceResolver(store),
    credentials = anonymous,
  } = deps
  const { steps = builtInSteps(deps) } = deps
  const index = new WebhookIndex(store)
  const selection = createSelection({ store, registry, authorizer, index })
  const agent = new Agent({ keepAlive: true, timeout: idleMs })
  let isClosing = false
  const asking = { clock, log, resolveService, agent, credentials, selection, isClosing: () => isClosing }
  const asksWebhooks = (target: WriteTarget) =>
    selection.candidates('mutating', target).length > 0 || selection.candidates('validating', target).length > 0
  const concerned = (target: WriteTarget) => steps.filter((step) => step.concerns?.(target) ?? true)

  async function throughSteps(write: Admitted): Promise<Admitted> {
    let current = write
    for (const step of concerned(write)) {
      await step.refuse?.(current)
      const { object } = current
      if (!step.mutate || !object) continue
      const next = await step.mutate({ ...current, object })
      if (next !== object) current = { ...current, object: next }
    }
    return current
  }

  return {
    isIdle: (target) => !steps.some((step) => step.concerns?.(target) ?? true) && !asksWebhooks(target),

    asksWebhooks,

    async mutate(write) {
      const stepped = await throughSteps(write)
      const candidates = selection.candidates('mutating', write)
      if (candidates.length === 0) return stepped.object
      const round = new MutatingRound(asking, candidates)
      const object = await round.run(stepped)
      if (!round.hasChanged) return object
      return await round.run(await throughSteps({ ...stepped, object }))
    },

    async validate(write) {
      for (const step of concerned(write)) await step.validate?.(write)
      const candidates = selection.candidates('validating', write)
      if (candidates.length > 0) await askValidating(asking, candidates, write)
    },

    [Symbol.dispose]() {
      isClosing = true
      index[Symbol.dispose]()
      agent.destroy()
    },
  }
}

/** Shorter than what load balancers forget silently. */
const idleMs = 90_000
