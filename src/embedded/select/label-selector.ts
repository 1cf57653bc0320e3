export type Labels = Readonly<Record<string, string>>

type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface Requirement {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
}

/** All requirements hold; none of them selects everything. */
export type LabelSelector = readonly Requirement[]

/** Why a selector cannot be understood, in Kubernetes' words. */
export class SelectorFailure extends Error {}

/** Every requirement takes time to read, to put to a webhook and to match: Kubernetes takes what headers can hold. */
export const mostSelectorBytes = 64 * 1024

/** Before anything of a selector is read. */
export function checkLength(text: string): void {
  if (Buffer.byteLength(text) > mostSelectorBytes)
    throw new SelectorFailure(`a selector may not be longer than ${mostSelectorBytes} bytes`)
}

export const matchesLabels = (selector: LabelSelector, labels: Labels = {}): boolean =>
  selector.every((requirement) => meets(requirement, labels))

function meets({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
      return compare(value, values[0]) > 0
    case 'lt':
      return compare(value, values[0]) < 0
  }
}

/** NaN when one of them is no number. */
function compare(value: string | undefined, wanted: string | undefined): number {
  const [one, other] = [integerOf(value ?? ''), integerOf(wanted ?? '')]
  if (one === undefined || other === undefined) return Number.NaN
  return one === other ? 0 : one < other ? -1 : 1
}

const mostInteger = 2n ** 63n - 1n

/** A whole number of 64 bits; undefined when it is none. */
export function integerOf(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined
  const value = BigInt(text.replace('+', ''))
  return value > mostInteger || value < -mostInteger - 1n ? undefined : value
}

/** As objects write it: `matchLabels` and `matchExpressions`. */
export interface SelectorObject {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

const operators: Record<string, Operator> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }

/** A selector that an object holds. Undefined selects nothing in most places; ask before calling. */
export function selectorOf({ matchLabels = {}, matchExpressions = [] }: SelectorObject): LabelSelector {
  return [
    ...Object.entries(matchLabels).map(([key, value]): Requirement => ({ key, operator: '=', values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }): Requirement => {
      const known = operators[operator]
      if (!known) throw new SelectorFailure(`${JSON.stringify(operator)} is not a valid label selector operator`)
      return { key, operator: known, values }
    }),
  ]
}
