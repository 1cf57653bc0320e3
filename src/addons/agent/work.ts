import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { after } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { controller } from '../../kube/controller.ts'
import { isConflict, KubeFailure } from '../../kube/failures.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { splitKey } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { HubFacts } from '../drivers/driver.ts'
import { pace } from '../pace.ts'
import { installNamespaceOf } from '../registrations.ts'
import { credentials } from './credentials.ts'
import { crew } from './crew.ts'
import type { AddonAgentDeps } from './deps.ts'
import { addonHealth } from './health.ts'
import { hubFacts } from './hub-facts.ts'
import type { AddonPlan, Drivers } from './plan.ts'
import { isNamespaceName, planOf } from './plan.ts'
import { putTogether } from './reports.ts'
import type { SecretPasses } from './secret-passes.ts'
import { secretRecord } from './secret-record.ts'
import { spokeView } from './spoke-view.ts'
import { addonStatusPatch, troublesOf } from './status.ts'

const nothing: AddonPlan = { items: [], refused: [] }

/** All that is done for the add-ons of a cluster on one hub. */
export const addonWork =
  (deps: AddonAgentDeps, drivers: Drivers, joined: JoinedHub, board: SecretPasses): Run =>
  async (signal) => {
    const { clock, settings } = deps
    const { cluster, kube: hub } = joined
    const addons = informer(hub.of(ManagedClusterAddOn.resource, cluster), {
      ...deps,
      transform: withoutManagedFields,
    })
    const record = await secretRecord(deps.management, settings.namespace, signal)
    const runs = crew(deps)
    const enqueue = (name: string) => work.enqueue(`${cluster}/${name}`)
    const enqueueAll = (isConcerned: (addon: Stored<ManagedClusterAddOn>) => boolean) => {
      for (const addon of addons.list()) if (isConcerned(addon)) enqueue(addon.metadata.name)
    }
    const passes = credentials({
      deps,
      joined,
      record,
      runs,
      board,
      addon: (name) => addons.get(`${cluster}/${name}`),
      onReport: enqueue,
    })
    const spoke = spokeView(deps, runs, {
      onSecret: (namespace, name) =>
        passes.poke(({ secret }) => secret.namespace === namespace && secret.name === name),
      onNamespace(namespace) {
        passes.poke(({ secret }) => secret.namespace === namespace)
        enqueueAll((addon) => installNamespaceOf(addon) === namespace)
      },
      onLease: (namespace, name) =>
        enqueueAll((addon) => addon.metadata.name === name && installNamespaceOf(addon) === namespace),
    })
    const health = addonHealth(deps, joined, runs, spoke, enqueue)
    const told = new Map<string, string>()
    const declaring = pace(clock)
    const factsOfHub = hubFacts(hub, settings.kubeClientDriver)
    let plans: Map<string, AddonPlan> | undefined
    let plannedFor: HubFacts | undefined
    const planFor = (name: string, facts: HubFacts): AddonPlan => {
      // A hub that could not be asked before may have answered now.
      if (plannedFor?.version !== facts.version) plans = undefined
      plannedFor = facts
      plans ??= planOf(addons.list(), drivers, settings, (secret) => record.get(secret)?.addon, facts)
      return plans.get(name) ?? nothing
    }

    /** One writer of the status for all that the agent says, so that its parts do not get in each other's way. */
    async function tell(
      addon: Stored<ManagedClusterAddOn>,
      plan: AddonPlan,
      trouble: string | undefined,
      stop: AbortSignal,
    ): Promise<Date | undefined> {
      const { name, resourceVersion } = addon.metadata
      const reported = plan.items.flatMap(({ item }) => passes.reported(item) ?? [])
      const { report, until } = await health.of(addon, stop)
      const troubles = troublesOf(plan, trouble)
      const facts = {
        plan,
        trouble,
        conditions: putTogether(reported),
        isComplete: reported.length === plan.items.length,
        health: report,
        hasToldTrouble: troubles === told.get(name),
      }
      let status = addonStatusPatch(addon, facts, clock.now())
      // A controller of the add-on that puts its own registrations back has the last word for a while.
      const waitMs = status?.registrations ? declaring.waitMs(name) : 0
      if (waitMs > 0) status = status?.conditions && { conditions: status.conditions }
      if (status) {
        const body = { metadata: { resourceVersion }, status }
        await hub
          .of(ManagedClusterAddOn.resource, cluster)
          .patch(name, { type: 'merge', body }, { subresource: 'status', signal: stop })
        if (status.registrations) {
          declaring.note(name)
          deps.checkpoint('addon.declared')
        }
      }
      told.set(name, troubles)
      const againAt = waitMs > 0 ? after(clock.now(), waitMs) : undefined
      return [until, againAt].filter((date) => date !== undefined).sort((a, b) => a.getTime() - b.getTime())[0]
    }

    async function reconcile(key: Key, stop: AbortSignal): Promise<Outcome> {
      const { name } = splitKey(key)
      await spoke.follow(new Set(addons.list().map(installNamespaceOf).filter(isNamespaceName)))
      const facts = await factsOfHub(stop)
      const trouble = await passes.settle(name, planFor(name, facts).items).then(
        () => undefined,
        (error: unknown) => ({ error, message: isConflict(error) ? undefined : troubleOf(error) }),
      )
      // Read only now: what is written must be of one version, and it may have taken a while.
      const addon = addons.get(key)
      if (!addon) {
        told.delete(name)
        await health.forget(name)
      }
      const until = addon && (await tell(addon, planFor(name, facts), trouble?.message, stop))
      if (trouble) throw trouble.error
      return until ? requeueAfter(until.getTime() - clock.now().getTime()) : done
    }

    // One at a time: two add-ons may want the same Secret, and what one gives up the other gets.
    const work = controller('addon', (key, context) => reconcile(key, context.signal), {
      ...deps,
      watches: [watching(addons)],
      workers: 1,
    })
    using subscriptions = new DisposableStack()
    subscriptions.use(
      addons.on((change) => {
        plans = undefined
        passes.poke(({ addon }) => addon === change.object.metadata.name)
        // An item that comes or goes may decide about those of other add-ons.
        if (changesOf(whatItNeeds)(change)) enqueueAll(() => true)
      }),
    )
    for (const { addon } of record.list()) enqueue(addon)
    try {
      await runTogether(signal, [addons.run, work.run])
    } finally {
      await runs.dismiss()
    }
  }

/** Never the text of an answer: whoever is on the way to the server may put into it what was sent. */
const troubleOf = (error: unknown): string => {
  const detail =
    error instanceof KubeFailure ? `${error.code} ${error.reason}` : isFailure(error) ? error.message : 'unexpected'
  return `the Secrets of the add-on could not be put in order: ${detail}; it is tried again`
}

const whatItNeeds = ({ metadata, status }: Stored<ManagedClusterAddOn>): unknown => [
  metadata.annotations,
  status?.namespace,
  status?.registrations,
]
