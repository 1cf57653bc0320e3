import { isObject } from '../../core/schema/schema.ts'
import { tooLarge } from '../status.ts'
import { equalJson, member } from './json.ts'
import { cannotDecode, rejected } from './patch-failures.ts'

type Json = Record<string, unknown>

interface Operation {
  op?: string | null
  path?: string | null
  from?: string | null
  value?: unknown
}

const mostOperations = 10_000

/** What all `copy` operations of a patch may add, in characters of JSON: a few of them could double a document at will. */
const mostCopied = 3 * 1024 * 1024

/** What is left of it, where one patch is applied in several steps. */
export interface CopyBudget {
  left: number
}

export const copyBudget = (): CopyBudget => ({ left: mostCopied })

/**
 * RFC 6902, as the API server's library reads it: `replace` of a member that is not there adds it, `copy` of one copies
 * null, `test` of one holds for null, and indices may count from the end. The document may be changed on the way.
 */
export function applyJsonPatch(document: Json, sent: unknown, budget = copyBudget()): Json {
  const operations = decodeOperations(sent)
  if (operations.length > mostOperations)
    throw tooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${mostOperations}, got ${operations.length}`,
    )
  let root: unknown = document
  for (const operation of operations) root = applyOperation(root, operation ?? {}, budget)
  if (!isObject(root)) throw rejected()
  return root
}

/** What strict field validation holds against a patch that is otherwise good. */
export function jsonPatchFlaws(sent: unknown): string[] {
  if (!Array.isArray(sent)) return []
  return sent.flatMap((operation, i) =>
    Object.keys(isObject(operation) ? operation : {})
      .filter((name) => !['op', 'path', 'from', 'value'].includes(name))
      .map((name) => `json patch unknown field "[${i}].${name}"`),
  )
}

function decodeOperations(sent: unknown): (Operation | null)[] {
  if (sent === null) return []
  if (!Array.isArray(sent)) throw cannotDecode(sent, 'value of type []handlers.jsonPatchOp')
  for (const operation of sent) {
    if (operation === null) continue
    if (!isObject(operation)) throw cannotDecode(operation, 'value of type handlers.jsonPatchOp')
    for (const name of ['op', 'path', 'from'])
      if (!['string', 'undefined'].includes(typeof (operation[name] ?? undefined)))
        throw cannotDecode(operation[name], `struct field jsonPatchOp.${name} of type string`)
  }
  return sent
}

function applyOperation(root: unknown, { op, path, from, value = null }: Operation, budget: CopyBudget): unknown {
  if (typeof path !== 'string') throw rejected()
  switch (op) {
    case 'add':
      add(find(root, path), structuredClone(value))
      return root
    case 'remove':
      take(find(root, path))
      return root
    case 'replace':
      if (path === '') return structuredClone(value)
      replace(find(root, path), structuredClone(value))
      return root
    case 'move': {
      const moved = take(find(root, from))
      add(find(root, path), moved)
      return root
    }
    case 'copy': {
      const text = JSON.stringify(get(find(root, from)) ?? null)
      budget.left -= text.length
      if (budget.left < 0) throw rejected()
      add(find(root, path), JSON.parse(text))
      return root
    }
    case 'test':
      if (!equalJson((path === '' ? root : get(find(root, path))) ?? null, value)) throw rejected()
      return root
    default:
      throw rejected()
  }
}

/** Where a path leads: something in an object or a list that is there; the thing itself need not be. */
interface Place {
  within: Json | unknown[]
  key: string
}

function find(root: unknown, path: string | null | undefined): Place {
  const [, ...keys] = (path ?? '').split('/').map((key) => key.replace(/~[01]/g, unescaped))
  const key = keys.pop()
  if (key === undefined) throw rejected()
  const within = keys.reduce<unknown>(
    (value, step) => (isContainer(value) ? get({ within: value, key: step }) : undefined),
    root,
  )
  if (!isContainer(within)) throw rejected()
  return { within, key }
}

const unescaped = (pair: string): string => (pair === '~1' ? '/' : '~')

const isContainer = (value: unknown): value is Json | unknown[] => Array.isArray(value) || isObject(value)

const get = ({ within, key }: Place): unknown =>
  Array.isArray(within) ? within[indexIn(within.length, key)] : member(within, key)

function add({ within, key }: Place, value: unknown): void {
  if (Array.isArray(within)) within.splice(key === '-' ? within.length : indexIn(within.length + 1, key), 0, value)
  else put(within, key, value)
}

function replace({ within, key }: Place, value: unknown): void {
  if (Array.isArray(within)) within[indexIn(within.length, key)] = value
  else put(within, key, value)
}

/** An assignment to `__proto__` would be no member. */
const put = (object: Json, name: string, value: unknown): void =>
  void Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })

function take({ within, key }: Place): unknown {
  if (Array.isArray(within)) return within.splice(indexIn(within.length, key), 1)[0]
  if (!Object.hasOwn(within, key)) throw rejected()
  const taken = within[key]
  delete within[key]
  return taken
}

/** Among `places`; below 0 it counts from the end. */
function indexIn(places: number, key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw rejected()
  const index = Number(key)
  if (index >= places || index < -places) throw rejected()
  return index < 0 ? index + places : Math.abs(index)
}
