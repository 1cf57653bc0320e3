/** A metav1.LabelSelector. */
export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>
  matchExpressions?: readonly Requirement[]
}

interface Requirement {
  key: string
  operator: string
  values?: readonly string[]
}

type Labels = Readonly<Record<string, string>>

/**
 * No selector selects nothing, an empty one everything. One with a requirement that Kubernetes would refuse selects
 * nothing: no schema refuses it here, and of a list that people grant access by, nothing is the safe side.
 */
export function selects(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labelValue(labels, key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, labelValue(labels, requirement.key)))
  )
}

function holds({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return values.length > 0 && (value === undefined || !values.includes(value))
    case 'Exists':
      return values.length === 0 && value !== undefined
    case 'DoesNotExist':
      return values.length === 0 && value === undefined
    default:
      return false
  }
}

const labelValue = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined
