import { Optional } from '@marcbachmann/cel-js'
import type { Rule, Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { OutOfBudget } from '../../cel/checks.ts'
import { Budget } from '../../cel/cost/budget.ts'
import { CostLimitExceeded } from '../../cel/cost/meter.ts'
import { goQuote } from '../../go-quote.ts'
import { inSlices } from '../../in-slices.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { duplicateValue, forbiddenField, invalidValue, required } from '../../kinds/field-errors.ts'

import type { Correlated } from '../correlated.ts'
import { byIdentity, identityOf, mapKeysOf } from '../correlated.ts'
import type { CompiledRule, RuleNode } from './rule-tree.ts'
import { oldSelfName, selfName } from './scope.ts'

/** What is checked, beside what it was before. */
export interface Subject {
  readonly value: unknown
  /** Undefined or null where nothing correlates. */
  readonly old: unknown
  /** Where it is: `spec.items[0]`. Empty for a whole object. */
  readonly field: string
  /** What did not change may stay as it is, even if a rule says otherwise. */
  readonly ratchet: Ratchet
}

/** The nearest part of an object that correlates with what it was: what fails in it is a warning if it did not change. */
export interface Ratchet {
  readonly current?: Correlated | undefined
  readonly parent?: Correlated | undefined
}

export interface Outcome {
  readonly errors: readonly FieldError[]
  /** What fails and may stay. */
  readonly warnings: readonly string[]
}

/** All rules of a schema on an object, or on a part of one. */
export function runRules(tree: RuleNode, subject: Subject): Outcome {
  const run = new Run()
  for (const _ of run.visit(tree, subject));
  return run
}

/** The same, while others are served in between: what rules may cost is a second of a processor. */
export async function runRulesInSlices(tree: RuleNode, subject: Subject): Promise<Outcome> {
  const run = new Run()
  await inSlices(run.visit(tree, subject))
  return run
}

class Run implements Outcome {
  readonly errors: FieldError[] = []
  readonly warnings: string[] = []
  readonly #budget = new Budget()
  /** Too much was spent: no rule is run any more. */
  #isOver = false;

  /** Yields after each rule. */
  *visit(node: RuleNode, subject: Subject): Generator<void> {
    const { value } = subject
    if (this.#isOver || value === undefined || value === null) return
    yield* this.#visitRules(node, subject)
    if (Array.isArray(value)) yield* this.#visitItems(node, value, subject)
    else if (isObject(value)) yield* this.#visitFields(node, value, subject)
  }

  *#visitItems(
    { items, schema }: RuleNode,
    value: readonly unknown[],
    { old, field, ratchet }: Subject,
  ): Generator<void> {
    if (!items) return
    const keys = mapKeysOf(schema)
    const before = keys && Array.isArray(old) ? byIdentity(old, keys) : undefined
    for (const [index, item] of value.entries()) {
      const identity = keys && identityOf(item, keys)
      yield* this.visit(items, {
        value: item,
        old: identity === undefined ? undefined : before?.get(identity),
        field: `${field}[${index}]`,
        ratchet: below(ratchet, (current) => current.index(index)),
      })
    }
  }

  *#visitFields({ values, properties }: RuleNode, value: Record<string, unknown>, subject: Subject): Generator<void> {
    const { old, field } = subject
    for (const name of Object.keys(value)) {
      const node = values ?? properties.get(name)
      if (!node) continue
      const isRoot = subject.ratchet.parent === undefined && (name === 'apiVersion' || name === 'kind')
      yield* this.visit(node, {
        value: value[name],
        old: isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined,
        field: values ? `${field}[${name}]` : field === '' ? name : `${field}.${name}`,
        // The version of an object and of what it was are made the same before they are compared.
        ratchet: isRoot ? {} : below(subject.ratchet, (current) => current.key(name)),
      })
    }
  }

  *#visitRules(node: RuleNode, subject: Subject): Generator<void> {
    const { rules, type, schema } = node
    if (rules.length === 0) return
    const place = subject.field === '' ? '<nil>' : subject.field
    const typeName = schema.type ?? ''
    if (type === undefined) {
      const why = 'rule compiler initialization error: failed to convert to declType for CEL validation rules'
      this.errors.push(invalidValue(place, typeName, why))
      return
    }
    if (this.#budget.isSpent) {
      this.#isOver = true
      this.errors.push(invalidValue(place, typeName, new OutOfBudget().message))
    }
    const variables = new Variables(node, subject)
    for (const compiled of node.compiled) {
      if (this.#isOver) return
      if (compiled.flaw !== undefined)
        this.errors.push(invalidValue(place, typeName, `rule compile error: ${compiled.flaw}`))
      else this.#runRule(compiled, node, subject, variables)
      yield
    }
  }

  #runRule(compiled: CompiledRule, { schema }: RuleNode, subject: Subject, variables: Variables): void {
    const { rule, program, usesOldSelf } = compiled
    const isNew = subject.old === undefined || subject.old === null
    if (program === undefined || (usesOldSelf && isNew && !rule.optionalOldSelf)) return
    const place = subject.field === '' ? '<nil>' : subject.field
    try {
      if (this.#budget.run(program, variables.for(rule)) === true) return
    } catch (error) {
      this.#isOver = isEnd(error)
      this.errors.push(invalidValue(place, schema.type ?? '', evaluationWords(error, rule)))
      return
    }
    const field = compiled.path === '' ? place : [subject.field, compiled.path].filter(Boolean).join('.')
    const failure = this.#failure(compiled, field, schema, subject.value, variables)
    if (!usesOldSelf && mayStay(subject.ratchet)) this.warnings.push(`${failure.field}: ${failure.message}`)
    else this.errors.push(failure)
  }

  #failure({ rule, message }: CompiledRule, field: string, { type }: Schema, value: unknown, variables: Variables) {
    const isStructured = type === 'object' || type === 'array'
    try {
      // The real server makes messages with a plain oldSelf, even for rules that take it as an optional one.
      const plain = variables.for({ ...rule, optionalOldSelf: false })
      const made = message && attempt(() => this.#budget.run(message, plain))
      return failureFor(rule, { field, value: isStructured ? undefined : value, why: messageOf(rule, made) })
    } catch (error) {
      this.#isOver = true
      return invalidValue(field, type ?? '', messageEndWords(error, rule))
    }
  }
}

const isEnd = (error: unknown): boolean => error instanceof OutOfBudget || error instanceof CostLimitExceeded

const below = ({ current, parent }: Ratchet, step: (current: Correlated) => Correlated | undefined): Ratchet =>
  current ? { current: step(current), parent: current } : { parent }

const mayStay = ({ current, parent }: Ratchet): boolean => (current ?? parent)?.isUnchanged ?? false

/** `self` and `oldSelf` as values of CEL, made when they are asked for first. */
class Variables {
  readonly #node: RuleNode
  readonly #subject: Subject
  #self: unknown
  #oldSelf: unknown

  constructor(node: RuleNode, subject: Subject) {
    this.#node = node
    this.#subject = subject
  }

  for({ optionalOldSelf = false }: Rule): Record<string, unknown> {
    const { value, old } = this.#subject
    const hasOld = old !== undefined && old !== null
    this.#self ??= this.#node.type?.toValue(value)
    if (hasOld) this.#oldSelf ??= this.#node.type?.toValue(old)
    const oldSelf = optionalOldSelf ? (hasOld ? Optional.of(this.#oldSelf) : Optional.none()) : this.#oldSelf
    return { [selfName]: this.#self, ...(oldSelf !== undefined && { [oldSelfName]: oldSelf }) }
  }
}

const ruleText = ({ message = '', rule }: Rule): string => (message === '' ? rule : message).trim()

function evaluationWords(error: unknown, rule: Rule): string {
  const words = error instanceof Error ? error.message : String(error)
  if (error instanceof OutOfBudget) return words
  if (error instanceof CostLimitExceeded)
    return `'${words}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`
  return words.startsWith('no such overload')
    ? `'${words}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
    : `${words} evaluating rule: ${ruleText(rule)}`
}

const longestMessageBytes = 5 * 1024

/** What an expression makes of it, if that is a message; what the rule says otherwise. */
function messageOf(rule: Rule, made: unknown): string {
  const text = typeof made === 'string' ? made.trim() : ''
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= longestMessageBytes) return text
  return rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`
}

const messageEndWords = (error: unknown, { messageExpression }: Rule): string =>
  error instanceof OutOfBudget
    ? 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
    : `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(messageExpression ?? '')}`

/** Undefined if it fails, other than for what it costs. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (isEnd(error)) throw error
    return undefined
  }
}

interface Failure {
  readonly field: string
  /** Undefined: not to be told. */
  readonly value: unknown
  readonly why: string
}

function failureFor({ reason }: Rule, { field, value, why }: Failure): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, why)
    case 'FieldValueRequired':
      return required(field, why)
    case 'FieldValueDuplicate':
      return value === undefined
        ? { ...duplicateValue(field, ''), message: 'Duplicate value' }
        : duplicateValue(field, value)
    default:
      return value === undefined
        ? { reason: 'FieldValueInvalid', field, message: `Invalid value: ${why}` }
        : invalidValue(field, value, why)
  }
}
