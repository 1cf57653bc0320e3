/** What two clusters cannot have in common, by what it is. What is equal within one output stays equal. */
export function normalise(text: string): string {
  const readable = text.replace(/\beyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+/g, (_, claims: string) => tokenOf(claims))
  const sorted = sortedOwners(replaceAll(readable.replace(/^\{".*\}$/gm, sortedJson)))
  return numbered(sorted, uuid, 'uid')
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
const base64Certificate = /\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g

const replacements: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]+)-----[\s\S]*?-----END \1-----(?:\n|\\n)?/g, '<$1>\n'],
  [base64Certificate, '<base64 of a certificate>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  [/127\.0\.0\.1:\d+/g, '<server>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4}(?: [A-Z]+)?/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  // The lines of kubectl's own log. What it says about its watches depends on when it was told to stop.
  [/^(?:! )?[EWIF]\d{4} [\d:.]+ +\d+ reflector\.go:.*\n/gm, ''],
  [/^(! )?([EWIF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\S+?):\d+\]/gm, '$1$2 <time> $3]'],
  [/(\\?"?(?:resourceVersion|Resource Version)\\?"?: *)\\?"?[1-9]\d*\\?"?/g, '$1<version>'],
  [/(Expected resource version to be \d+, was) \d+/g, '$1 <version>'],
  [/\bgo1\.\d+(?:\.\d+)?/g, '<Go>'],
  [/\bnode v\d+\.\d+\.\d+/g, '<Node>'],
  [/\bX509SHA256=[0-9a-f]{64}\b/g, 'X509SHA256=<digest>'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1-<number>'],
  [/\b(kubectl\S*-edit)-\d+\./g, '$1-<number>.'],
  [/\b10\.0\.0\.\d+\b/g, '<cluster address>'],
  [/:3\d{4}\/(TCP|UDP)\b/g, ':<node port>/$1'],
  [/\b(nodePort: )3\d{4}\b/g, '$1<node port>'],
  [/\b(kube-api-access|generated)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-<random>'],
  // An age stands alone in its column; anything else that lasts keeps its number.
  [/(?<=^|\s)(?<!: *|for )(?:(?:\d+[dhms])+|<invalid>)(?= {2,}|$| \(x\d|\)(?: {2,}|$))/gm, '<age>'],
  // Columns are as wide as their widest cell, be it one of the above or not.
  [/(?<=\S) {2,}/g, '  '],
  [/[ \t]+$/gm, ''],
]

const replaceAll = (text: string): string =>
  replacements.reduce((so, [pattern, instead]) => so.replace(pattern, instead), text)

/** The members of an object have no order. */
function sortedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, sortedMembers), null, 2)
  } catch {
    return text
  }
}

const sortedMembers = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** Owners of fields are in the order of the seconds in which they wrote, which may be the same one or not. */
const sortedOwners = (text: string): string =>
  text.replace(/^( *)managedFields:\n((?:\1- .*\n(?:\1 {2}.*\n)*)+)/gm, (_, indent: string, list: string) => {
    const owners = list.split(new RegExp(`^(?=${indent}- )`, 'm'))
    return `${indent}managedFields:\n${owners.toSorted().join('')}`
  })

function numbered(text: string, pattern: RegExp, what: string): string {
  const known = new Map<string, number>()
  return text.replace(pattern, (found) => {
    if (!known.has(found)) known.set(found, known.size + 1)
    return `<${what} ${known.get(found)}>`
  })
}

interface Claims {
  iat: number
  nbf: number
  exp: number
  [claim: string]: unknown
}

/** A token is read: what it claims can be compared, and how long it lasts in place of from when until when. */
function tokenOf(encoded: string): string {
  const { iat, nbf, exp, ...rest } = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as Claims
  return `<token ${JSON.stringify({ ...rest, startsAfter: nbf - iat, lasts: exp - nbf })}>`
}
