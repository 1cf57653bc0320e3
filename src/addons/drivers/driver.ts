import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Pass } from '../../core/pass.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AddonAgentDeps } from '../agent/deps.ts'
import type { DriverName, ItemSubject, RegistrationItem } from '../registrations.ts'

/** The agent's half of a way for add-ons to get a credential. */
export interface AgentDriver {
  readonly name: DriverName
  /**
   * What the item should say on the hub before anything is asked for. The agent writes it there and begins the
   * credential once the hub shows it. A sentence: why the item cannot be carried out.
   */
  declaration(item: RegistrationItem, addon: Stored<ManagedClusterAddOn>, hub: HubFacts): Declaration | string
  credential(options: CredentialOptions): Credential
}

/** What the agent knows of the hub beyond its add-ons. */
export interface HubFacts {
  /** What its API server says it is. Absent: it does not say, or nobody had to ask. */
  readonly version?: string | undefined
}

export interface Declaration {
  /** Only for the type kubeClient. */
  readonly driver?: DriverName
  readonly subject: ItemSubject
}

/** What one item has come to. The agent puts the reports of all items of an add-on together, the worst of a type first. */
export interface ItemReport {
  readonly conditions: readonly ConditionReport[]
  /** For the ledger; absent while there is none. */
  readonly pass?: Pass
}

export interface CredentialOptions extends AddonAgentDeps {
  readonly joined: JoinedHub
  /** As declared. A credential lives as long as its item stays the same. */
  readonly item: RegistrationItem
  /** The add-on as the hub has it now. */
  addon(): Stored<ManagedClusterAddOn> | undefined
  report(report: ItemReport): void
}

/** Gets the credential of one item, puts it into the item's Secret on the managed cluster and keeps it fresh. */
export interface Credential {
  readonly run: Run
  /** Something changed: the add-on on the hub, the Secret, or the namespace that it is in. */
  poke(): void
}
