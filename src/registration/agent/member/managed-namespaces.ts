import { createHash } from 'node:crypto'
import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { isAbort } from '../../../core/lifecycle.ts'
import { conditions, labels } from '../../../fleet/names.ts'
import { isNotFound } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import { reasons } from '../../reasons.ts'
import type { MemberDeps } from '../deps.ts'
import { bell } from './bell.ts'
import { isAccepted } from './lease.ts'

export interface NamespaceKeeper {
  readonly run: Run
  /** By the name of the namespace; those that have not been looked at are missing. */
  readonly current: ReadonlyMap<string, ConditionReport>
}

const fieldManager = 'lanyard-agent'

/** One label a hub, as several hubs may manage namespaces of one cluster. The digest is cut to what a label's name may have. */
export const managedNamespaceLabel = (hubUrl: string): string =>
  `${labels.managedNamespacePrefix}${createHash('sha256').update(hubUrl).digest('hex').slice(0, 63)}`

/** The names that the sets of the cluster want on it; undefined while it is not known, or none of the agent's business. */
export const wantedNamespaces = (cluster: ManagedCluster | undefined): string[] | undefined =>
  isAccepted(cluster)
    ? [...new Set((cluster?.status?.managedNamespaces ?? []).map(({ name }) => name))].sort()
    : undefined

const applied: ConditionReport = {
  type: conditions.namespaceAvailable,
  status: 'True',
  reason: reasons.NamespaceApplied,
  message: 'Namespace is on the managed cluster',
}

const failed = (why: string): ConditionReport => ({
  type: conditions.namespaceAvailable,
  status: 'False',
  reason: reasons.NamespaceApplyFailed,
  message: `Namespace is not on the managed cluster: ${why}`,
})

/**
 * Keeps the namespaces that sets want on the managed cluster. One that is not wanted any more is only marked so: what is
 * in it belongs to others. Looked at when the hub's list changes, and every period while it is not empty.
 */
export function namespaceKeeper(
  deps: Pick<MemberDeps, 'cluster' | 'hubUrl' | 'spoke' | 'self' | 'clock' | 'log' | 'settings'>,
  onChange: () => void,
): NamespaceKeeper {
  const { cluster, self, clock, log, settings } = deps
  const wake = bell(clock)
  let current: ReadonlyMap<string, ConditionReport> = new Map()
  let seen: string | undefined

  async function run(signal: AbortSignal): Promise<void> {
    using _ = self.on(() => {
      if (JSON.stringify(wantedNamespaces(self.get(cluster))) !== seen) wake.ring()
    })
    while (!signal.aborted) {
      wake.reset()
      const wanted = wantedNamespaces(self.get(cluster))
      seen = JSON.stringify(wanted)
      if (wanted) {
        const isRetired = await retire(deps, wanted, signal)
        const found = new Map<string, ConditionReport>()
        for (const name of wanted) found.set(name, await keep(deps, name, signal))
        const failures = [...found].filter(([, { status }]) => status === 'False')
        for (const [namespace, { message }] of failures) log.warn({ namespace, message }, 'namespace not kept')
        current = found
        onChange()
        if (wanted.length > 0 || !isRetired) {
          await wake.wait(settings.healthCheckPeriodMs, signal)
          continue
        }
      }
      await wake.wait(undefined, signal)
    }
  }

  return {
    run: (signal) =>
      run(signal).catch((error) => {
        if (!isAbort(error, signal)) throw error
      }),
    get current() {
      return current
    },
  }
}

async function keep(
  { spoke, hubUrl }: { spoke: Kube; hubUrl: string },
  name: string,
  signal: AbortSignal,
): Promise<ConditionReport> {
  const wanted = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { [managedNamespaceLabel(hubUrl)]: 'true' } },
  } satisfies Namespace
  try {
    const { metadata } = await spoke.of(namespaces).apply(wanted, { fieldManager, force: true, signal })
    return metadata.deletionTimestamp ? failed('it is being deleted; it is made again once it is gone') : applied
  } catch (error) {
    signal.throwIfAborted()
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** Marks those that are not wanted any more. False when that has to be tried again. */
async function retire(
  { spoke, hubUrl, log }: Pick<MemberDeps, 'spoke' | 'hubUrl' | 'log'>,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const label = managedNamespaceLabel(hubUrl)
  const collection = spoke.of(namespaces)
  try {
    const { items } = await collection.metadata.list({ labelSelector: `${label}=true`, signal })
    for (const { metadata } of items) {
      if (wanted.includes(metadata.name)) continue
      const body = { metadata: { labels: { [label]: 'false' } } }
      await collection.patch(metadata.name, { type: 'merge', body }, { fieldManager, signal }).catch((error) => {
        if (!isNotFound(error)) throw error
      })
    }
    return true
  } catch (err) {
    signal.throwIfAborted()
    log.warn({ err }, 'namespaces not released')
    return false
  }
}
