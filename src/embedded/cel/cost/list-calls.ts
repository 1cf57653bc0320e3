import type { Estimate, Node } from './nodes.ts'
import { kindOf, perCharacter, sizeOf } from './nodes.ts'
import type { Size } from './size.ts'
import { add, exactly, largest, multiplySizes, scale, wrapped } from './size.ts'
import { parameter } from './types.ts'

/** For the extensions of CEL for lists and sets; nothing for all other functions. */
export function listEstimates(name: string, target: Node | undefined, args: readonly Node[]): Estimate | undefined {
  const size = sizeOf(target)
  switch (name) {
    case 'sets.contains':
    case 'sets.intersects':
      return { cost: add(scale(product(args).max, 1), 1n) }
    case 'sets.equivalent':
      return { cost: add(scale(product(args).max, 2), 1n) }
    case 'lists.range':
      return allocated(1, exactly(numberIn(args[0], largest)))
    case 'slice':
      return allocated(1, exactly(wrapped(numberIn(args[1], size.max) - numberIn(args[0], 0n))))
    case 'flatten':
      return allocated(args.length === 1 ? Number(numberIn(args[0], largest)) : 1, size)
    case 'reverse':
      return kindOf(target) === 'string' ? undefined : allocated(1, size)
    case 'distinct':
      return allocated(2, multiplySizes(size, size))
    case 'sort':
      return sorted(target)
    case '@sortByAssociatedKeys':
      return sorted(args[0])
    default:
      return undefined
  }
}

const product = ([first, second]: readonly Node[]): Size => multiplySizes(sizeOf(first), sizeOf(second))

/** A call, and a new list. */
const allocated = (factor: number, size: Size): Estimate => ({ cost: add(scale(size.max, factor), 11n), size })

function sorted(keys: Node | undefined): Estimate {
  const { kind } = keys ? parameter(keys.expression.type) : { kind: 'dyn' }
  const isRead = kind === 'string' || kind === 'bytes' || kind === 'dyn'
  const size = sizeOf(keys)
  return allocated(isRead ? 2 + perCharacter : 2, multiplySizes(size, size))
}

/** A number that the expression writes down. */
function numberIn(node: Node | undefined, otherwise: bigint): bigint {
  if (node?.expression.kind !== 'literal' || typeof node.expression.value !== 'bigint') return otherwise
  return node.expression.value < 0n ? 0n : node.expression.value
}
