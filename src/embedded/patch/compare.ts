import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import { fieldElement } from './elements.ts'
import type { FieldSet } from './fields.ts'
import { leaf, noFields, union } from './fields.ts'
import { equalJson, member } from './json.ts'
import type { Shape } from './typed.ts'
import { fieldSchema, itemsOf, shapeOf } from './typed.ts'

/** How one object differs from another. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

type Outcome = Partial<Comparison>

const unchanged: Outcome = {}

/** `undefined` stands for what is not there. */
export function compare(schema: Schema | undefined, before: unknown, after: unknown): Comparison {
  const { added = noFields, modified = noFields, removed = noFields } = compareValues(schema, before, after)
  return { added, modified, removed }
}

function compareValues(schema: Schema | undefined, before: unknown, after: unknown): Outcome {
  if (before === after) return unchanged
  const [was, is] = [shapeOf(schema, before), shapeOf(schema, after)]
  if (is === was || isNothing(before)) return compareAs(is, schema, before, after)
  if (isNothing(after)) return compareAs(was, schema, before, after)
  return both(compareAs(was, schema, before, after), compareAs(is, schema, before, after))
}

const isNothing = (value: unknown): boolean => value === undefined || value === null

function compareAs(shape: Shape, schema: Schema | undefined, before: unknown, after: unknown): Outcome {
  if (shape === 'leaf') return compareLeaves(before, after)
  const children =
    shape === 'map' ? compareMaps(schema, asMap(before), asMap(after)) : compareItems(schema, before, after)
  if (!children) return compareLeaves(before, after)
  if (before === undefined) return { ...children, added: { ...(children.added ?? noFields), member: true } }
  if (after === undefined) return { ...children, removed: { ...(children.removed ?? noFields), member: true } }
  return children
}

function compareLeaves(before: unknown, after: unknown): Outcome {
  if (before === undefined) return { added: leaf }
  if (after === undefined) return { removed: leaf }
  return equalJson(before, after) ? unchanged : { modified: leaf }
}

const nothing: Record<string, unknown> = {}

const asMap = (value: unknown): Record<string, unknown> => (isObject(value) ? value : nothing)

/** Undefined when there is nothing on either side: then the two are compared as one. */
function compareMaps(
  schema: Schema | undefined,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Outcome | undefined {
  let isVoid = true
  const children = new Children()
  for (const name in after) {
    const [then, now] = [member(before, name), after[name]]
    if (now === undefined) continue
    isVoid = false
    if (then !== now) children.add(fieldElement(name), compareValues(fieldSchema(schema, name), then, now))
  }
  for (const name in before) {
    const then = before[name]
    if (then === undefined) continue
    isVoid = false
    if (member(after, name) === undefined)
      children.add(fieldElement(name), compareValues(fieldSchema(schema, name), then, undefined))
  }
  return isVoid ? undefined : children.outcome()
}

function compareItems(schema: Schema | undefined, before: unknown, after: unknown): Outcome | undefined {
  if (isVoidList(before) && isVoidList(after)) return undefined
  if (equalJson(before, after)) return unchanged
  const [were, are] = [itemsOf(schema, before), itemsOf(schema, after)]
  const children = new Children()
  for (const [element, now] of are) children.add(element, compareSame(schema?.items, were.get(element) ?? [], now))
  for (const [element, then] of were) if (!are.has(element)) children.add(element, compareSame(schema?.items, then, []))
  return children.outcome()
}

const isVoidList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0

/** Items with the same element. Where there are several they are owned as one: their own fields have no paths. */
function compareSame(schema: Schema | undefined, then: readonly unknown[], now: readonly unknown[]): Outcome {
  if (then.length <= 1 && now.length <= 1) return compareValues(schema, then[0], now[0])
  if (then.length > 1 && now.length > 1) return equalJson(then, now) ? unchanged : { modified: leaf }
  if (then.length > 1) return both(compareValues(schema, undefined, now[0]), { removed: leaf })
  return both(compareValues(schema, then[0], undefined), { added: leaf })
}

function both(a: Outcome, b: Outcome): Outcome {
  const { added = noFields, modified = noFields, removed = noFields } = b
  return {
    added: union(a.added ?? noFields, added),
    modified: union(a.modified ?? noFields, modified),
    removed: union(a.removed ?? noFields, removed),
  }
}

const sides = ['added', 'modified', 'removed'] as const

class Children {
  readonly #sets: { [side in (typeof sides)[number]]?: Map<string, FieldSet> } = {}

  add(element: string, outcome: Outcome): void {
    if (outcome === unchanged) return
    for (const side of sides) {
      const set = outcome[side]
      if (set && (set.member || set.children.size > 0)) {
        this.#sets[side] ??= new Map()
        this.#sets[side].set(element, set)
      }
    }
  }

  outcome(): Outcome {
    const { added, modified, removed } = this.#sets
    if (!added && !modified && !removed) return unchanged
    return {
      ...(added && { added: { member: false, children: added } }),
      ...(modified && { modified: { member: false, children: modified } }),
      ...(removed && { removed: { member: false, children: removed } }),
    }
  }
}
