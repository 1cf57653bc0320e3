import type { Finding } from './conditions.ts'
import type { Names } from './definition.ts'

/** Names that others in the group have. */
export interface Taken {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

export interface Verdict {
  readonly acceptedNames: Names
  readonly namesAccepted: Finding
}

export const takenBy = (others: Iterable<Partial<Names>>): Taken => {
  const [resources, kinds] = [new Set<string>(), new Set<string>()]
  for (const { plural, singular, shortNames = [], kind, listKind } of others) {
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name)
    for (const name of [kind, listKind]) if (name) kinds.add(name)
  }
  return { resources, kinds }
}

const conflict = (reason: string, ...names: string[]): Finding => {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`)
  const message = texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`
  return { type: 'NamesAccepted', status: 'False', reason, message }
}

/**
 * Which of the names asked for a definition may have, and whether that is all of them. A name that is not to be had
 * leaves the one it had before. Of several conflicts the last is told, as the real server does it.
 */
export function acceptNames(asked: Names, before: Names | undefined, taken: Taken): Verdict {
  const accepted: Names = { plural: '', kind: '', ...before }
  let namesAccepted: Finding | undefined
  const { plural, singular = '', shortNames = [], kind, listKind = '', categories } = asked
  if (taken.resources.has(plural)) namesAccepted = conflict('PluralConflict', plural)
  else accepted.plural = plural
  if (taken.resources.has(singular)) namesAccepted = conflict('SingularConflict', singular)
  else accepted.singular = singular
  const shortTaken = shortNames.filter((name) => taken.resources.has(name))
  if (shortTaken.length > 0) namesAccepted = conflict('ShortNamesConflict', ...shortTaken)
  else accepted.shortNames = shortNames
  if (taken.kinds.has(kind)) namesAccepted = conflict('KindConflict', kind)
  else accepted.kind = kind
  if (taken.kinds.has(listKind)) namesAccepted = conflict('ListKindConflict', listKind)
  else accepted.listKind = listKind
  if (categories) accepted.categories = categories
  else delete accepted.categories
  return {
    acceptedNames: tidy(accepted),
    namesAccepted: namesAccepted ?? {
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
    },
  }
}

/** In the order of the real server, without what is empty. */
function tidy({ plural, singular, shortNames, kind, listKind, categories }: Names): Names {
  return {
    plural,
    ...(singular && { singular }),
    ...(shortNames?.length && { shortNames }),
    kind,
    ...(listKind && { listKind }),
    ...(categories?.length && { categories }),
  }
}

/** Once established, a kind stays so, whatever becomes of its names. */
export const establishedBy = ({ namesAccepted }: Verdict): Finding =>
  namesAccepted.status === 'True'
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
