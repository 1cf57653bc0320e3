import type { LineCounter, YAMLParseError } from 'yaml'

type Wording = (text: string) => { readonly words: string; readonly isAtEnd?: boolean }

const unstartable: Wording = () => ({ words: 'found character that cannot start any token' })

const unended =
  (bracket: string): Wording =>
  (text) => ({
    words: /[:,{[]\s*$/.test(text) ? 'did not find expected node content' : `did not find expected ',' or '${bracket}'`,
    isAtEnd: true,
  })

/** What the parser here holds against a text, and what Go's says of the same. */
const wordings: readonly (readonly [RegExp, Wording])[] = [
  [
    /^Missing closing ["']quote/,
    (text) => ({
      words: /(?<!\\)(\\\\)*\\$/.test(text) ? 'found unknown escape character' : 'found unexpected end of stream',
    }),
  ],
  [/^Flow map .*end with a }$/, unended('}')],
  [/^Flow sequence .*end with a \]$/, unended(']')],
  [/^Block collections are not allowed within flow/, () => ({ words: 'did not find expected node content' })],
  [/^Nested mappings are not allowed/, () => ({ words: 'mapping values are not allowed in this context' })],
  [/^Tabs are not allowed as indentation/, unstartable],
  [/^Plain value cannot start with/, unstartable],
]

/** Why a text is no YAML, as the real server words it. Lines are counted from zero there, and the first is not named. */
export function yamlWords({ message, pos }: YAMLParseError, text: string, lines: LineCounter): string {
  const { line } = lines.linePos(pos[0])
  const wording = wordings.find(([pattern]) => pattern.test(message))?.[1]
  if (!wording) return `yaml: line ${line}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  const { words, isAtEnd = false } = wording(text)
  const named = isAtEnd ? text.trimEnd().split('\n').length : line === 1 ? 0 : line
  return named === 0 ? `yaml: ${words}` : `yaml: line ${named}: ${words}`
}
