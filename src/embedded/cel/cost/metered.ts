import type { ASTNode } from '@marcbachmann/cel-js'
import { actualCost, actualSize } from './actual-cost.ts'
import { isConstant, isConstantCall } from './constants.ts'
import type { LoopCosts } from './loop-costs.ts'
import { loopCosts } from './loop-costs.ts'
import { Meter } from './meter.ts'
import { chargeWork } from './work.ts'

type Evaluate = (evaluator: unknown, node: unknown, scope: unknown) => unknown

/** What the library keeps of a node beside what it tells. */
interface Inner {
  evaluate: Evaluate
  readonly meta: {
    readonly evaluate: Evaluate
    readonly alternate?: { evaluate: Evaluate }
    readonly macro?: { evaluate: Evaluate }
  }
}

const namespaces: ReadonlySet<string> = new Set(['sets', 'ip', 'format', 'lists', 'optional', 'strings', 'jsonpatch'])

const free = (): number => 0

/** A variable, or a field that a way of names leads to. */
const isField = (node: ASTNode): boolean => node.op === 'id' || (node.op === '.' && isField(node.args[0]))

/** Has a checked expression count what evaluating it costs. A call is charged before it does anything. */
export function metered(root: ASTNode): Meter {
  const meter = new Meter()
  new Metering(meter).meter(root)
  return meter
}

class Metering {
  readonly #meter: Meter
  readonly #done = new Set<ASTNode>()

  constructor(meter: Meter) {
    this.#meter = meter
  }

  meter(node: ASTNode): void {
    if (this.#done.has(node)) return
    this.#done.add(node)
    const meter = this.#meter
    switch (node.op) {
      case 'value':
        return
      case 'id':
        this.#before(node, () => meter.spend(namespaces.has(node.args) ? 0 : 1))
        return
      case '.':
      case '.?':
        this.meter(node.args[0])
        this.#before(node, () => meter.spend(1))
        return
      case '?:':
        for (const part of node.args) this.meter(part)
        // A field is not looked up once more for being one of two to choose from.
        for (const branch of node.args.slice(1)) if (isField(branch)) this.#before(branch, () => meter.spend(-1))
        return
      case '&&':
      case '||':
        for (const part of node.args) this.meter(part)
        this.#before(node, () => meter.work(1))
        return
      case 'list':
        for (const part of node.args) this.meter(part)
        this.#before(node, () => meter.spend(isConstant(node) ? 0 : 10))
        return
      case 'map':
        for (const part of node.args.flat()) this.meter(part)
        this.#before(node, () => meter.spend(isConstant(node) ? 0 : 30))
        return
      case 'call':
      case 'rcall':
        this.#meterCall(node)
        return
      case '!_':
      case '-_':
        this.#meterOperands(node, node.op, [node.args])
        return
      default:
        this.#meterOperands(node, node.op, node.args as ASTNode[])
    }
  }

  #meterCall(node: Extract<ASTNode, { op: 'call' | 'rcall' }>): void {
    const [name] = node.args
    const args = node.args.at(-1) as ASTNode[]
    if (node.op === 'call') {
      if (name === 'has') this.#meterPresence(node, args)
      else this.#meterOperands(node, name, args)
      return
    }
    const receiver = node.args[1]
    const loop = loopCosts(name, args)
    if (loop) {
      this.#meterLoop(node, receiver, loop)
      return
    }
    const isNamespace = receiver.op === 'id' && namespaces.has(receiver.args)
    this.#meterOperands(node, isNamespace ? `${receiver.args}.${name}` : name, isNamespace ? args : [receiver, ...args])
  }

  #meterLoop(node: ASTNode, receiver: ASTNode, { once, early = 0, bodies }: LoopCosts): void {
    const meter = this.#meter
    let left = 0
    this.meter(receiver)
    this.#around(receiver, undefined, (range) => {
      left = actualSize(range)
    })
    for (const { body, before, after = free } of bodies) {
      this.meter(body)
      const charge = (value: unknown) => {
        left--
        meter.spend(after(value))
      }
      this.#around(body, () => meter.spend(before), charge)
    }
    this.#around(
      node,
      () => meter.spend(once),
      () => meter.spend(left > 0 ? early : 0),
    )
  }

  /** The library does not evaluate the parts of the way to the field that is asked for. */
  #meterPresence(node: ASTNode, [asked]: readonly ASTNode[]): void {
    let cost = 0
    let part = asked
    for (; part?.op === '.' || part?.op === '.?'; part = part.args[0]) cost++
    if (part) this.meter(part)
    this.#before(node, () => this.#meter.spend(Math.max(0, cost - 1)))
  }

  #meterOperands(node: ASTNode, name: string, operands: readonly ASTNode[]): void {
    for (const operand of operands) this.meter(operand)
    if (isConstantCall(node, name, operands)) return
    const call = new PendingCall(name, operands, this.#meter)
    for (const [index, operand] of operands.entries())
      if (operand.op !== 'value') this.#around(operand, undefined, (value) => call.give(index, value))
    this.#around(
      node,
      () => call.start(),
      () => call.charge(),
    )
  }

  #before(node: ASTNode, charge: () => void): void {
    this.#around(node, charge, undefined)
  }

  #around(node: ASTNode, before: (() => void) | undefined, after: ((value: unknown) => void) | undefined): void {
    const inner = node as unknown as Inner
    const evaluate = Object.hasOwn(inner, 'evaluate') ? inner.evaluate : evaluateOf(inner)
    inner.evaluate = (evaluator, self, scope) => {
      before?.()
      const value = evaluate(evaluator, self, scope)
      after?.(value)
      return value
    }
  }
}

/** The library puts what a node does in its place when it runs first, which would undo the metering. */
function evaluateOf({ meta }: Inner): Evaluate {
  const other = meta.alternate ?? meta.macro
  return other ? (evaluator, _, scope) => other.evaluate(evaluator, other, scope) : meta.evaluate
}

/** A call that is charged as soon as all its operands are there, and so before it does anything with them. */
class PendingCall {
  readonly #name: string
  readonly #meter: Meter
  readonly #values: unknown[]
  readonly #unknown: number
  #missing = 0
  #isCharged = false

  constructor(name: string, operands: readonly ASTNode[], meter: Meter) {
    this.#name = name
    this.#meter = meter
    this.#values = operands.map((operand) => (operand.op === 'value' ? operand.args : undefined))
    this.#unknown = operands.filter((operand) => operand.op !== 'value').length
  }

  start(): void {
    this.#missing = this.#unknown
    this.#isCharged = false
    if (this.#missing === 0) this.charge()
  }

  give(index: number, value: unknown): void {
    this.#values[index] = value
    this.#missing--
    if (this.#missing === 0) this.charge()
  }

  charge(): void {
    if (this.#isCharged) return
    this.#isCharged = true
    chargeWork(this.#name, this.#values, this.#meter)
    this.#meter.spend(actualCost(this.#name, this.#values))
  }
}
