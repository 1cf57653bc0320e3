import type { ASTNode } from '@marcbachmann/cel-js'

interface Body {
  readonly body: ASTNode
  /** For each item, beside what evaluating the body costs. */
  readonly before: number
  /** For each item, by what the body came to. */
  readonly after?: (value: unknown) => number
}

export interface LoopCosts {
  /** For what comes out of it. */
  readonly once: number
  /** For finding out that no further item has to be looked at. */
  readonly early?: number
  readonly bodies: readonly Body[]
}

/** A list of one item, put behind what there is. */
const appended = 12
/** What a macro costs beside its parts. Nothing for a call that is none. */
export function loopCosts(name: string, args: readonly ASTNode[]): LoopCosts | undefined {
  if (args[0]?.op !== 'id') return undefined
  const last = args.at(-1) as ASTNode
  const condition = (count: number): Body[] =>
    args.length === count ? [{ body: args.at(-2) as ASTNode, before: 0 }] : []
  switch (name) {
    case 'all':
      return { once: 1, early: 2, bodies: [{ body: last, before: 3 }] }
    case 'exists':
      return { once: 1, early: 3, bodies: [{ body: last, before: 4 }] }
    case 'exists_one':
    case 'existsOne':
      return { once: 2, bodies: [{ body: last, before: 0, after: (value) => (value ? 2 : 0) }] }
    case 'filter':
      return { once: 1, bodies: [{ body: last, before: 0, after: (value) => (value ? appended + 1 : 0) }] }
    case 'map':
      return { once: 1, bodies: [...condition(3), { body: last, before: appended }] }
    case 'transformList':
      return { once: 1, bodies: [...condition(4), { body: last, before: appended }] }
    case 'transformMap':
    case 'transformMapEntry':
      return { once: 1, bodies: [...condition(4), { body: last, before: name === 'transformMap' ? 3 : 2 }] }
    case 'sortBy':
      return { once: 12, bodies: [{ body: last, before: appended }] }
    case 'optMap':
    case 'optFlatMap':
      return { once: 2, bodies: [{ body: last, before: 3 }] }
    default:
      return undefined
  }
}
