/** What a check of the layout needs to know of a TypeScript file. By hand: TypeScript 7 has no parser to call. */
export interface SourceScan {
  imports: Import[]
  /** The text with comments and the insides of strings, templates and regular expressions blanked; offsets stay. */
  code: string
  /** The line of an offset, from 1. */
  lineAt(offset: number): number
}

export interface Import {
  /** Undefined where it is computed, so that nothing can be said of it. */
  specifier: string | undefined
  kind: 'value' | 'type' | 'dynamic'
  line: number
}

export function scanSource(text: string): SourceScan {
  const code = blank(text)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const literalAt = (quote: number) => text.slice(quote + 1, code.indexOf(code[quote] ?? '', quote + 1))
  const imports: Import[] = []
  for (const match of code.matchAll(/\b(?:import|export)\s+(type\s+)?[\w$*{},\s]*?\bfrom\s*(?=['"])/g)) {
    const quote = match.index + match[0].length
    imports.push({ specifier: literalAt(quote), kind: match[1] ? 'type' : 'value', line: lineAt(quote) })
  }
  for (const match of code.matchAll(/\bimport\s*(?=['"])/g)) {
    const quote = match.index + match[0].length
    imports.push({ specifier: literalAt(quote), kind: 'value', line: lineAt(quote) })
  }
  for (const match of code.matchAll(/(?<![.\w$])(?:import|require)\s*\(\s*/g)) {
    const quote = match.index + match[0].length
    const literal = /^(['"`]) *\1\s*[,)]/.test(code.slice(quote))
    imports.push({ specifier: literal ? literalAt(quote) : undefined, kind: 'dynamic', line: lineAt(quote) })
  }
  return { imports: imports.sort((a, b) => a.line - b.line), code, lineAt }
}

/** After these a slash starts a regular expression; after anything else it divides. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in|await|throw|yield|else|do))\s*$/

function blank(text: string): string {
  let out = ''
  let at = 0
  /** One entry an open template, counting the braces open in its `${`. */
  const templates: number[] = []
  const keep = () => {
    out += text[at++]
  }
  const hide = () => {
    out += text[at++] === '\n' ? '\n' : ' '
  }
  /** Up to and without the first unescaped place where `ends` holds. */
  const hideUntil = (ends: () => boolean) => {
    while (at < text.length && !ends()) {
      if (text[at] === '\\') hide()
      if (at < text.length) hide()
    }
  }
  const template = () => {
    hideUntil(() => text[at] === '`' || text.startsWith('${', at))
    if (text[at] === '`') keep()
    else if (at < text.length) {
      keep()
      keep()
      templates.push(0)
    }
  }
  const regex = () => {
    let inClass = false
    keep()
    hideUntil(() => {
      if (text[at] === '[') inClass = true
      if (text[at] === ']') inClass = false
      return text[at] === '\n' || (text[at] === '/' && !inClass)
    })
    if (text[at] === '/') keep()
  }
  while (at < text.length) {
    const char = text[at]
    const open = templates.length - 1
    if (text.startsWith('//', at)) while (at < text.length && text[at] !== '\n') hide()
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      while (at < (end < 0 ? text.length : end + 2)) hide()
    } else if (char === "'" || char === '"') {
      keep()
      hideUntil(() => text[at] === char || text[at] === '\n')
      if (at < text.length) keep()
    } else if (char === '`') {
      keep()
      template()
    } else if (char === '/' && beforeRegex.test(out)) regex()
    else if (char === '{' && open >= 0) {
      templates[open] = (templates[open] ?? 0) + 1
      keep()
    } else if (char === '}' && open >= 0) {
      keep()
      if (templates[open] === 0) {
        templates.pop()
        template()
      } else templates[open] = (templates[open] ?? 0) - 1
    } else keep()
  }
  return out
}
