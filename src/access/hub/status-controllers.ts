import { AuditConfig } from '../../apis/breakglass/audit-config.ts'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import type { Key, Resource, Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import type { Watching } from '../../kube/watching.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { KnownObjects } from '../admission/escalation-refs.ts'
import { blocksSelfApproval } from '../admission/escalation-refs.ts'
import type { AccessView } from '../view.ts'
import type { AccessHubDeps } from './deps.ts'
import { escalationFindings } from './escalation-findings.ts'
import { auditFinding, mailFinding, policyFinding } from './object-findings.ts'
import type { Finding, WithConditions } from './write-conditions.ts'
import { writeConditions } from './write-conditions.ts'

type Deps = AccessHubDeps & { view: AccessView }

/** Keeps the conditions of what people write true: at once when it changes, or what it names. */
export function statusControllers(deps: Deps): readonly Run[] {
  const { kube, view } = deps
  const common = (kind: string) => ({ ...deps, log: deps.log.child({ kind }), transform: withoutManagedFields })
  const audits = informer(kube.of(AuditConfig.resource), common('AuditConfig'))
  const mails = informer(kube.of(MailProvider.resource), common('MailProvider'))
  const controllers = [
    escalations(deps, mails),
    of(deps, 'policies', DenyPolicy.resource, view.policies, (policy) => [policyFinding(policy)]),
    of(deps, 'audit-configs', AuditConfig.resource, audits, (config) => [auditFinding(config)]),
    of(deps, 'mail-providers', MailProvider.resource, mails, (provider) => [mailFinding(provider, mails.list())], [
      // All of them: one that is no longer the default lets another be.
      watching(mails, () => mails.list().map(keyOf), { when: changesOf(generation) }),
      watching<MailProvider>(mails, keyOf, {
        when: changesOf(({ status }) => findCondition(status?.conditions, 'Healthy')),
      }),
    ]),
  ]
  return [audits.run, mails.run, ...controllers.map(({ run }) => run)]
}

const generation = ({ metadata }: { metadata: { generation?: number } }) => metadata.generation

function of<T extends WithConditions>(
  deps: Deps,
  name: string,
  resource: Resource<T>,
  objects: Pick<Informer<T>, 'get' | 'on' | 'synced'>,
  findingsOf: (object: Stored<T>) => Finding[],
  watches: readonly Watching[] = [watching(objects, keyOf, { when: changesOf(generation) })],
): Controller {
  const { kube, clock, events } = deps
  return controller(
    `access-${name}`,
    async (key, { signal }) => {
      const object = objects.get(key)
      if (!object || object.metadata.deletionTimestamp) return done
      const findings = findingsOf(object)
      const before = await writeConditions(kube, resource, object, findings, { now: clock.now(), signal })
      const ready = findings.find(({ type }) => type === 'Ready')
      const was = before && findCondition(before.status?.conditions, 'Ready')
      if (before && ready && (was?.status !== ready.status || was.reason !== ready.reason))
        events.record(resource, before, {
          type: ready.status === 'True' ? 'Normal' : 'Warning',
          reason: ready.reason,
          message: ready.message,
        })
      return done
    },
    { ...deps, watches },
  )
}

function escalations(deps: Deps, mails: Informer<MailProvider>): Controller {
  const { view, spokeView, settings } = deps
  const all = view.escalations
  const naming = (isNamed: (spec: BreakglassEscalation['spec']) => boolean): Key[] =>
    all
      .list()
      .filter(({ spec }) => isNamed(spec))
      .map(keyOf)
  const inList = (name: string, ...lists: (readonly string[] | undefined)[]) =>
    lists.some((list) => list?.includes(name))
  const known = knownIn(deps, mails)
  const withName = (name: string) => all.byIndex('name', name)
  return of(
    deps,
    'escalations',
    BreakglassEscalation.resource,
    all,
    (escalation) => escalationFindings(escalation, withName(escalation.metadata.name), known, settings()),
    [
      // All of one name: a second one makes both unusable, and sets the first free when it goes.
      watching(all, (one) => [keyOf(one), ...withName(one.metadata.name).map(keyOf)], { when: changesOf(generation) }),
      watching(
        spokeView.configs,
        ({ metadata: { name } }) => naming((spec) => inList(name, spec.allowed.clusters, spec.clusterConfigRefs)),
        { when: ({ type }) => type !== 'updated' },
      ),
      watching(
        spokeView.providers,
        ({ metadata: { name } }) =>
          naming((spec) =>
            inList(
              name,
              spec.allowedIdentityProviders,
              spec.allowedIdentityProvidersForRequests,
              spec.allowedIdentityProvidersForApprovers,
            ),
          ),
        { when: changesOf(({ spec }) => spec?.disabled) },
      ),
      watching(view.policies, ({ metadata: { name } }) => naming((spec) => inList(name, spec.denyPolicyRefs)), {
        when: ({ type }) => type !== 'updated',
      }),
      watching(mails, ({ metadata: { name } }) => naming(({ mailProvider }) => mailProvider === name), {
        when: changesOf(({ spec }) => spec?.disabled),
      }),
    ],
  )
}

/** What admission asks the API server for, from what the hub watches anyway. */
function knownIn({ view, spokeView }: Deps, mails: Informer<MailProvider>): KnownObjects {
  const usable = (found: { spec?: { disabled?: boolean } } | undefined) =>
    found && (found.spec?.disabled ? 'disabled' : 'usable')
  return {
    clusters: (name) => spokeView.configs.byIndex('name', name).length,
    blocksSelfApproval: (name) => blocksSelfApproval(spokeView.configs.byIndex('name', name)),
    provider: (name) => usable(spokeView.providers.get(name)),
    hasPolicy: (name) => view.policies.get(name) !== undefined,
    mailProvider: (name) => usable(mails.get(name)),
  }
}
