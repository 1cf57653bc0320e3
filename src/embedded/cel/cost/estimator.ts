import { callEstimates } from './calls.ts'
import type { Declared } from './declared.ts'
import type { Call, Comprehension, Expression, Select } from './expression.ts'
import { isBind } from './expression.ts'
import { GoPath } from './go-path.ts'
import type { Node, Sizes } from './nodes.ts'
import type { Size } from './size.ts'
import { add, exactly, largest, multiply, unite, unknownSize } from './size.ts'
import { isScalar } from './types.ts'

const [listCost, mapCost] = [10n, 30n]

/** How large the keys and the values of a list or map are. */
interface Entries {
  readonly isList: boolean
  readonly key: Size
  readonly value: Size
}

interface Local {
  readonly path: GoPath
  readonly size: Size | undefined
  readonly entries: Entries | undefined
}

const nothingYet: Size = { min: largest, max: 0n }

/** Of one expression. The order of its steps is that of CEL in Go: what is known of a size hangs on it. */
export class Estimator implements Sizes {
  readonly #root: Declared
  readonly #paths = new Map<Expression, GoPath>()
  readonly #sizes = new Map<Expression, Size>()
  readonly #entries = new Map<Expression, Entries>()
  readonly #locals = new Map<string, Local[]>()

  constructor(root: Declared) {
    this.#root = root
  }

  cost(expression: Expression): bigint {
    switch (expression.kind) {
      case 'literal':
        return 0n
      case 'name':
        this.#paths.set(expression, this.#local(expression.name)?.path ?? GoPath.of(expression.name))
        return 1n
      case 'select':
        return this.#costOfSelect(expression)
      case 'call':
        return this.#costOfCall(expression)
      case 'list':
        return add(this.#costOfItems(expression, expression.items), listCost)
      case 'map':
        return add(this.#costOfEntries(expression), mapCost)
      case 'comprehension':
        return isBind(expression) ? this.#costOfBind(expression) : this.#costOfLoop(expression)
    }
  }

  sizeAt(path: GoPath): Size | undefined {
    if (path.length === 0) return undefined
    let declared: Declared | undefined = this.#root
    for (const step of path.afterVariable) {
      if (step === '@items' || step === '@values') declared = declared.item
      else declared = step === '@keys' ? declared.key : declared.fields?.get(step)
      if (!declared) return undefined
    }
    return { min: 0n, max: BigInt(declared.mostElements) }
  }

  #costOfSelect(select: Select): bigint {
    const { operand, field, isTest } = select
    const cost = this.cost(operand)
    if (isTest) return cost
    this.#paths.set(select, this.#path(operand).append(field))
    return operand.type.kind === 'map' || operand.type.kind === 'object' ? add(cost, 1n) : cost
  }

  #costOfCall(call: Call): bigint {
    const { name, args, target } = call
    if (name === 'dyn' && args[0]) {
      const cost = this.cost(args[0])
      this.#copySizes(call, args[0])
      return add(cost, 1n)
    }
    const argCosts: bigint[] = []
    const nodes: Node[] = []
    for (const arg of args) {
      argCosts.push(this.cost(arg))
      nodes.push(this.#node(arg))
    }
    const targetCost = target ? this.cost(target) : 0n
    const targetNode = target && this.#node(target)
    const spent = argCosts.reduce(add, targetCost)
    if (name === '_&&_' || name === '_||_') {
      this.#setSize(call, this.#size(call))
      return spent
    }
    if (name === '_?_:_') return this.#costOfChoice(call, argCosts)
    return add(spent, this.#costOfFunction(call, targetNode, nodes))
  }

  #costOfChoice(call: Call, [condition = 0n, left = 0n, right = 0n]: readonly bigint[]): bigint {
    const [, first, second] = call.args as [Expression, Expression, Expression]
    const [a, b] = [this.#entriesOf(first), this.#entriesOf(second)]
    this.#setEntries(call, a && b && united(a, b))
    this.#setSize(call, unite(this.#sizeOrUnknown(first), this.#sizeOrUnknown(second)))
    return add(condition, left > right ? left : right)
  }

  #costOfFunction(call: Call, target: Node | undefined, args: readonly Node[]): bigint {
    let most = 0n
    let size: Size | undefined
    for (const estimate of callEstimates(call.name, target, args, this)) {
      if (estimate.cost > most) most = estimate.cost
      if (estimate.size) size = size ? unite(size, estimate.size) : estimate.size
      const [first, second] = call.args
      if (estimate.joins && first && second) {
        const [a, b] = [this.#entriesOf(first), this.#entriesOf(second)]
        this.#setEntries(call, a && b && united(b, a))
      }
      if (estimate.step && first) {
        size = this.#entriesOf(first)?.value
        this.#paths.set(call, this.#path(first).append(estimate.step))
      }
      size ??= this.#size(call)
    }
    this.#setSize(call, size)
    return most
  }

  #costOfItems(list: Expression, items: readonly Expression[]): bigint {
    let cost = 0n
    let value = items.length === 0 ? exactly(0n) : nothingYet
    for (const item of items) {
      cost = add(cost, this.cost(item))
      value = unite(value, this.#sizeOrUnknown(item))
    }
    this.#setEntries(list, { isList: true, key: exactly(1n), value })
    return cost
  }

  #costOfEntries(map: Extract<Expression, { kind: 'map' }>): bigint {
    let cost = 0n
    let key = map.entries.length === 0 ? exactly(0n) : nothingYet
    let value = key
    for (const [name, held] of map.entries) {
      cost = add(add(cost, this.cost(name)), this.cost(held))
      key = unite(key, this.#sizeOrUnknown(name))
      value = unite(value, this.#sizeOrUnknown(held))
    }
    this.#setEntries(map, { isList: false, key, value })
    return cost
  }

  #costOfBind(bind: Comprehension): bigint {
    const { range, start, accumulator, result } = bind
    const before = add(this.cost(range), this.cost(start))
    this.#push(accumulator, this.#path(start), this.#size(start), this.#entriesOf(start))
    const cost = add(before, this.cost(result))
    this.#pop(accumulator)
    this.#copySizes(bind, result)
    return cost
  }

  #costOfLoop(loop: Comprehension): bigint {
    const { range, start, accumulator, names, condition, step, result } = loop
    const before = add(this.cost(range), this.cost(start))
    this.#push(accumulator, this.#path(start), this.#size(start), this.#entriesOf(start))
    this.#pushItems(range, names)
    const ofOne = add(this.cost(condition), this.cost(step))
    for (const name of names) this.#pop(name)
    const after = add(before, this.cost(result))
    this.#pop(accumulator)
    const count = this.#sizeOrUnknown(range)
    if (start.kind === 'literal') this.#setSize(loop, this.#size(start))
    else if (start.kind === 'list' || start.kind === 'map') {
      this.#setSize(loop, count)
      this.#setEntries(loop, this.#entriesOf(step))
    }
    return add(after, multiply(count.max, ofOne))
  }

  #pushItems(range: Expression, [first, second]: readonly string[]): void {
    const entries = this.#entriesOf(range)
    const isList = entries ? entries.isList : range.type.kind === 'list'
    const [key, value] = isList ? ['@indices', '@items'] : ['@keys', '@values']
    const pushKey = (name: string) => this.#push(name, this.#path(range).append(key), entries?.key, undefined)
    const pushValue = (name: string) => this.#push(name, this.#path(range).append(value), entries?.value, undefined)
    if (second !== undefined) {
      pushKey(first as string)
      pushValue(second)
    } else if (isList) pushValue(first as string)
    else pushKey(first as string)
  }

  #node(expression: Expression): Node {
    return { expression, size: this.#size(expression), path: this.#path(expression) }
  }

  #path(expression: Expression): GoPath {
    const local = expression.kind === 'name' ? this.#local(expression.name) : undefined
    return local?.path ?? this.#paths.get(expression) ?? GoPath.none
  }

  #size(expression: Expression): Size | undefined {
    const known = this.#sizes.get(expression) ?? writtenSize(expression)
    if (known) return known
    const declared = this.sizeAt(this.#path(expression))
    if (declared) {
      this.#sizes.set(expression, declared)
      return declared
    }
    if (isScalar(expression.type)) return exactly(1n)
    return expression.kind === 'name' ? this.#local(expression.name)?.size : undefined
  }

  #sizeOrUnknown(expression: Expression): Size {
    return this.#size(expression) ?? unknownSize
  }

  #entriesOf(expression: Expression): Entries | undefined {
    const known = this.#entries.get(expression)
    return known ?? (expression.kind === 'name' ? this.#local(expression.name)?.entries : undefined)
  }

  #copySizes(to: Expression, from: Expression): void {
    this.#setSize(to, this.#size(from))
    this.#setEntries(to, this.#entriesOf(from))
  }

  #setSize(expression: Expression, size: Size | undefined): void {
    if (size) this.#sizes.set(expression, size)
  }

  #setEntries(expression: Expression, entries: Entries | undefined): void {
    if (entries) this.#entries.set(expression, entries)
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #push(name: string, path: GoPath, size: Size | undefined, entries: Entries | undefined): void {
    const stack = this.#locals.get(name) ?? []
    stack.push({ path, size, entries })
    this.#locals.set(name, stack)
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop()
  }
}

const united = (a: Entries, b: Entries): Entries => ({
  isList: a.isList,
  key: unite(a.key, b.key),
  value: unite(a.value, b.value),
})

/** What an expression writes down says how large it is. */
function writtenSize(expression: Expression): Size | undefined {
  if (expression.kind === 'list') return exactly(BigInt(expression.items.length))
  if (expression.kind === 'map') return exactly(BigInt(expression.entries.length))
  if (expression.kind !== 'literal') return undefined
  const { value } = expression
  if (typeof value === 'string') return exactly(BigInt([...value].length))
  return exactly(value instanceof Uint8Array ? BigInt(value.length) : 1n)
}
