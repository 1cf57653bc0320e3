import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { isFailure } from '../../core/failure.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import { providerAnnotations } from '../../fleet/names.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { GroupPrefixes } from '../group-prefixes.ts'
import { groupPrefixesOf, groupsAtProvider } from '../group-prefixes.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { AccessView } from '../view.ts'
import type { GroupAnswer, GroupAnswers } from './answers.ts'
import type { GroupSource } from './contract.ts'
import { groupsOf, mayApproveBy, syncsGroups } from './decide.ts'
import { reasons } from './reasons.ts'
import { reportGroupSync } from './report-provider.ts'
import { flawOf, keycloakTtlMs, secretFlawOf } from './source-of.ts'

export interface ProviderSyncDeps extends AccessHubDeps {
  view: AccessView
  answers: GroupAnswers
  sourceOf(provider: Stored<IdentityProvider>): GroupSource
  /** There is news of this provider. */
  onAnswers(provider: string): void
}

/** Groups of one provider that are asked for at a time. */
const atATime = 4

/** Asks each provider who is in the groups of approvers: when something changes, and when its answers are old. */
export function groupProviderController(deps: ProviderSyncDeps): Controller {
  const { view, answers, clock, spokeView } = deps
  const { providers } = spokeView
  const sources = new Map<string, { basis: string; source: GroupSource }>()

  /** The same until the provider or its Secret changes: it keeps a token. */
  function sourceFor(provider: Stored<IdentityProvider>, basis: string): GroupSource {
    const { name } = provider.metadata
    const known = sources.get(name)
    if (known?.basis === basis) return known.source
    const source = deps.sourceOf(provider)
    sources.set(name, { basis, source })
    return source
  }

  function forget(name: string): void {
    sources.delete(name)
    answers.forget(name)
    deps.onAnswers(name)
  }

  return controller(
    'group-sync',
    async (key, { signal }) => {
      const provider = providers.get(key)
      if (!provider || !syncsGroups(provider)) {
        forget(key)
        return done
      }
      const { keycloak } = provider.spec ?? {}
      const flaw = flawOf(provider) ?? (keycloak && (await secretFlawOf(deps.kube, keycloak, signal)))
      const prefixes = prefixesOf(key, deps)
      const basis = basisOf(provider, prefixes, deps)
      const known = answers.of(key, basis)
      const wanted = wantedGroups(key, view)
      if (flaw) {
        for (const group of wanted) known.set(group, failedAnswer(known.get(group), flaw.message, clock.now()))
        deps.onAnswers(key)
        await reportGroupSync(deps, provider, { status: 'False', ...flaw }, signal)
        return done
      }
      const ttlMs = keycloakTtlMs(provider)
      const due = wanted.filter((group) => !isFresh(known.get(group), clock.now().getTime(), ttlMs))
      const failure = await askAll(
        sourceFor(provider, basis),
        due,
        known,
        { ...deps, prefixes },
        () => deps.onAnswers(key),
        signal,
      )
      for (const group of [...known.keys()]) if (!wanted.includes(group)) known.delete(group)
      deps.onAnswers(key)
      if (failure === undefined) {
        const message = `${wanted.length} groups are known`
        await reportGroupSync(deps, provider, { status: 'True', reason: reasons.GroupSyncOperational, message }, signal)
        return requeueAfter(ttlMs)
      }
      const { message } = failure.error
      const reason = isFailure(failure.error, 'EGRESS_DENIED') ? reasons.EgressDenied : reasons.GroupSyncFailed
      await reportGroupSync(deps, provider, { status: 'False', reason, message }, signal)
      // Thrown on, so that it is asked again soon, and less and less often.
      throw failure.error
    },
    {
      ...deps,
      workers: 16,
      deadlineMs: 300_000,
      backoff: { baseMs: 1_000, maxMs: 300_000 },
      watches: [
        // Also the others: how groups are written depends on whether there are any.
        watching(providers, ({ metadata }) => [metadata.name, ...providers.list().filter(syncsGroups).map(keyOf)], {
          when: changesOf(({ metadata }) => [
            ...[metadata.generation, metadata.deletionTimestamp],
            metadata.annotations?.[providerAnnotations.groupsPrefix],
          ]),
        }),
        watching(spokeView.secrets, (secret) => providers.byIndex('secret', keyOf(secret)).map(keyOf)),
        watching(view.escalations, () => providers.list().filter(syncsGroups).map(keyOf), {
          when: changesOf(({ metadata }) => [metadata.generation]),
        }),
      ],
    },
  )
}

const prefixesOf = (provider: string, { settings, spokeView }: ProviderSyncDeps): GroupPrefixes =>
  groupPrefixesOf(provider, settings(), spokeView.providers.list())

/** What a source and its answers are made of. */
function basisOf(provider: Stored<IdentityProvider>, prefixes: GroupPrefixes, { spokeView }: ProviderSyncDeps): string {
  const { namespace, name } = provider.spec?.keycloak?.clientSecretRef ?? {}
  const secret = spokeView.secrets.get(`${namespace}/${name}`)
  return JSON.stringify([
    provider.metadata.uid,
    provider.metadata.generation,
    secret?.metadata.resourceVersion,
    prefixes,
  ])
}

const wantedGroups = (provider: string, { escalations }: AccessView): string[] => [
  ...new Set(
    escalations
      .list()
      .filter(({ spec }) => mayApproveBy(spec, provider))
      .flatMap(groupsOf),
  ),
]

const isFresh = (answer: GroupAnswer | undefined, now: number, ttlMs: number): boolean =>
  answer !== undefined && answer.failed === undefined && now >= answer.at && now - answer.at < ttlMs

const failedAnswer = (before: GroupAnswer | undefined, failed: string, now: Date): GroupAnswer => ({
  ...{ at: now.getTime(), members: before?.members, failed },
})

/** The first failure, if any. After one that is not about a single group the others are not asked for. */
async function askAll(
  source: GroupSource,
  groups: readonly string[],
  known: Map<string, GroupAnswer>,
  { clock, prefixes }: ProviderSyncDeps & { prefixes: GroupPrefixes },
  onAnswer: () => void,
  signal: AbortSignal,
): Promise<{ error: Error } | undefined> {
  const waiting = [...groups]
  let failure: { error: Error } | undefined
  const work = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      try {
        if (failure && !isFailure(failure.error, 'GROUP_AMBIGUOUS')) throw failure.error
        const members = await membersOf(source, group, prefixes, signal)
        known.set(group, { at: clock.now().getTime(), members })
        onAnswer()
      } catch (error) {
        signal.throwIfAborted()
        if (!isFailure(error)) throw error
        known.set(group, failedAnswer(known.get(group), error.message, clock.now()))
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atATime, groups.length) }, work))
  return failure
}

/** By the first name that the provider knows. */
async function membersOf(
  source: GroupSource,
  group: string,
  prefixes: GroupPrefixes,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  for (const name of groupsAtProvider(group, prefixes)) {
    const members = await source.members(name, signal)
    if (members) return members
  }
  return undefined
}
