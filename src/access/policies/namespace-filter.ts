import type { NamespaceFilter } from '../../apis/breakglass/common.ts'
import type { Glob } from './glob.ts'
import { glob } from './glob.ts'

export type Labels = Readonly<Record<string, string>>

/** Whether something fits. `labels`: those of the namespace decide; `scope`: whether the kind is in namespaces. */
export type Fit = 'yes' | 'no' | 'labels' | 'scope'

/** Namespaces by name or by label: one that either fits is meant. */
export interface NamespaceMatcher {
  /** Of the names; a filter that looks at labels may fit any. */
  readonly names: readonly Glob[]
  byName(namespace: string): Exclude<Fit, 'scope'>
  byLabels(labels: Labels): boolean
}

type Term = NonNullable<NamespaceFilter['selectorTerms']>[number]

/** Undefined: nothing is said, so all are meant. */
export function namespaceMatcher(filter: NamespaceFilter | undefined): NamespaceMatcher | undefined {
  const patterns = (filter?.patterns ?? []).map(glob)
  const terms = (filter?.selectorTerms ?? []).map(requirementsOf)
  if (patterns.length === 0 && terms.length === 0) return undefined
  const otherwise = terms.length === 0 ? 'no' : terms.some((term) => term.length === 0) ? 'yes' : 'labels'
  return {
    names: otherwise === 'no' ? patterns : [glob('*')],
    byName: (namespace) => (patterns.some(({ fits }) => fits(namespace)) ? 'yes' : otherwise),
    byLabels: (labels) => terms.some((term) => term.every((holds) => holds(labels))),
  }
}

const requirementsOf = ({ matchLabels = {}, matchExpressions = [] }: Term): ((labels: Labels) => boolean)[] => [
  ...Object.entries(matchLabels).map(
    ([key, value]) =>
      (labels: Labels) =>
        own(labels, key) === value,
  ),
  ...matchExpressions.map(requirement),
]

function requirement({
  key,
  operator,
  values = [],
}: NonNullable<Term['matchExpressions']>[number]): (labels: Labels) => boolean {
  const wanted = new Set(values)
  const isAmong = (labels: Labels) => {
    const value = own(labels, key)
    return value !== undefined && wanted.has(value)
  }
  switch (operator) {
    case 'In':
      return isAmong
    case 'NotIn':
      return (labels) => !isAmong(labels)
    case 'Exists':
      return (labels) => own(labels, key) !== undefined
    case 'DoesNotExist':
      return (labels) => own(labels, key) === undefined
  }
}

const own = (labels: Labels, key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined)
