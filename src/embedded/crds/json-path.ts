import { isObject } from '../../core/schema/schema.ts'

/**
 * The JSON paths that printer columns take: fields, indexes, slices, wildcards, unions, `..` and filters. Throws an
 * Error for what is none. Asked with a value, the path gives what it leads to, in order; nothing where it leads nowhere.
 */
export function jsonPath(text: string): (value: unknown) => unknown[] {
  const steps = parse(text)
  return (value) => walk(steps, [value])
}

type Step = (value: unknown) => unknown[]

const walk = (steps: readonly Step[], values: unknown[]): unknown[] =>
  steps.reduce((found, step) => found.flatMap(step), values)

function parse(text: string): Step[] {
  const steps: Step[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === '[') {
      const end = closing(text, at)
      steps.push(bracket(text.slice(at + 1, end)))
      at = end + 1
      continue
    }
    if (text[at] !== '.') throw new Error(`unexpected ${text[at]} in the path ${text}`)
    const isDeep = text[at + 1] === '.'
    at += isDeep ? 2 : 1
    const name = /^(?:\\.|[^.[\]{}\\])*/s.exec(text.slice(at))?.[0] ?? ''
    at += name.length
    if (isDeep) steps.push(everyDepth)
    if (name !== '') steps.push(name === '*' ? members : field(unescaped(name)))
    else if (!isDeep && text[at] !== '[') steps.push(() => [])
  }
  return steps
}

const unescaped = (name: string): string => name.replaceAll(/\\(.)/gs, '$1')

function closing(text: string, from: number): number {
  let depth = 0
  let quote = ''
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? ''
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === "'" || char === '"') quote = char
    else if (char === '[') depth++
    else if (char === ']' && --depth === 0) return at
  }
  throw new Error(`unterminated array in the path ${text}`)
}

const field =
  (name: string): Step =>
  (value) =>
    isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []

const members: Step = (value) => (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [])

const everyDepth: Step = (value) => [value, ...members(value).flatMap(everyDepth)]

function bracket(inside: string): Step {
  const text = inside.trim()
  if (text === '*') return members
  if (text.startsWith('?(') && text.endsWith(')')) return filter(text.slice(2, -1))
  if (/^'(?:[^'])*'$/.test(text)) {
    const names = text.slice(1, -1).match(/(?:\\.|[^.\\])+/gs) ?? []
    return (value) =>
      walk(
        names.map((name) => field(unescaped(name))),
        [value],
      )
  }
  const parts = text.split(',').map((part) => items(part.trim(), inside))
  return (value) => parts.flatMap((part) => part(value))
}

function items(text: string, inside: string): Step {
  const found = /^(?:(-?\d+)|(-?\d*):(-?\d*)(?::(\d*))?)$/.exec(text)
  if (!found) throw new Error(`invalid array index ${inside}`)
  const [, index, from = '', to = '', by = ''] = found
  if (index !== undefined)
    return (value) => (Array.isArray(value) ? present(value.at(Number(index)), value, index) : [])
  const stride = by === '' ? 1 : Number(by)
  return (value) => {
    if (!Array.isArray(value)) return []
    const cut = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to))
    return stride <= 1 ? cut : cut.filter((_, place) => place % stride === 0)
  }
}

const present = (item: unknown, list: unknown[], index: string): unknown[] =>
  Number(index) < list.length && Number(index) >= -list.length ? [item] : []

const comparisons: Record<string, (left: unknown, right: unknown) => boolean> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => order(left, right) < 0,
  '<=': (left, right) => order(left, right) <= 0,
  '>': (left, right) => order(left, right) > 0,
  '>=': (left, right) => order(left, right) >= 0,
}

/** NaN, of which nothing is true, for what has no order. */
function order(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  return Number.NaN
}

function filter(text: string): Step {
  const found = /^(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s.exec(text.trim())
  if (!found) {
    const exists = operand(text.trim())
    return (value) => members(value).filter((item) => exists(item).length > 0)
  }
  const [, leftText = '', operator = '', rightText = ''] = found
  const [left, right] = [operand(leftText), operand(rightText)]
  const holds = comparisons[operator]
  return (value) =>
    members(value).filter((item) => {
      const [a, b] = [left(item), right(item)]
      return a.length > 0 && b.length > 0 && holds?.(a[0], b[0])
    })
}

function operand(text: string): Step {
  if (text.startsWith('@')) {
    const path = jsonPath(text.slice(1))
    return (item) => path(item)
  }
  if (/^'.*'$/s.test(text)) return () => [text.slice(1, -1)]
  if (/^"/.test(text) || /^-?\d/.test(text) || text === 'true' || text === 'false') {
    const value: unknown = JSON.parse(text)
    return () => [value]
  }
  throw new Error(`cannot compare with ${text}`)
}

/** A plain path, `.spec.replicas`: names of fields and nothing else. */
export const plainSteps = (path: string): string[] => path.replace(/^\./, '').split('.')

/** What a plain path leads to. */
export const valueAt = (object: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  )
