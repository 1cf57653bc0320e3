import { listEstimates } from './list-calls.ts'
import type { Estimate, Node, Sizes } from './nodes.ts'
import { kindOf, matching, mayBe, perPatternCharacter, sizeOf, traversal } from './nodes.ts'
import { replacedSize } from './replaced-size.ts'
import type { Size } from './size.ts'
import { add, addSizes, multiply, multiplySizes, scale, unknownSize, wrapped } from './size.ts'
import { parameter, sameType } from './types.ts'

const fixed: ReadonlySet<string> = new Set(
  (
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast ' +
    'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor ' +
    'patch getScheme getHostname getHost getPort getEscapedPath getQuery ' +
    'serviceAccount path group resource subresource namespace name allowed reason error errored'
  ).split(' '),
)

/** An IPv4 address, or one of IPv6. */
const addressBytes: Size = { min: 4n, max: 16n }
const longestFormat = 64n
const longestFormatPattern = 128

/** For the functions that Kubernetes adds; nothing for all others. */
export function kubernetesEstimates(
  name: string,
  target: Node | undefined,
  args: readonly Node[],
  sizes: Sizes,
): readonly Estimate[] | undefined {
  const listed = listEstimates(name, target, args)
  if (listed) return [listed]
  if (fixed.has(name)) return [{ cost: 1n }]
  const estimate = target ? ofMember(name, target, args, sizes) : undefined
  if (estimate) return [estimate]
  return ofFunction(name, target, args)
}

function ofMember(name: string, target: Node, args: readonly Node[], sizes: Sizes): Estimate | undefined {
  const size = sizeOf(target)
  switch (name) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return { cost: visit(target, sizes) }
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return { cost: traversal(size), size }
    case 'replace':
      return { cost: traversal(size, 2), size: replacedSize(size, sizeOf(args[0]), sizeOf(args[1])) }
    case 'split':
      return { cost: traversal(size, 2), size: { min: 0n, max: limitOf(args[1]) ?? size.max } }
    case 'join': {
      const joined = joinedSize(target, args[0], sizes)
      return { cost: traversal(joined), size: joined }
    }
    case 'find':
    case 'findAll':
      return { cost: matching(size, sizeOf(args[0])), size: { min: 0n, max: size.max } }
    default:
      return undefined
  }
}

function ofFunction(name: string, target: Node | undefined, args: readonly Node[]): readonly Estimate[] | undefined {
  const [first, second] = args
  const size = sizeOf(first)
  switch (name) {
    case 'url':
    case 'jsonpatch.escapeKey':
      return [{ cost: traversal(size), size }]
    case 'ip':
      return [{ cost: target ? 1n : traversal(size) }]
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return [{ cost: traversal(size) }]
    case 'ip.isCanonical':
      return [{ cost: traversal(size, 2) }]
    case 'containsIP':
      return [{ cost: add(comparedAddresses, parsed(first)) }]
    case 'containsCIDR':
      return [{ cost: add(comparedAddresses + traversal(addressBytes) + 1n, parsed(first)) }]
    case 'validate':
      return [{ cost: scale(traversal(size), longestFormatPattern * perPatternCharacter) }]
    case '_==_':
      return equality(first, second)
    default:
      return undefined
  }
}

const comparedAddresses = traversal(addSizes(addressBytes, addressBytes))

/** An address that is given as text is parsed first. */
const parsed = (node: Node | undefined): bigint => (mayBe(node, 'string') ? traversal(sizeOf(node)) : 0n)

const comparedAtOnce: ReadonlySet<string> = new Set(['IP', 'CIDR', 'Quantity', 'Semver'])

function equality(first: Node | undefined, second: Node | undefined): readonly Estimate[] | undefined {
  if (!first || !second || !sameType(first.expression.type, second.expression.type)) return undefined
  const kind = kindOf(first)
  if (comparedAtOnce.has(kind)) return [{ cost: 1n }]
  if (kind === 'Format') return [{ cost: traversal({ min: 1n, max: longestFormat }) }]
  if (kind === 'URL') return [{ cost: traversal(second.size ?? { min: 1n, max: 1n }) }]
  return undefined
}

/** Of a list, each item is looked at, and read if it is a text; what is no list is a text itself. */
function visit(target: Node, sizes: Sizes): bigint {
  const { type } = target.expression
  if (!type.parameters) return traversal(sizeOf(target))
  const item = parameter(type).kind
  const perItem = item === 'string' || item === 'bytes' ? add(1n, traversal(itemSize(target, sizes))) : 1n
  return multiply(sizeOf(target).max, perItem)
}

const itemSize = ({ path }: Node, sizes: Sizes): Size =>
  (path.length === 0 ? undefined : sizes.sizeAt(path.copy().append('@items'))) ?? unknownSize

function joinedSize(target: Node, separator: Node | undefined, sizes: Sizes): Size {
  const count = sizeOf(target)
  const items: Size = target.expression.type.parameters
    ? multiplySizes(count, itemSize(target, sizes))
    : { min: 0n, max: 0n }
  if (!separator) return items
  const less = (size: bigint) => (size > 0n ? size - 1n : 0n)
  return addSizes(items, multiplySizes(sizeOf(separator), { min: less(count.min), max: less(count.max) }))
}

const limitOf = (node: Node | undefined): bigint | undefined =>
  node?.expression.kind === 'literal' && typeof node.expression.value === 'bigint'
    ? wrapped(node.expression.value)
    : undefined
