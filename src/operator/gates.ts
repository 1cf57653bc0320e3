/** The gates of a process, by name, as its own command has them. */
export type GateTable = Readonly<Record<string, { readonly byDefault: boolean; readonly fixed?: true }>>

export interface JudgedGates {
  /** As flags have them; only those that are named. */
  readonly gates: Readonly<Record<string, boolean>>
  /** What is wrong, each as a sentence. */
  readonly mistakes: readonly string[]
}

/** Named twice, the last one counts. */
export function judgeGates(
  table: GateTable,
  asked: readonly { feature: string; mode?: 'Enable' | 'Disable' }[] = [],
): JudgedGates {
  const gates = Object.fromEntries(asked.map(({ feature, mode }) => [feature, mode === 'Enable']))
  const mistakes = Object.entries(gates).flatMap(([gate, on]) => {
    const known = Object.hasOwn(table, gate) ? table[gate] : undefined
    if (!known) return [`there is no gate ${gate}`]
    return known.fixed && known.byDefault !== on ? [`${gate} is always ${known.byDefault ? 'on' : 'off'}`] : []
  })
  return { gates, mistakes }
}

export const isOn = (table: GateTable, { gates }: JudgedGates, gate: string): boolean =>
  gates[gate] ?? table[gate]?.byDefault ?? false
