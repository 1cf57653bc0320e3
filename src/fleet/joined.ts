import type { Kube } from '../kube/kube.ts'
import type { HubStanza } from './hub-stanza.ts'

/** A hub that an agent has joined, for the other jobs on its cluster: they begin and end with the agent's work there. */
export interface JoinedHub {
  readonly cluster: string
  readonly agent: string
  /** As the agent itself, by whatever proves that at the time. */
  readonly kube: Kube
  readonly stanza: HubStanza
}
