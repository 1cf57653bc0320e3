/**
 * A set of fields of an object, as a trie. An element of a path is the text that Kubernetes writes for it in `FieldsV1`:
 * `f:name` a field, `k:{"name":"x"}` an item of a list by its keys, `v:"x"` one by its value, `i:0` one by its place.
 * `member` says whether the field at this path is in the set itself; its children may be in it without it.
 */
export interface FieldSet {
  readonly member: boolean
  readonly children: ReadonlyMap<string, FieldSet>
}

export type FieldPath = readonly string[]

const noChildren: ReadonlyMap<string, FieldSet> = new Map()

export const noFields: FieldSet = { member: false, children: noChildren }

/** What stands at the end of a path that is in the set. */
export const leaf: FieldSet = { member: true, children: noChildren }

export const isEmpty = (set: FieldSet): boolean => !set.member && set.children.size === 0

export function setOf(...paths: FieldPath[]): FieldSet {
  return paths.reduce((set, path) => union(set, pathSet(path)), noFields)
}

const pathSet = (path: FieldPath): FieldSet =>
  path.reduceRight<FieldSet>((below, element) => ({ member: false, children: new Map([[element, below]]) }), leaf)

export const at = (set: FieldSet, path: FieldPath): FieldSet =>
  path.reduce((node, element) => node.children.get(element) ?? noFields, set)

export const has = (set: FieldSet, path: FieldPath): boolean => at(set, path).member

/** The very set `a` when `b` adds nothing to it. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a
  if (isEmpty(a)) return b
  let children: Map<string, FieldSet> | undefined
  for (const [element, theirs] of b.children) {
    const ours = a.children.get(element)
    const both = ours ? union(ours, theirs) : theirs
    if (both !== ours) children = (children ?? new Map(a.children)).set(element, both)
  }
  const member = a.member || b.member
  return children || member !== a.member ? { member, children: children ?? a.children } : a
}

/** What is in `a` and not in `b`: of a field in `b`, its children stay. The very set `a` when nothing goes. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, difference)

/** The same, but a field in `b` takes all that is below it along. */
export const differenceBelow = (a: FieldSet, b: FieldSet): FieldSet =>
  subtract(a, b, (ours, theirs) => (theirs.member ? noFields : differenceBelow(ours, theirs)))

function subtract(a: FieldSet, b: FieldSet, below: (ours: FieldSet, theirs: FieldSet) => FieldSet): FieldSet {
  let children: Map<string, FieldSet> | undefined
  for (const [element, theirs] of b.children) {
    const ours = a.children.get(element)
    if (!ours) continue
    const rest = below(ours, theirs)
    if (rest === ours) continue
    children ??= new Map(a.children)
    if (isEmpty(rest)) children.delete(element)
    else children.set(element, rest)
  }
  const member = a.member && !b.member
  return children || member !== a.member ? { member, children: children ?? a.children } : a
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const [element, ours] of a.children) {
    const theirs = b.children.get(element)
    if (!theirs) continue
    const both = intersection(ours, theirs)
    if (!isEmpty(both)) children.set(element, both)
  }
  return { member: a.member && b.member, children }
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  if (a.member !== b.member || a.children.size !== b.children.size) return false
  for (const [element, ours] of a.children) {
    const theirs = b.children.get(element)
    if (!theirs || !equalSets(ours, theirs)) return false
  }
  return true
}

/** Every path in the set, parents first. */
export function* paths(set: FieldSet, above: FieldPath = []): Generator<FieldPath> {
  if (set.member) yield above
  for (const [element, child] of set.children) yield* paths(child, [...above, element])
}

/** The fields in the set below which there is none. */
export function leaves(set: FieldSet): FieldSet {
  if (set.children.size === 0) return set
  return {
    member: false,
    children: new Map([...set.children].map(([element, child]) => [element, leaves(child)])),
  }
}
