import { kubernetesEstimates } from './kubernetes-calls.ts'
import type { Estimate, Node, Sizes } from './nodes.ts'
import { kindOf, matching, mayBe, sizeOf, traversal } from './nodes.ts'
import type { Size } from './size.ts'
import { addSizes, exactly, multiply, wrapped } from './size.ts'

const one: Estimate = { cost: 1n }

/** One for each overload that the types of the arguments allow. */
export function callEstimates(
  name: string,
  target: Node | undefined,
  args: readonly Node[],
  sizes: Sizes,
): readonly Estimate[] {
  return kubernetesEstimates(name, target, args, sizes) ?? standardEstimates(name, target, args)
}

function standardEstimates(name: string, target: Node | undefined, args: readonly Node[]): readonly Estimate[] {
  const [first, second] = args
  switch (name) {
    case 'format':
      return target ? [{ cost: traversal(sizeOf(target)) }] : [one]
    case 'strings.quote': {
      const { min, max } = sizeOf(first)
      return [{ cost: traversal(sizeOf(first)), size: { min: wrapped(min + 2n), max: wrapped(max * 2n + 2n) } }]
    }
    case 'bytes':
      return mayBe(first, 'string') ? [one, bytesOf(sizeOf(first))] : [one]
    case 'string':
      return mayBe(first, 'bytes') ? [one, textOf(sizeOf(first))] : [one]
    case 'startsWith':
    case 'endsWith':
      return [{ cost: traversal(sizeOf(first)) }]
    case 'matches':
      return target ? [{ cost: matching(sizeOf(target), sizeOf(first)) }] : [one]
    case 'contains':
      return target ? [{ cost: multiply(traversal(sizeOf(target)), traversal(sizeOf(first))) }] : [one]
    case '@in':
      return mayBe(second, 'list') ? [{ cost: sizeOf(second).max }, one] : [one]
    case '_[_]':
      return indexing(first)
    case '_+_':
      return addition(first, second)
    case '_==_':
    case '_!=_':
      return [comparison(first, second)]
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return ordering(first, second)
    default:
      return [one]
  }
}

const bytesOf = (size: Size): Estimate => ({
  cost: traversal(size),
  size: { min: size.min, max: wrapped(size.max * 4n) },
})

const textOf = (size: Size): Estimate => ({ cost: traversal(size), size: { min: size.min / 4n, max: size.max } })

function indexing(held: Node | undefined): readonly Estimate[] {
  const estimates: Estimate[] = []
  if (mayBe(held, 'list')) estimates.push({ cost: 1n, step: '@items' })
  if (mayBe(held, 'map')) estimates.push({ cost: 1n, step: '@values' })
  return estimates.length > 0 ? estimates : [one]
}

function addition(first: Node | undefined, second: Node | undefined): readonly Estimate[] {
  const size = addSizes(sizeOf(first), sizeOf(second))
  const bothMayBe = (kind: string) => mayBe(first, kind) && mayBe(second, kind)
  const estimates: Estimate[] = []
  if (bothMayBe('list')) estimates.push({ cost: 1n, size, joins: true })
  if (bothMayBe('string') || bothMayBe('bytes')) estimates.push({ cost: traversal(size), size, joins: true })
  return estimates.length > 0 ? estimates : [one]
}

/** What the shorter one of the two costs to traverse. */
function comparison(first: Node | undefined, second: Node | undefined): Estimate {
  const [a, b] = [sizeOf(first).max, sizeOf(second).max]
  return { cost: traversal(exactly(a < b ? a : b)) }
}

function ordering(first: Node | undefined, second: Node | undefined): readonly Estimate[] {
  const isText = ['string', 'bytes'].some((kind) => mayBe(first, kind) && mayBe(second, kind))
  const isOnlyText = ['string', 'bytes'].includes(kindOf(first)) || ['string', 'bytes'].includes(kindOf(second))
  if (!isText) return [one]
  return isOnlyText ? [comparison(first, second)] : [one, comparison(first, second)]
}
