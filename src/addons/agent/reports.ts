import type { ConditionReport, ConditionStatus } from '../../core/conditions.ts'
import type { ItemReport } from '../drivers/driver.ts'
import type { RegistrationItem } from '../registrations.ts'
import { itemName } from '../registrations.ts'

export interface Reported {
  readonly item: RegistrationItem
  readonly report: ItemReport
}

const severity: Record<ConditionStatus, number> = { False: 2, Unknown: 1, True: 0 }

/** One condition of each type out of those of all items: the worst tells status and reason, and each item has its words. */
export function putTogether(reported: readonly Reported[]): ConditionReport[] {
  const all = reported.flatMap(({ item, report }) => report.conditions.map((condition) => ({ item, condition })))
  return Object.values(Object.groupBy(all, ({ condition }) => condition.type)).flatMap((same = []) => {
    const ranked = same.toSorted((a, b) => severity[b.condition.status] - severity[a.condition.status])
    const [worst] = ranked
    if (!worst) return []
    if (ranked.length === 1) return [worst.condition]
    const message = ranked.map(({ item, condition }) => `${itemName(item)}: ${condition.message}`).join('; ')
    return [{ ...worst.condition, message }]
  })
}
