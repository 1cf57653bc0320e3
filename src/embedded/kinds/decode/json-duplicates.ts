import { goQuote } from '../../go-quote.ts'
import { mostFlaws } from './walk.ts'

/** Something that is open, and where it stands. `keys` is absent for an array. */
interface Open {
  path: string
  keys?: Set<string>
  key: string
  index: number
}

/** The keys that stand twice in an object, by their paths, in the order of the text, each once, the first of them. `text` is whole JSON. */
export function duplicateFields(text: string): string[] {
  const found = new Set<string>()
  const open: Open[] = []
  let expectsKey = false
  for (let at = 0; at < text.length && found.size < mostFlaws; at++) {
    const top = open.at(-1)
    switch (text[at]) {
      case '{':
        open.push({ path: pathBelow(top), keys: new Set(), key: '', index: 0 })
        expectsKey = true
        break
      case '[':
        open.push({ path: pathBelow(top), key: '', index: 0 })
        expectsKey = false
        break
      case '}':
      case ']':
        open.pop()
        expectsKey = false
        break
      case ',':
        if (top && !top.keys) top.index++
        expectsKey = top?.keys !== undefined
        break
      case '"': {
        const end = endOfString(text, at)
        if (expectsKey && top?.keys) {
          top.key = JSON.parse(text.slice(at, end))
          if (top.keys.has(top.key)) found.add(pathBelow(top))
          top.keys.add(top.key)
          expectsKey = false
        }
        at = end - 1
      }
    }
  }
  return [...found].map((path) => `duplicate field ${goQuote(path)}`)
}

function pathBelow(parent: Open | undefined): string {
  if (!parent) return ''
  if (!parent.keys) return `${parent.path}[${parent.index}]`
  return parent.path === '' ? parent.key : `${parent.path}.${parent.key}`
}

/** Past the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
