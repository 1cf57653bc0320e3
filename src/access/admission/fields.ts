/** What must be so of single fields. Each returns what is wrong with its value and what to do; undefined when nothing is. */
import { hasFormat } from '../../core/schema/formats.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { parseDuration } from '../duration.ts'

const pattern = /^[a-z0-9*]([-a-z0-9.*]*[a-z0-9*])?$/

/** Of clusters: names, in which a `*` stands for anything. */
export const clusterPatternProblem = (text: string): string | undefined =>
  text.length <= 253 && pattern.test(text)
    ? undefined
    : 'must be the name of a ClusterConfig, in which * may stand for anything'

export const wordProblem = (text: string): string | undefined =>
  text.trim() === text && text !== '' ? undefined : 'must not be empty, and not begin or end with a blank'

export const nameProblem = (text: string): string | undefined =>
  hasFormat('k8s-long-name', text) ? undefined : 'must be the name of an object'

/** The form is the schema's business. */
export const durationProblem = (text: string): string | undefined =>
  (parseDuration(text) ?? 0) > 0 ? undefined : 'must be longer than nothing, such as 30m'

/** Of each entry of a list. */
export const eachMistake = (
  field: string,
  values: readonly string[] | undefined,
  problemOf: (value: string) => string | undefined,
): Mistake[] => (values ?? []).flatMap((value, index) => mistakeOf(`${field}[${index}]`, value, problemOf))

/** Of a field that may be absent. */
export function mistakeOf(
  field: string,
  value: string | undefined,
  problemOf: (value: string) => string | undefined,
): Mistake[] {
  if (value === undefined) return []
  const problem = problemOf(value)
  return problem === undefined ? [] : [mistake(field, problem, value)]
}
