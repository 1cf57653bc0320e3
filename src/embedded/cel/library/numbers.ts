/** As Go writes a double with `%g`: `1.5`, `1e+06`, `+Inf`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${`${Math.abs(power)}`.padStart(2, '0')}`
}

const special: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', Number.NaN],
])

/** As Go reads a double. Undefined for what is none, and for one that is too large. */
export function parseDouble(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  const known = special.get(rest.toLowerCase())
  if (known !== undefined) return sign === '-' ? -known : known
  const value = /^0[xX]/.test(rest) ? parseHex(rest) : parseDecimal(rest)
  if (value === undefined) return undefined
  return Number.isFinite(value) ? (sign === '-' ? -value : value) : undefined
}

/** Single underscores may stand between digits. */
function parseDecimal(text: string): number | undefined {
  if (/(?:^|\D)_|_(?:\D|$)/.test(text)) return undefined
  const plain = text.replaceAll('_', '')
  return /^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) ? Number(plain) : undefined
}

/** `0x1.8p3`: digits to the base of 16, times a power of two. */
function parseHex(text: string): number | undefined {
  const [, whole = '', fraction = '', exponent] =
    /^0x([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d{1,5})$/i.exec(text.replaceAll('_', '')) ?? []
  if (exponent === undefined || whole + fraction === '') return undefined
  return Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
}

/** As Go's `%.2f` has it: of two that are equally near, the one with an even last digit. */
export function fixedText(value: number, digits: number): string {
  const size = Math.abs(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`
  const exact = size.toFixed(100)
  const end = exact.indexOf('.') + 1 + digits
  const isTie = /^50*$/.test(exact.slice(end))
  const isEven = isTie && '02468'.includes(exact.slice(0, end).replace(/\.$/, '').at(-1) as string)
  return sign + (isEven ? exact.slice(0, end).replace(/\.$/, '') : size.toFixed(digits))
}
