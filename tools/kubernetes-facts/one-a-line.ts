/** JSON with each member of the outermost values on a line of its own, so that a regeneration reads as a list of changes. */
export function oneALine(document: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(document).map(([name, value]) => `${JSON.stringify(name)}: ${lines(value)}`)
  return `{\n${members.join(',\n')}\n}\n`
}

function lines(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[\n${value.map(compact).join(',\n')}\n]`
  if (typeof value !== 'object' || value === null) return compact(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${compact(member)}`)
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`
}

const compact = (value: unknown): string => JSON.stringify(value)
