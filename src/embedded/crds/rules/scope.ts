import type { ASTNode } from '@marcbachmann/cel-js'
import type { Rule } from '../../../core/schema/schema.ts'
import type { Setting, Understood } from '../../cel/cel.ts'
import { newEnvironment, settingIn, understand } from '../../cel/cel.ts'
import { CompileFailure, compileFailureOf } from '../../cel/compile-failure.ts'
import { nodesOf } from '../../cel/shape.ts'
import type { ObjectType, RuleType } from './rule-types.ts'

export const selfName = 'self'
export const oldSelfName = 'oldSelf'

/** What the rules of one place in a schema are compiled in: `self` and `oldSelf` are values of this type. */
export class Scope {
  readonly #type: RuleType
  readonly #settings = new Map<boolean, Setting>()
  /** Objects by their number in the names that the library is given. Few names for all schemas: it keeps them for ever. */
  readonly #objects: { type: ObjectType; path: string }[] = []

  constructor(type: RuleType) {
    this.#type = type
  }

  /** Throws a CompileFailure. */
  compile(expression: string, { optionalOldSelf = false }: Rule): Understood {
    try {
      return understand(expression, this.#settingFor(optionalOldSelf))
    } catch (error) {
      if (!(error instanceof CompileFailure) || error.flaws.length === 0) throw error
      const flaws = error.flaws.map(({ offset, words }) => ({ offset, words: this.#withRealNames(words) }))
      throw compileFailureOf(expression, flaws)
    }
  }

  #settingFor(isOptional: boolean): Setting {
    let setting = this.#settings.get(isOptional)
    if (setting === undefined) {
      setting = this.#newSetting(isOptional)
      this.#settings.set(isOptional, setting)
    }
    return setting
  }

  #newSetting(isOptional: boolean): Setting {
    this.#objects.length = 0
    const environment = newEnvironment()
    const self = this.#nameOf(this.#type, '')
    for (let index = 0; index < this.#objects.length; index++) {
      const { type, path } = this.#objects[index] as { type: ObjectType; path: string }
      const fields: Record<string, string> = Object.create(null)
      for (const [name, field] of type.fields) fields[name] = this.#nameOf(field, `${path}.${name}`)
      for (const [name, meant] of type.names) fields[name] ??= fields[`__${meant}__`] ?? 'dyn'
      environment.registerType(objectName(index), { ctor: type.valueClass, fields })
    }
    environment.registerVariable(selfName, self)
    environment.registerVariable(oldSelfName, isOptional ? `optional<${self}>` : self)
    return settingIn(environment)
  }

  /** Numbers the object types that it meets, for them to be registered in turn. */
  #nameOf(type: RuleType, path: string): string {
    switch (type.kind) {
      case 'scalar':
        return type.name
      case 'list':
        return `list<${this.#nameOf(type.items, `${path}.@idx`)}>`
      case 'map':
        return `map<string, ${this.#nameOf(type.values, `${path}.@elem`)}>`
      case 'object':
        this.#objects.push({ type, path })
        return objectName(this.#objects.length - 1)
    }
  }

  #withRealNames(words: string): string {
    return words.replaceAll(/k8s\.self\.(\d+)/g, (_, number) => `selfType0${this.#objects[Number(number)]?.path ?? ''}`)
  }
}

const objectName = (index: number): string => `k8s.self.${index}`

/** Whether an expression names a variable, and not only something of its own that is called the same. */
export function uses(ast: ASTNode, variable: string): boolean {
  const named = [...nodesOf(ast)].filter(({ op, args }) => op === 'id' && args === variable)
  const own = [...nodesOf(ast)].filter(
    ({ op, args }) => op === 'rcall' && isNamed((args as unknown[][])[2]?.[0], variable),
  )
  return named.length > 0 && own.length === 0
}

const isNamed = (node: unknown, name: string): boolean =>
  typeof node === 'object' && node !== null && (node as ASTNode).op === 'id' && (node as ASTNode).args === name
