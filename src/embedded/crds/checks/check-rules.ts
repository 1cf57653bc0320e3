import type { Rule, Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { Place } from '../../cel/cost/rule-costs.ts'
import { RuleCosts } from '../../cel/cost/rule-costs.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { invalidValue, notSupported, required } from '../../kinds/field-errors.ts'
import { ruleFieldPath } from '../rules/field-path.ts'
import type { CompiledRule } from '../rules/rule-tree.ts'
import { RuleNode } from '../rules/rule-tree.ts'
import { ruleType } from '../rules/rule-types.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const word = 'x-kubernetes-validations'

/** What the rules of one schema may say, as far as that shows without understanding them. */
export const checkRuleForms = (schema: Schema, field: string): FieldError[] =>
  (schema[word] ?? []).flatMap((rule, index) => checkRuleForm(rule, schema, `${field}.${word}[${index}]`))

function checkRuleForm({ rule = '', message = '', ...more }: Rule, schema: Schema, field: string): FieldError[] {
  const { messageExpression = '', reason, fieldPath = '' } = more
  const errors: FieldError[] = []
  if (rule.trim() === '') errors.push(required(`${field}.rule`, 'rule is not specified'))
  else if (message !== '' && message.trim() === '')
    errors.push(invalidValue(`${field}.message`, message, 'must be non-empty if specified'))
  else if (hasLineBreak(message.trim()))
    errors.push(invalidValue(`${field}.message`, message, 'must not contain line breaks'))
  else if (hasLineBreak(rule.trim()) && message.trim() === '')
    errors.push(required(`${field}.message`, 'message must be specified if rule contains line breaks'))
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified'))
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${field}.reason`, reason, reasons))
  if (fieldPath === '') return errors
  if (fieldPath.trim() === '')
    errors.push(invalidValue(`${field}.fieldPath`, fieldPath, 'must be non-empty if specified'))
  if (hasLineBreak(fieldPath))
    errors.push(invalidValue(`${field}.fieldPath`, fieldPath, 'must not contain line breaks'))
  if (ruleFieldPath(fieldPath, schema) === undefined)
    errors.push(invalidValue(`${field}.fieldPath`, fieldPath, 'must be a valid path'))
  return errors
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text)

export interface RuleCheck {
  /** Places at or below which something else is wrong: their rules are not looked at, as their types are not known. */
  readonly wrong: readonly string[]
  /** Of a schema that an update leaves as it was: what it cost before, it may cost on. */
  readonly isUnchanged: boolean
}

/** Compiles all rules of a schema whose form is good. */
export function checkRules(schema: Schema, field: string, { wrong, isUnchanged }: RuleCheck): FieldError[] {
  const costs = new RuleCosts({ isSuppressed: isUnchanged })
  const check = new RulesCheck(wrong, costs)
  check.visit({ node: new RuleNode(schema, ruleType(schema, true)), field, cost: costs.root(schema) })
  return [...check.errors, ...costs.total(field)]
}

interface At {
  readonly node: RuleNode
  readonly field: string
  readonly cost: Place
  /** The list around it whose items cannot be told apart: `oldSelf` means nothing in it. */
  readonly uncorrelated?: string | undefined
}

class RulesCheck {
  readonly errors: FieldError[] = []
  readonly #wrong: readonly string[]
  readonly #costs: RuleCosts

  constructor(wrong: readonly string[], costs: RuleCosts) {
    this.#wrong = wrong
    this.#costs = costs
  }

  visit(at: At): void {
    const { node, field, cost } = at
    const { schema, items, values, properties } = node
    const under = (part: Schema, place: string, child: RuleNode | undefined, uncorrelated = at.uncorrelated) => {
      if (child) this.visit({ node: child, field: `${field}.${place}`, cost: cost.child(part), uncorrelated })
    }
    if (isObject(schema.additionalProperties))
      under(schema.additionalProperties as Schema, 'additionalProperties', values)
    for (const [name, part] of Object.entries(schema.properties ?? {}))
      under(part, `properties[${name}]`, properties.get(name))
    const isKeyed = schema['x-kubernetes-list-type'] === 'map'
    if (schema.items) under(schema.items, 'items', items, isKeyed ? at.uncorrelated : (at.uncorrelated ?? field))
    this.#check(at)
  }

  #check(at: At): void {
    const { node, field } = at
    if (node.rules.length === 0 || this.#wrong.some((place) => isWithin(place, field))) return
    if (node.type === undefined) this.errors.push(untyped(`${field}.${word}`))
    else
      for (const [index, compiled] of node.compiled.entries())
        this.errors.push(...this.#checkRule(compiled, at, `${field}.${word}[${index}]`))
  }

  #checkRule(compiled: CompiledRule, { cost, uncorrelated }: At, field: string): FieldError[] {
    const { rule, program, flaw, message, messageFlaw, usesOldSelf } = compiled
    const { optionalOldSelf } = rule
    const errors: FieldError[] = []
    if (program) errors.push(...this.#costs.rule(`${field}.rule`, program.ast, cost, optionalOldSelf))
    if (flaw !== undefined) errors.push(ruleError(`${field}.rule`, rule, flaw))
    if (messageFlaw !== undefined) errors.push(ruleError(`${field}.messageExpression`, rule, messageFlaw))
    if (message)
      errors.push(...this.#costs.messageExpression(`${field}.messageExpression`, message.ast, cost, optionalOldSelf))
    if (usesOldSelf && uncorrelated !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
      errors.push(invalidValue(`${field}.rule`, rule.rule, why))
    }
    if (!usesOldSelf && optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule'
      errors.push(invalidValue(`${field}.optionalOldSelf`, optionalOldSelf, why))
    }
    return errors
  }
}

const isWithin = (place: string, field: string): boolean =>
  place === field || place.startsWith(`${field}.`) || place.startsWith(`${field}[`)

const untyped = (field: string): FieldError => ({
  reason: 'InternalError',
  field,
  message:
    'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
})

/** As the API server's code holds a rule, which it prints as a whole. */
const ruleError = (field: string, rule: Rule, why: string): FieldError => {
  const held = {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${goJson(held)}: ${why}` }
}

/** Go writes JSON so that it may stand in HTML. */
const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
