import type { Rule, Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import type { Understood } from '../../cel/cel.ts'
import { CompileFailure } from '../../cel/compile-failure.ts'
import { escapeName } from '../../cel/escape.ts'
import { ruleFieldPath } from './field-path.ts'
import type { RuleType } from './rule-types.ts'
import { ruleType } from './rule-types.ts'
import { oldSelfName, Scope, uses } from './scope.ts'

/** A rule, understood as far as it can be. */
export interface CompiledRule {
  readonly rule: Rule
  /** Absent for an empty rule, and for one that is wrong. */
  readonly program?: Understood
  /** Why there is no program. */
  readonly flaw?: string
  readonly usesOldSelf: boolean
  readonly message?: Understood
  readonly messageFlaw?: string
  /** Where its failures are told, from where it stands. */
  readonly path: string
}

/** The rules of one place in a schema and of the places below it that have some. */
export class RuleNode {
  readonly schema: Schema
  readonly rules: readonly Rule[]
  readonly type: RuleType | undefined
  readonly items: RuleNode | undefined
  readonly values: RuleNode | undefined
  readonly properties: ReadonlyMap<string, RuleNode>
  #compiled: readonly CompiledRule[] | undefined

  constructor(schema: Schema, type: RuleType | undefined) {
    const { items, additionalProperties } = schema
    this.schema = schema
    this.type = type
    this.rules = schema['x-kubernetes-validations'] ?? []
    this.items = items && nodeAt(items, type?.kind === 'list' ? type.items : undefined)
    this.values = isObject(additionalProperties)
      ? nodeAt(additionalProperties as Schema, type?.kind === 'map' ? type.values : undefined)
      : undefined
    this.properties = propertyNodes(schema, type)
  }

  get isEmpty(): boolean {
    const { rules, items, values, properties } = this
    return rules.length === 0 && !items && !values && properties.size === 0
  }

  /** Compiled when they are asked for first: a start with many definitions waits for none of them. */
  get compiled(): readonly CompiledRule[] {
    const { type, schema, rules } = this
    if (this.#compiled === undefined) {
      const scope = type && new Scope(type)
      this.#compiled = scope ? rules.map((rule) => compiledRule(rule, schema, scope)) : []
    }
    return this.#compiled
  }
}

/** Nothing for a schema without rules. */
export function ruleTree(schema: Schema, isResource = true): RuleNode | undefined {
  if (!hasRules(schema)) return undefined
  return new RuleNode(schema, ruleType(schema, isResource))
}

function hasRules({ items, properties, additionalProperties, ...schema }: Schema): boolean {
  return (
    (schema['x-kubernetes-validations']?.length ?? 0) > 0 ||
    (items !== undefined && hasRules(items)) ||
    Object.values(properties ?? {}).some(hasRules) ||
    (isObject(additionalProperties) && hasRules(additionalProperties as Schema))
  )
}

function nodeAt(schema: Schema, type: RuleType | undefined): RuleNode | undefined {
  const node = new RuleNode(schema, type)
  return node.isEmpty ? undefined : node
}

function propertyNodes(schema: Schema, type: RuleType | undefined): Map<string, RuleNode> {
  const nodes = new Map<string, RuleNode>()
  for (const [name, declared] of Object.entries(schema.properties ?? {})) {
    const node = nodeAt(declared, fieldType(name, declared, type))
    if (node) nodes.set(name, node)
  }
  return nodes
}

/** A name that expressions cannot say does not matter below it. */
function fieldType(name: string, schema: Schema, type: RuleType | undefined): RuleType | undefined {
  const escaped = escapeName(name)
  return escaped !== undefined && type?.kind === 'object' ? type.fields.get(escaped) : ruleType(schema)
}

function compiledRule(rule: Rule, schema: Schema, scope: Scope): CompiledRule {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false, path: '' }
  const { program, flaw } = compiled(() => scope.compile(rule.rule, rule))
  if (program === undefined) return { rule, flaw: flaw ?? '', usesOldSelf: false, path: '' }
  if (program.type !== 'bool')
    return { rule, flaw: 'cel expression must evaluate to a bool', usesOldSelf: false, path: '' }
  const usesOldSelf = uses(program.ast, oldSelfName)
  const known = {
    rule,
    program,
    usesOldSelf,
    path: rule.fieldPath ? (ruleFieldPath(rule.fieldPath, schema) ?? '') : '',
  }
  if (!rule.messageExpression) return known
  const message = compiled(() => scope.compile(rule.messageExpression ?? '', rule))
  if (message.program === undefined) return { ...known, messageFlaw: `messageExpression ${message.flaw}` }
  if (message.program.type !== 'string') return { ...known, messageFlaw: 'messageExpression must evaluate to a string' }
  return { ...known, message: message.program }
}

function compiled(compile: () => Understood): { program?: Understood; flaw?: string } {
  try {
    return { program: compile() }
  } catch (error) {
    if (!(error instanceof CompileFailure)) throw error
    return { flaw: error.message }
  }
}
