import type { KubeconfigUser } from './user.ts'

/** Printable ASCII without spaces: what a credential in a header is made of. */
export const isHeaderText = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

/** The `Impersonate-*` headers of a user. A name with several values is sent once for each. */
export function impersonationHeaders(user: KubeconfigUser): Record<string, string | string[]> | undefined {
  if (user.as === undefined) return undefined
  const extra = Object.entries(user.asUserExtra ?? {}).map(([key, values]) => [
    `Impersonate-Extra-${escaped(key)}`,
    values,
  ])
  const all: [string, readonly string[]][] = [
    ['Impersonate-User', [user.as]],
    ['Impersonate-Uid', user.asUid === undefined ? [] : [user.asUid]],
    ['Impersonate-Group', user.asGroups ?? []],
    ...(extra as [string, string[]][]),
  ]
  const sent = all.filter(([, values]) => values.length > 0)
  return Object.fromEntries(sent.map(([name, values]) => [name, oneOrMany(values.map(utf8Bytes))]))
}

const oneOrMany = (values: string[]): string | string[] => (values.length === 1 ? (values[0] ?? '') : values)

/** Go's servers read headers as UTF-8; Node writes one byte for each character of a string. */
const utf8Bytes = (value: string): string => Buffer.from(value).toString('latin1')

/** Percent-encodes what a header name cannot carry, as client-go does and API servers undo. */
const escaped = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      const legal = /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character)
      return legal ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
