import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import { addonNamespace } from '../../fleet/names.ts'
import { dropFinalizers } from '../../fleet/wanted/ensure.ts'
import { isForbidden } from '../../kube/failures.ts'
import { deployments, namespaces } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { agentDeployment } from '../../registration/manifests/agent.ts'
import { isMadeFor } from '../apply.ts'
import type { OperatorDeps } from '../deps.ts'
import { conditions, finalizers } from '../names.ts'
import { reasons } from '../reasons.ts'
import type { StatusWriter } from '../status.ts'
import { statusWriter } from '../status.ts'
import { leaveHub } from './leave-hub.ts'
import { takeAway } from './take-away.ts'
import type { KlusterletView } from './view.ts'

interface Job {
  klusterlet: Stored<Klusterlet>
  deps: OperatorDeps
  view: KlusterletView
  signal: AbortSignal
}

/**
 * The hub is told first, while there is an identity to tell it with; then the agent stops, then what it kept and what it
 * was allowed goes, and the finalizer last. Each step finds its work undone or done, so it may be cut anywhere.
 */
export async function removeKlusterlet({ klusterlet, deps, view, signal }: Job): Promise<Outcome> {
  const { kube, events } = deps
  const { name, finalizers: held = [] } = klusterlet.metadata
  if (!held.includes(finalizers.klusterlet)) return done
  const collection = kube.of(Klusterlet.resource)
  const status = statusWriter(collection, klusterlet, { ...deps, signal })
  const homes = homesOf(klusterlet)
  for (const home of homes) {
    await leaveHub({ klusterlet, home, status, deps, signal })
    await telling(status, async () => {
      await takeAway({ klusterlet, home, deps, view, signal })
      await removeAddonNamespace({ klusterlet, deps, view, signal })
    })
  }
  // As it is now: whoever holds it besides keeps their hold.
  const latest = await collection.find(name, { signal })
  if (latest?.metadata.uid === klusterlet.metadata.uid)
    await dropFinalizers(collection, latest, [finalizers.klusterlet], signal)
  events.record(Klusterlet.resource, klusterlet, {
    reason: reasons.KlusterletRemoved,
    message: `Nothing of the agent is left in ${homes.join(', ') || 'any namespace'}.`,
  })
  return done
}

/** Where its agent was put, whatever the spec says by now. None for one that was refused from the start. */
const homesOf = ({ status }: Klusterlet): string[] =>
  (status?.relatedResources ?? []).flatMap(({ resource, name, namespace }) =>
    resource === deployments.plural && name === agentDeployment && namespace !== undefined ? [namespace] : [],
  )

/** Other Klusterlets have their add-ons there too. */
async function removeAddonNamespace({ klusterlet, deps: { kube }, view, signal }: Job): Promise<void> {
  const { uid } = klusterlet.metadata
  const isAlone = view.klusterlets.list().every((one) => one.metadata.uid === uid || one.metadata.deletionTimestamp)
  if (isAlone && (await isMadeFor(kube, addonNamespace, uid, signal)))
    await kube.of(namespaces).delete(addonNamespace, { signal })
}

/** What does not go is named on the Klusterlet, and tried again. */
async function telling(status: StatusWriter, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const hint = isForbidden(error) ? '; the operator lacks the right, see `lanyard deploy operator`' : ''
    await status.write({
      conditions: [
        { type: conditions.deleting, status: 'False', reason: reasons.ResourceRemaining, message: `${message}${hint}` },
      ],
    })
    throw error
  }
}
