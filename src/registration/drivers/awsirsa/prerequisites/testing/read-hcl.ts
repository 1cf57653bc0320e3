/** A block such as `resource "type" "label" { … }`. */
export interface Block {
  readonly labels: string[]
  readonly attributes: Record<string, unknown>
}

/** As much of HCL as the prerequisites are written in: blocks, strings, lists, objects, `jsonencode` and references. */
export function readHcl(text: string): Block[] {
  const tokens = text.matchAll(/\s+|#.*|"(?:[^"\\\n]|\\.)*"|[\w.-]+|[[\]{}()=,]/g)
  const left: string[] = []
  let end = 0
  for (const { 0: token, index } of tokens) {
    if (index !== end) throw new Error(`not HCL: ${text.slice(end, index)}`)
    end = index + token.length
    if (!/^(?:\s|#)/.test(token)) left.push(token)
  }
  if (end !== text.length) throw new Error(`not HCL: ${text.slice(end)}`)
  const blocks: Block[] = []
  while (left.length > 0) blocks.push(block(left))
  return blocks
}

function block(left: string[]): Block {
  const labels: string[] = []
  while (left[0] !== '{') labels.push(left[0]?.startsWith('"') ? stringIn(take(left)) : take(left))
  return { labels, attributes: object(left) }
}

function object(left: string[]): Record<string, unknown> {
  take(left, '{')
  const members: [string, unknown][] = []
  while (left[0] !== '}') {
    const key = take(left)
    take(left, '=')
    members.push([key.startsWith('"') ? stringIn(key) : key, value(left)])
  }
  take(left, '}')
  return Object.fromEntries(members)
}

function value(left: string[]): unknown {
  if (left[0] === '{') return object(left)
  if (left[0] === '[') return list(left)
  const token = take(left)
  if (token.startsWith('"')) return stringIn(token)
  if (token !== 'jsonencode') return { reference: token }
  take(left, '(')
  const encoded = value(left)
  take(left, ')')
  return encoded
}

function list(left: string[]): unknown[] {
  take(left, '[')
  const members: unknown[] = []
  while (left[0] !== ']') {
    members.push(value(left))
    if (left[0] !== ']') take(left, ',')
  }
  take(left, ']')
  return members
}

function take(left: string[], expected?: string): string {
  const token = left.shift()
  if (token === undefined || (expected !== undefined && token !== expected))
    throw new Error(`${expected ?? 'more'} expected, ${token} found`)
  return token
}

/** Throws where HCL would begin an expression. */
function stringIn(token: string): string {
  const raw = token.slice(1, -1)
  if (/(?<!\$)\$\{|(?<!%)%\{/.test(raw)) throw new Error(`an expression in ${token}`)
  return JSON.parse(`"${raw.replaceAll(/([$%])\1\{/g, '$1{')}"`)
}
