import { failures } from './failures.ts'

export interface Gate {
  byDefault: boolean
  /** Set for what comes later or cannot be turned off: the default is then all there is. */
  fixed?: true
}

export const hubGates = {
  DefaultClusterSet: { byDefault: true, fixed: true },
  ResourceCleanup: { byDefault: true },
  ManagedClusterAutoApproval: { byDefault: false },
  Reach: { byDefault: true },
  /** Only with Reach: who approves access to a cluster must be able to ask it. */
  Access: { byDefault: true },
  ClusterProfile: { byDefault: false, fixed: true },
  ClusterImporter: { byDefault: false, fixed: true },
  V1beta1CSRAPICompatibility: { byDefault: false, fixed: true },
} as const satisfies Record<string, Gate>

export const agentGates = {
  ClusterClaim: { byDefault: true },
  ClusterProperty: { byDefault: false },
  MultipleHubs: { byDefault: false },
  AddonManagement: { byDefault: true },
  V1beta1CSRAPICompatibility: { byDefault: false, fixed: true },
} as const satisfies Record<string, Gate>

/** Every gate with its value. Throws for one that is not there or cannot be changed. */
export function gatesWith<G extends Readonly<Record<string, Gate>>>(
  gates: G,
  asked: Readonly<Record<string, boolean>> = {},
): { readonly [Name in keyof G]: boolean } {
  for (const [gate, on] of Object.entries(asked)) {
    const known = Object.hasOwn(gates, gate) ? gates[gate] : undefined
    if (!known) throw failures.GATE_UNKNOWN({ gate, known: Object.keys(gates).join(', ') })
    if (known.fixed && on !== known.byDefault)
      throw failures.GATE_FIXED({ gate, fixed: known.byDefault ? 'on' : 'off' })
  }
  const values = Object.entries(gates).map(([gate, { byDefault }]) => [gate, asked[gate] ?? byDefault])
  return Object.fromEntries(values) as { readonly [Name in keyof G]: boolean }
}
