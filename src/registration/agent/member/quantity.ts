/** An amount as Kubernetes writes it: `2`, `"500m"`, `"16Gi"`, `"1e3"`. */
export type Quantity = number | string

type Format = 'decimal' | 'binary' | 'exponent'

interface Amount {
  /** Thousand-millionths: the smallest that Kubernetes knows, so that sums are exact. */
  nano: bigint
  format: Format
}

const nanoPerUnit = 10n ** 9n
/** By power of 1000, from a thousand-millionth on. */
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
/** By power of 1024. */
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/
/** Beyond it a number is no amount of anything, and would only fill the memory. */
const mostExponent = 30

/** The sum, in the format of the first that is not zero, in the canonical form of Kubernetes. What is no quantity is left out. */
export function sumQuantities(quantities: readonly Quantity[]): string {
  const amounts = quantities.map(parse).filter((amount) => amount !== undefined)
  const { format } = amounts.find(({ nano }) => nano !== 0n) ?? amounts[0] ?? { format: 'decimal' }
  return print({ nano: amounts.reduce((sum, { nano }) => sum + nano, 0n), format })
}

export const isSameQuantity = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && parse(a) !== undefined && parse(a)?.nano === parse(b)?.nano)

function parse(quantity: Quantity): Amount | undefined {
  const [match, sign, whole = '', fraction = '', binary, decimal, power] = pattern.exec(String(quantity)) ?? []
  if (match === undefined || whole + fraction === '') return undefined
  const exponent = Number(power ?? 0)
  if (Math.abs(exponent) > mostExponent) return undefined
  const digits = BigInt(whole + fraction)
  const factor = binary
    ? nanoPerUnit * 1024n ** BigInt(binarySuffixes.indexOf(binary))
    : 1000n ** BigInt(decimalSuffixes.indexOf(decimal ?? ''))
  const up = digits * factor * 10n ** BigInt(Math.max(0, exponent))
  const down = 10n ** BigInt(fraction.length + Math.max(0, -exponent))
  // Kubernetes rounds what is finer than it can keep away from zero, so that a small request is never none.
  const size = (up + down - 1n) / down
  return { nano: sign === '-' ? -size : size, format: binary ? 'binary' : power ? 'exponent' : 'decimal' }
}

function print({ nano, format }: Amount): string {
  if (nano === 0n) return '0'
  const isWhole = nano % nanoPerUnit === 0n
  const units = nano / nanoPerUnit
  // As Kubernetes: binary suffixes only where they lose nothing and are shorter than the number itself.
  if (format === 'binary' && isWhole && (units >= 1024n || units <= -1024n)) {
    const [number, power] = withoutFactor(units, 1024n, binarySuffixes.length - 1)
    return `${number}${binarySuffixes[power]}`
  }
  const [number, power] = withoutFactor(nano, 1000n, decimalSuffixes.length - 1)
  const exponent = (power - decimalSuffixes.indexOf('')) * 3
  if (format === 'exponent') return exponent === 0 ? `${number}` : `${number}e${exponent}`
  return `${number}${decimalSuffixes[power]}`
}

/** The number divided by the highest power of `factor` that leaves it whole, and that power. */
function withoutFactor(number: bigint, factor: bigint, most: number): [bigint, number] {
  let power = 0
  while (power < most && number % factor === 0n) {
    number /= factor
    power += 1
  }
  return [number, power]
}
