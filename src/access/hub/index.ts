import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Passes } from '../../core/pass.ts'
import type { AdmissionWebhook } from '../../fleet/admission.ts'
import type { Access } from '../../fleet/identity/index.ts'
import type { RestApi } from '../../fleet/rest.ts'
import { accessWebhooks } from '../admission/index.ts'
import { createAudit } from '../audit/index.ts'
import { authorizeRoutes, createActivity, createAuthorizer, createReviews } from '../authorize/index.ts'
import { groupSync } from '../groups/index.ts'
import { heralds } from '../notify/index.ts'
import { accessApi, peopleAccess } from '../people/index.ts'
import { watchedPolicies } from '../policies/index.ts'
import { createSessionStore } from '../sessions/index.ts'
import { accessView } from '../view.ts'
import { webhookTokens } from '../webhook-tokens/index.ts'
import { accessControllers } from './controllers.ts'
import type { AccessHubDeps } from './deps.ts'
import { accessPasses } from './passes.ts'

export interface AccessHub {
  /** In every replica: who answers people and API servers. */
  readonly everywhere: Run
  /** Of several replicas only the one that leads runs this. */
  readonly leading: Run
  readonly webhooks: readonly AdmissionWebhook[]
  /** What is served to people and to the API servers of clusters, and how people prove who they are. */
  readonly api: RestApi
  readonly access: Pick<Access, 'authenticate' | 'may'>
  readonly passes: Passes
}

/** Break glass: people ask, people approve, clusters ask the hub, and all of it is on record. */
export function accessHub(deps: AccessHubDeps): AccessHub {
  const view = accessView(deps.kube, deps)
  const audit = createAudit({ ...deps, view })
  const activity = createActivity({ ...deps, view })
  const store = createSessionStore({ ...deps, view, lastUsed: activity.lastUsed })
  const policies = watchedPolicies({ ...deps, view })
  const reviews = createReviews(deps)
  const tokens = webhookTokens(deps)
  const authorizer = createAuthorizer({ ...deps, view, policies, reviews, activity, tokens })
  const people = peopleAccess({ ...deps, audit })
  const { lastUsed } = activity
  const api = accessApi({ ...deps, view, store, authorizer, policies, reviews: reviews.aside, audit, people, lastUsed })
  const routes = authorizeRoutes({ ...deps, authorizer, tokens, audit })
  const parts = { ...deps, view, store, audit }
  const leading = [
    accessControllers({ ...parts, lastUsed: activity.lastUsed }).run,
    groupSync(parts).run,
    heralds(parts).run,
  ]
  return {
    everywhere: (signal) =>
      runTogether(signal, [
        view.run,
        audit.run,
        activity.run,
        policies.run,
        reviews.run,
        tokens.run,
        people.run,
        api.run,
      ]),
    leading: (signal) => runTogether(signal, leading),
    webhooks: accessWebhooks({ ...deps }),
    api: { ...api.api, raw: [...(api.api.raw ?? []), ...routes] },
    access: people,
    passes: accessPasses({ ...deps, view }),
  }
}
