/** `.spec.color`, and what is wrong with it. Items of arrays cannot be selected by. */
export function selectablePath(path: string): { steps: string[]; flaw?: string } {
  if (path.includes('[')) return { steps: [], flaw: 'array notation is not allowed' }
  if (!path.startsWith('.')) return { steps: [], flaw: `expected [ or . but got: ${path.split('.')[0]}` }
  return { steps: path.slice(1).split('.') }
}
