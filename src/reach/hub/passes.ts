import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Pass, Passes } from '../../core/pass.ts'
import { passBoard } from '../../core/pass-board.ts'
import { reasons } from '../../core/reasons.ts'
import type { Credential } from '../../fleet/spoke/index.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import type { CheckResult } from './check.ts'

/** What the hub shows the clusters, as the looks at them find it. Nothing is listed of a cluster not looked at yet. */
export interface ReachPasses extends Passes {
  seen(config: Stored<ClusterConfig>, result: CheckResult): void
  gone(key: Key): void
}

export function reachPasses({ clock }: { clock: Pick<Clock, 'now'> }): ReachPasses {
  const board = passBoard()
  const told = new Map<string, Pass>()
  const put = (pass: Pass) => {
    if (JSON.stringify(pass) === JSON.stringify(told.get(pass.id))) return
    told.set(pass.id, pass)
    board.put(pass)
  }
  return {
    list: board.list,
    changes: board.changes,
    seen(config, { credential, failure }) {
      const { name, namespace } = config.metadata
      const known = told.get(idOf(`${namespace}/${name}`))
      const state = failure ? failure.reason : reasons.PassIssued
      if (credential) put({ ...passOf(config, credential), state })
      else if (known) put({ ...known, state })
    },
    gone(key) {
      if (told.delete(idOf(key))) board.remove(idOf(key), clock.now())
    },
  }
}

export function passOf({ metadata }: Stored<ClusterConfig>, credential: Credential): Pass {
  const { issuer, issuedAt, expiresAt, keptIn, fingerprint } = credential
  return {
    id: idOf(`${metadata.namespace}/${metadata.name}`),
    kind: 'reach',
    holder: `hub/${metadata.name}`,
    issuer,
    // What says nothing of its beginning is at least as old as the way in.
    issuedAt: issuedAt ?? new Date(metadata.creationTimestamp ?? 0),
    ...(expiresAt && { expiresAt }),
    keptIn,
    fingerprint,
    state: reasons.PassIssued,
  }
}

const idOf = (key: Key): string => `reach/${key}`
