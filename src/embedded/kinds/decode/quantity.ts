/** Suffixes in steps of 1000 and of 1024; the empty one is where both begin. */
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const wholeAt = decimal.indexOf('')
const billionths = 1_000_000_000n
/** Nobody means more digits than that, and arithmetic on a million of them would take seconds. */
const longest = 100
const mostOfInt64 = 2n ** 63n - 1n

export const badQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

/**
 * A quantity as Kubernetes writes it back: `1024Mi` is `1Gi`, `0.5` is `500m`. Undefined for what is none.
 * Parts smaller than a billionth are rounded up, as there; more than 64 bits become the most that 64 bits hold.
 */
export function canonicalQuantity(sent: string): string | undefined {
  const text = sent.trim()
  if (text.length > longest) return undefined
  if (/^(?:0|[1-9]\d{0,2})[mkMGT]?$/.test(text)) return text.startsWith('0') ? '0' : text
  const [, sign = '', whole = '', fraction = '', suffix = ''] =
    /^([+-]?)(\d*)\.?(\d*)([a-zA-Z]*|[eE][+-]?\d+)$/.exec(text) ?? []
  if (whole === '' && fraction === '') return undefined
  const scale = scaleOf(suffix)
  if (!scale) return undefined
  const digits = BigInt(`${whole}${fraction}` || '0')
  const nano = roundedUp(digits * billionths * scale.up, 10n ** BigInt(fraction.length) * scale.down)
  if (nano === 0n) return '0'
  const capped = nano > mostOfInt64 * billionths ? mostOfInt64 * billionths : nano
  return (sign === '-' ? '-' : '') + written(capped, scale.form)
}

type Form = 'decimal' | 'binary' | 'e' | 'E'

function scaleOf(suffix: string): { up: bigint; down: bigint; form: Form } | undefined {
  const tens = decimal.indexOf(suffix)
  if (tens >= 0) return { ...power(10n, (tens - wholeAt) * 3), form: 'decimal' }
  const twos = binary.indexOf(suffix)
  if (twos >= 0) return { ...power(2n, twos * 10), form: 'binary' }
  const [, letter, exponent = ''] = /^([eE])([+-]?\d{1,3})$/.exec(suffix) ?? []
  return letter ? { ...power(10n, Number(exponent)), form: letter as Form } : undefined
}

const power = (base: bigint, exponent: number) => ({
  up: exponent > 0 ? base ** BigInt(exponent) : 1n,
  down: exponent < 0 ? base ** BigInt(-exponent) : 1n,
})

const roundedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by

function written(nano: bigint, form: Form): string {
  if (form === 'binary' && nano % billionths === 0n && nano / billionths >= 1024n) {
    const [amount, steps] = reduced(nano / billionths, 1024n, binary.length - 1)
    return `${amount}${binary[steps]}`
  }
  const [amount, steps] = reduced(nano, 1000n, decimal.length - 1)
  if (form !== 'e' && form !== 'E') return `${amount}${decimal[steps]}`
  return steps === wholeAt ? `${amount}` : `${amount}${form}${(steps - wholeAt) * 3}`
}

/** Divided by `step` as often as that leaves no rest. */
function reduced(amount: bigint, step: bigint, most: number): [amount: bigint, steps: number] {
  let [left, steps] = [amount, 0]
  while (steps < most && left % step === 0n) [left, steps] = [left / step, steps + 1]
  return [left, steps]
}
