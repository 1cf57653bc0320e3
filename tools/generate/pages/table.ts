/** A Markdown table; what would end a cell early is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n')
}

const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part))

export const code = (text: string): string => `\`${text}\``

/** A heading for an area of src/. */
export const areaHeading = (area: string): string => `## ${area}`
