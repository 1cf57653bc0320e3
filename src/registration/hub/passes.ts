import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Pass, Passes } from '../../core/pass.ts'
import { passBoard } from '../../core/pass-board.ts'
import { reasons } from '../../core/reasons.ts'
import { agentNamespace, agentSecrets, clientSigner } from '../../fleet/names.ts'
import { keyOf } from '../../kube/objects.ts'
import { recordedOn } from '../drivers/csr/hub-record.ts'
import type { HubDeps } from './deps.ts'

/** The certificates of the agents, as the hub wrote them down. Lists what there is while `run` runs. */
export function registrationPasses({ view, clock }: Pick<HubDeps, 'view' | 'clock'>): Passes & { readonly run: Run } {
  const board = passBoard()
  const told = new Map<string, string>()
  const tell = (cluster: ManagedCluster) => {
    const pass = passOf(cluster)
    const id = idOf(cluster)
    const words = pass && JSON.stringify(pass)
    if (words === told.get(id)) return
    if (words === undefined) return forget(cluster)
    told.set(id, words)
    board.put(pass as Pass)
  }
  const forget = (cluster: ManagedCluster) => {
    told.delete(idOf(cluster))
    board.remove(idOf(cluster), clock.now())
  }
  return {
    list: board.list,
    changes: board.changes,
    async run(signal) {
      using _ = view.clusters.on(({ type, object }) => (type === 'deleted' ? forget(object) : tell(object)))
      await aborted(signal)
    },
  }
}

/** Undefined while the hub knows of no certificate of the cluster. */
export function passOf(cluster: ManagedCluster): Pass | undefined {
  const { agent, issuedAt, expiresAt, fingerprint = '' } = recordedOn(cluster)
  if (agent === undefined || !expiresAt) return undefined
  const name = keyOf(cluster)
  return {
    id: idOf(cluster),
    kind: 'join',
    holder: `${name}/${agent}`,
    issuer: clientSigner,
    issuedAt: issuedAt ?? new Date(cluster.metadata?.creationTimestamp ?? expiresAt),
    expiresAt,
    // Where an agent keeps it unless it was told otherwise, which the hub cannot know.
    keptIn: `cluster/${name}: secret/${agentNamespace}/${agentSecrets.hubKubeconfig}`,
    fingerprint,
    state: reasons.PassIssued,
  }
}

const idOf = (cluster: ManagedCluster): string => `join/${keyOf(cluster)}`
