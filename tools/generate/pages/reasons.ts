import type { Declarations } from '../discover.ts'
import { areaHeading, code, table } from './table.ts'

export function reasonsPage(reasons: Declarations['reasons']): string {
  const sections = reasons.map(({ area, declared }) => {
    const rows = Object.entries(declared).map(([name, meaning]) => [code(name), meaning])
    return `${areaHeading(area)}\n\n${table(['Reason', 'What it means'], rows)}`
  })
  return [
    '# Reasons\n',
    'The `reason` of a condition, of an event and of a pass is one of these, and no other.\n',
    ...sections,
  ].join('\n')
}
