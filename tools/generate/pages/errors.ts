import type { Declarations } from '../discover.ts'
import { areaHeading, code, table } from './table.ts'

export function errorsPage(failures: Declarations['failures']): string {
  const sections = failures.map(({ area, declared }) => {
    const rows = Object.entries(declared).map(([name, [status, sentence]]) => [code(name), String(status), sentence])
    return `${areaHeading(area)}\n\n${table(['Code', 'Status', 'What it says'], rows)}`
  })
  return [
    '# Errors\n',
    'Every failure has a code that does not change between releases: compare codes, never sentences. Words in braces are filled in when it happens.\n',
    ...sections,
  ].join('\n')
}
