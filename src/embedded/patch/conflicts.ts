import { ApiFailure } from '../status.ts'
import { elementText } from './elements.ts'
import type { FieldPath, FieldSet } from './fields.ts'
import type { Managed } from './managed.ts'
import { inOrder } from './managed.ts'

/** What one manager owns and another wants to change. */
export interface Contested {
  readonly owner: Managed
  readonly fields: FieldSet
}

/** The 409 that names who owns what. */
export function applyConflict(contested: readonly Contested[]): ApiFailure {
  const conflicts = [...contested]
    .sort((a, b) => inOrder(nameOf(a.owner), nameOf(b.owner)))
    .map(({ owner, fields }) => ({ owner: nameOf(owner), fields: [...inLevels(fields)].map(pathText) }))
  const causes = conflicts.flatMap(({ owner, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  )
  const [only] = causes
  const message =
    causes.length === 1 && only
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${conflicts
          .map(({ owner, fields }) => [`conflicts with ${owner}:`, ...fields.map((field) => `- ${field}`)].join('\n'))
          .join('\n')}`
  return new ApiFailure(409, 'Conflict', message, { causes })
}

/** The paths in a set as the real server walks it: first what is in it at one level, then what lies below. */
function* inLevels({ children }: FieldSet, above: FieldPath = []): Generator<FieldPath> {
  const sorted = [...children].sort(([one], [other]) => inOrder(one, other))
  for (const [element, { member }] of sorted) if (member) yield [...above, element]
  for (const [element, child] of sorted) yield* inLevels(child, [...above, element])
}

function nameOf({ manager, operation, apiVersion, subresource }: Managed): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}

const pathText = (path: FieldPath): string => path.map(elementText).join('')
