import type { ASTNode } from '@marcbachmann/cel-js'
import type { Schema } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField } from '../../kinds/field-errors.ts'
import { declare, mostRequestBytes } from './declared.ts'
import { estimateCost } from './estimate.ts'
import { add, largest, multiply } from './size.ts'

/** What one expression, and all of a schema together, may be estimated to cost. */
const mostOfOne = 10_000_000n
const mostOfAll = 100_000_000n

/** A schema inside of another, and how often there can be a value for it in one object. */
export class Place {
  readonly schema: Schema
  readonly #isRoot: boolean
  /** Nothing if a list or map around it has no limit: then as often as it fits into a request. */
  readonly #count: bigint | undefined
  #declared: ReturnType<typeof declare> | null = null

  constructor(schema: Schema, count: bigint | undefined, isRoot: boolean) {
    this.schema = schema
    this.#count = count
    this.#isRoot = isRoot
  }

  child(schema: Schema): Place {
    const most = mostChildren(this.schema)
    const count = this.#count === undefined || most === undefined ? undefined : multiply(this.#count, most)
    return new Place(schema, count, schema['x-kubernetes-embedded-resource'] === true)
  }

  get declared(): ReturnType<typeof declare> {
    if (this.#declared === null) this.#declared = declare(this.schema, this.#isRoot)
    return this.#declared
  }

  get count(): bigint {
    return this.#count ?? BigInt(Math.floor(mostRequestBytes / ((this.declared?.leastBytes ?? 0) + 1)))
  }
}

function mostChildren({ type, additionalProperties, maxProperties, maxItems }: Schema): bigint | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : BigInt(Math.max(0, maxItems))
  if (type !== 'object' || additionalProperties === undefined) return 1n
  return maxProperties === undefined ? undefined : BigInt(Math.max(0, maxProperties))
}

interface Charged {
  readonly field: string
  readonly cost: bigint
}

/** What the rules of one version's schema may cost, in the words of the API server where that is too much. */
export class RuleCosts {
  readonly #isSuppressed: boolean
  #total = 0n
  #dearest: readonly Charged[] = []

  /** Of a schema that an update leaves as it was, only the total counts. */
  constructor({ isSuppressed }: { readonly isSuppressed: boolean }) {
    this.#isSuppressed = isSuppressed
  }

  root(schema: Schema): Place {
    return new Place(schema, 1n, true)
  }

  /** A rule at `field`, for which `place` may hold many values. */
  rule(field: string, expression: ASTNode, place: Place, hasOptionalOldSelf = false): FieldError[] {
    const cost = multiply(estimate(expression, place, hasOptionalOldSelf), place.count)
    return this.#charge({ field, cost }, 'estimated rule cost')
  }

  /** Of those that fail, one is told: how many values there are does not count. */
  messageExpression(field: string, expression: ASTNode, place: Place, hasOptionalOldSelf = false): FieldError[] {
    const cost = estimate(expression, place, hasOptionalOldSelf)
    return this.#charge({ field, cost }, 'estimated messageExpression cost')
  }

  /** Once all were told; `field` is that of the schema. */
  total(field: string): FieldError[] {
    if (this.#total <= mostOfAll) return []
    const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#dearest.map((charged) => forbiddenField(charged.field, why)),
      forbiddenField(field, exceeds(name, this.#total, mostOfAll)),
    ]
  }

  #charge(charged: Charged, name: string): FieldError[] {
    this.#total = add(this.#total, charged.cost)
    if (charged.cost >= mostOfAll / 100n)
      this.#dearest = [...this.#dearest, charged].toSorted((a, b) => Number(b.cost - a.cost)).slice(0, 4)
    if (this.#isSuppressed || charged.cost <= mostOfOne) return []
    return [forbiddenField(charged.field, exceeds(name, charged.cost, mostOfOne))]
  }
}

const estimate = (expression: ASTNode, { declared }: Place, hasOptionalOldSelf: boolean): bigint =>
  declared ? estimateCost(expression, declared, hasOptionalOldSelf) : largest

function exceeds(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit)
  const told = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${name} exceeds budget by factor of ${told} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
