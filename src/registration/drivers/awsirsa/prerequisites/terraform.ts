import type { NeededRole } from './roles.ts'

/** Two resources. What is more than the field has is told in comments, each at the end of its line. */
export function asTerraform({ name, description, tags, trust, policy, additions }: NeededRole): string {
  const reasons = new Map(additions.map(({ what, reason }) => [what, reason]))
  const label = name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_')
  const encoded = (document: unknown) => `jsonencode(${expressionOf(document, '  ', reasons)})`
  const lines = [
    '# Comments beside a line tell why Lanyard needs it; the others are those of Open Cluster Management.',
    `resource "aws_iam_role" "${label}" {`,
    `  name = ${stringOf(name)}`,
    `  description = ${stringOf(description)}`,
    `  assume_role_policy = ${encoded(trust)}`,
    `  tags = ${expressionOf(tags, '  ', reasons)}`,
    '}',
    '',
    `resource "aws_iam_role_policy" "${label}" {`,
    `  name = ${stringOf(policy.name)}`,
    `  role = aws_iam_role.${label}.id`,
    `  policy = ${encoded(policy.document)}`,
    '}',
    '',
  ]
  return lines.join('\n')
}

type Reasons = ReadonlyMap<string, string>

/** One member a line, so that a comment has room. */
function expressionOf(value: unknown, indent: string, reasons: Reasons): string {
  if (typeof value !== 'object' || value === null) return stringOf(String(value))
  const inner = `${indent}  `
  const line = (written: string, member: unknown, end: string, reason: string | undefined) =>
    `${inner}${written}${expressionOf(member, inner, reasons)}${end}${reason === undefined ? '' : ` # ${reason}`}\n`
  const reasonOf = (member: unknown) => (typeof member === 'string' ? reasons.get(member) : undefined)
  if (Array.isArray(value))
    return `[\n${value.map((member) => line('', member, ',', reasonOf(member))).join('')}${indent}]`
  const members = Object.entries(value)
  if (members.length === 0) return '{}'
  const lines = members.map(([key, member]) =>
    line(`${stringOf(key)} = `, member, '', reasons.get(key) ?? reasonOf(member)),
  )
  return `{\n${lines.join('')}${indent}}`
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' }

/** In quotes, with nothing left that HCL would take for the end of it or for the begin of an expression. */
export function stringOf(text: string): string {
  const escaped = text
    .replaceAll(/[\p{Cc}"\\\u2028\u2029]/gu, (char) => escapes[char] ?? unicodeEscape(char))
    .replaceAll(/[$%]\{/g, (opening) => `${opening[0]}${opening}`)
  return `"${escaped}"`
}

const unicodeEscape = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
