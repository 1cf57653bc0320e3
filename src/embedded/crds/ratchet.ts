import type { Before, Problem } from '../../core/schema/check.ts'
import { listProblems, problemsOf, valueProblems } from '../../core/schema/check.ts'
import type { Schema } from '../../core/schema/schema.ts'
import type { Correlated } from './correlated.ts'

/**
 * What a schema does not allow in a changed value. What was not changed may stay, so that a schema can become stricter
 * without making the objects that are there unchangeable; and lists with double items may go on being changed.
 */
export function problemsOfChange(schema: Schema, value: unknown, before: Correlated | undefined): Problem[] {
  if (!before) return problemsOf(schema, value)
  return [...valueProblems(schema, value, new Root(before)), ...changedListProblems(before)]
}

/** The same for a change of the status alone. Where problems of the status are, is told from the status on. */
export function problemsOfStatus(before: Correlated): { ofStatus: Problem[]; ofLists: Problem[] } {
  const { schema, value } = before
  const status = (value as Record<string, unknown>)['status']
  const ofStatus = schema.properties?.['status']
  const known = before.key('status')
  return {
    ofStatus: ofStatus && status !== undefined ? valueProblems(ofStatus, status, known && new Root(known)) : [],
    ofLists: changedListProblems(before),
  }
}

function changedListProblems({ schema, value, old }: Correlated): Problem[] {
  const problems = listProblems(schema, value)
  return problems.length > 0 && listProblems(schema, old).length > 0 ? [] : problems
}

/** The version of an object and of what it was are made the same before they are compared: these fields tell nothing. */
const typeFields: ReadonlySet<string> = new Set(['apiVersion', 'kind'])

class Root implements Before {
  readonly #before: Correlated

  constructor(before: Correlated) {
    this.#before = before
  }

  get isUnchanged(): boolean {
    return this.#before.isUnchanged
  }

  key(name: string): Before | undefined {
    return typeFields.has(name) ? undefined : this.#before.key(name)
  }

  index(index: number): Before | undefined {
    return this.#before.index(index)
  }
}
