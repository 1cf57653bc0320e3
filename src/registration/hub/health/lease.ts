import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { findCondition, setCondition } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { conditions, labels, leaseName } from '../../../fleet/names.ts'
import type { Controller, ReconcileContext } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import { isAlreadyExists } from '../../../kube/failures.ts'
import { leases } from '../../../kube/kinds.ts'
import { microTime } from '../../../kube/lease-record.ts'
import type { Key, Stored } from '../../../kube/objects.ts'
import type { Change } from '../../../kube/store.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import { reasons } from '../../reasons.ts'
import type { HubDeps } from '../deps.ts'
import { leaseDurationMs } from '../heartbeats.ts'
import type { Contact } from './contact.ts'
import { judgeLease } from './judge-lease.ts'
import type { SignsOfLife } from './signs-of-life.ts'

/** Gives every cluster its lease, and calls one unreachable whose agent leaves it alone for a whole grace. */
export const leaseController = (deps: HubDeps, contact: Contact, life: SignsOfLife): Controller =>
  controller('lease', (key, context) => reconcile(key, context, deps, contact, life), {
    ...deps,
    watches: [
      watching(deps.view.clusters, undefined, { when: changesOf(whatLeaseDependsOn) }),
      // Not for each renewal: the timer that is set already looks at the newest when it is due.
      watching(deps.view.leases, clusterOf, { when: isNoRenewal }),
      watching(deps.view.namespaces, undefined, { when: ({ type }) => type === 'added' }),
    ],
  })

async function reconcile(
  key: Key,
  { signal }: ReconcileContext,
  deps: HubDeps,
  contact: Contact,
  life: SignsOfLife,
): Promise<Outcome> {
  const { view, clock, settings } = deps
  const cluster = view.clusters.get(key)
  if (!cluster) return done
  const lease = view.leases.get(`${key}/${leaseName}`)
  const verdict = judgeLease({
    cluster,
    hasLease: lease !== undefined,
    hasNamespace: isUsable(view.namespaces.get(key)),
    heardAt: latest(view.heartbeats.receivedAt(key), life.heardAt(key), contact.since()),
    now: clock.now(),
    graceFactor: settings.leaseGraceFactor,
  })
  switch (verdict.action) {
    case 'nothing':
      return done
    case 'create':
      await putLease(cluster, deps, signal)
      return done
    case 'wait':
      if (lease && lease.spec?.leaseDurationSeconds !== leaseSeconds(cluster)) await correctLease(cluster, deps, signal)
      return requeueAfter(verdict.ms)
    case 'unreachable':
      if (lease && (await wasRenewed(key, lease, deps, signal))) {
        life.heard(key)
        return requeueAfter(leaseDurationMs(cluster))
      }
      await report(cluster, deps, signal)
      return done
  }
}

async function putLease(cluster: Stored<ManagedCluster>, deps: HubDeps, signal: AbortSignal): Promise<void> {
  const { name } = cluster.metadata
  const lease: Lease = {
    metadata: { name: leaseName, namespace: name, labels: labelsOf(name, deps) },
    spec: {
      holderIdentity: leaseName,
      leaseDurationSeconds: leaseSeconds(cluster),
      // Agents of the field count from it before they have renewed it themselves.
      renewTime: microTime(deps.clock.now()),
    },
  }
  try {
    await deps.kube.of(leases, name).create(lease, { signal })
  } catch (error) {
    // It is there and we do not see it: it has lost the label that it is watched by.
    if (!isAlreadyExists(error)) throw error
    await correctLease(cluster, deps, signal)
  }
}

async function correctLease(cluster: Stored<ManagedCluster>, deps: HubDeps, signal: AbortSignal): Promise<void> {
  const { name } = cluster.metadata
  const body = {
    metadata: { labels: { ...labelsOf(name, deps), [labels.addonName]: null } },
    spec: { leaseDurationSeconds: leaseSeconds(cluster) },
  }
  await deps.kube.of(leases, name).patch(leaseName, { type: 'merge', body }, { signal })
}

/** Asks the server itself: a watch that hangs must not make a fleet look dead. */
async function wasRenewed(key: Key, seen: Lease, { kube }: HubDeps, signal: AbortSignal): Promise<boolean> {
  const now = await kube.of(leases, key).find(leaseName, { signal })
  return now !== undefined && now.spec?.renewTime !== seen.spec?.renewTime
}

async function report(cluster: Stored<ManagedCluster>, deps: HubDeps, signal: AbortSignal): Promise<void> {
  const { name, resourceVersion } = cluster.metadata
  const message = 'Registration agent stopped updating its lease.'
  const next = setCondition(
    cluster.status?.conditions,
    { type: conditions.available, status: 'Unknown', reason: reasons.ManagedClusterLeaseUpdateStopped, message },
    deps.clock.now(),
  )
  // Guarded by the version: an agent that comes back at this moment has the last word.
  const body = { metadata: { resourceVersion }, status: { conditions: next } }
  await deps.kube.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { subresource: 'status', signal })
  deps.events.record(ManagedCluster.resource, cluster, {
    type: 'Warning',
    reason: reasons.AvailableUnknown,
    message: `The agent of ${name} stopped renewing its lease; check that it runs and reaches the hub.`,
  })
}

const whatLeaseDependsOn = ({ metadata, spec, status }: Stored<ManagedCluster>) => [
  metadata.deletionTimestamp,
  spec?.leaseDurationSeconds,
  findCondition(status?.conditions, conditions.accepted)?.status,
  findCondition(status?.conditions, conditions.available)?.status,
]

const leaseSeconds = (cluster: ManagedCluster): number => leaseDurationMs(cluster) / 1_000

const labelsOf = (cluster: string, { settings }: HubDeps) => ({ ...settings.labels, [labels.clusterName]: cluster })

const clusterOf = ({ metadata }: Stored<Lease>): Key[] =>
  metadata.name === leaseName && metadata.namespace ? [metadata.namespace] : []

const isNoRenewal = (change: Change<Lease>): boolean =>
  change.type !== 'updated' || change.object.spec?.leaseDurationSeconds !== change.previous.spec?.leaseDurationSeconds

const isUsable = (namespace: { metadata: { deletionTimestamp?: string } } | undefined): boolean =>
  namespace !== undefined && !namespace.metadata.deletionTimestamp

const latest = (...dates: (Date | undefined)[]): Date =>
  new Date(Math.max(...dates.map((date) => date?.getTime() ?? Number.NEGATIVE_INFINITY)))
