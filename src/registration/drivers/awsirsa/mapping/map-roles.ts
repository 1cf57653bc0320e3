import { isDeepStrictEqual } from 'node:util'
import type { Document, YAMLSeq } from 'yaml'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { endOf, flowRanges, indentOf, isEmptyNode, lineEnd, linesOf, startOf, unreadable } from './yaml-places.ts'

/** An entry of `mapRoles`, as the authenticator of EKS reads it. */
export interface MappedRole {
  roleArn: string
  username: string
  groups: readonly string[]
}

/** The text of `mapRoles`, read. To read a long one takes a while: keep it for as long as the text is the same. */
export interface MapRoles {
  readonly text: string
  /** Absent: there is nothing but white space and comments. */
  readonly seq?: YAMLSeq
  readonly entries: readonly Entry[]
}

type Entry = Readonly<Record<string, unknown>>

export function readMapRoles(text: string): MapRoles {
  const document = parseDocument(text, { keepSourceTokens: true, uniqueKeys: false, merge: true })
  const [error] = document.errors
  if (error) throw unreadable(`${error.code} at character ${error.pos[0]}`)
  const { contents } = document as Document
  const isEmpty = isScalar(contents) && contents.value === null && isEmptyNode(contents)
  if (contents === null || isEmpty) return { text, entries: [] }
  if (!isSeq(contents)) throw unreadable('it is not a list')
  const seq = contents as YAMLSeq
  const entries = contentOf(seq, document as Document)
  if (!isListOfMaps(entries) || !seq.items.every(isMap)) throw unreadable('not every entry is a map')
  return { text, seq, entries }
}

/** To read an alias may fail where to parse it did not. */
function contentOf(seq: YAMLSeq, document: Document): unknown {
  try {
    return seq.toJS(document)
  } catch (error) {
    throw unreadable('an alias leads nowhere', error)
  }
}

const isListOfMaps = (value: unknown): value is Entry[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'object' && entry !== null && !Array.isArray(entry))

/** The entries for a role; there should be one at most. */
export const entriesFor = ({ entries }: MapRoles, roleArn: string): MappedRole[] =>
  entries.filter((entry) => isFor(entry, roleArn)).map(mappedRole)

/**
 * The same with this entry for its role, and no other for it. Everything else is kept byte for byte: the YAML library
 * says where things are, and only characters are cut and put in. To print the document anew would lose its layout.
 */
export function withEntry(roles: MapRoles, wanted: MappedRole): MapRoles {
  const found = entriesFor(roles, wanted.roleArn)
  if (found.length === 1 && isDeepStrictEqual(found[0], wanted)) return roles
  const bare = withoutEntry(roles, wanted.roleArn)
  return proven(roles, inserted(bare, wanted), wanted.roleArn, [wanted])
}

/** The same without any entry for this role. */
export function withoutEntry(roles: MapRoles, roleArn: string): MapRoles {
  const { text, seq, entries } = roles
  const own = entries.flatMap((entry, index) => (isFor(entry, roleArn) ? [index] : []))
  const [index] = own
  if (!seq || index === undefined) return roles
  const cuts = seq.flow ? flowRanges(text, seq, index) : [linesOf(text, seq, index)]
  const cut = cuts
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, { start, end }) => left.slice(0, start) + left.slice(end), text)
  // One at a time: each cut moves what comes after it.
  const others = entriesFor(roles, roleArn).slice(1)
  return withoutEntry(proven(roles, cut, roleArn, others), roleArn)
}

/** No text is handed out in which another entry reads differently than before. */
function proven(before: MapRoles, text: string, roleArn: string, own: readonly MappedRole[]): MapRoles {
  const after = readMapRoles(text)
  const others = ({ entries }: MapRoles) => entries.filter((entry) => !isFor(entry, roleArn))
  if (!isDeepStrictEqual(others(after), others(before)) || !isDeepStrictEqual(entriesFor(after, roleArn), own))
    throw unreadable('its layout leaves no safe place for a change')
  return after
}

/** The authenticator reads keys as Go reads JSON, without regard to capitals, and ARNs as IAM does. */
const field = (entry: Entry, name: string): unknown =>
  Object.entries(entry).findLast(([key]) => key.toLowerCase() === name)?.[1]

const isFor = (entry: Entry, roleArn: string): boolean =>
  String(field(entry, 'rolearn')).trim().toLowerCase() === roleArn.toLowerCase()

function mappedRole(entry: Entry): MappedRole {
  const groups = field(entry, 'groups')
  return {
    roleArn: String(field(entry, 'rolearn')),
    username: String(field(entry, 'username') ?? ''),
    groups: Array.isArray(groups) ? groups.map(String) : [],
  }
}

function inserted({ text, seq }: MapRoles, wanted: MappedRole): string {
  if (!seq) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block(wanted, '')}\n`
  const last = seq.items.at(-1)
  if (seq.flow) {
    const at = last ? endOf(last) : startOf(seq) + 1
    return `${text.slice(0, at)}${last ? ', ' : ''}${flow(wanted)}${text.slice(at)}`
  }
  const at = lineEnd(text, endOf(last))
  const entry = block(wanted, ' '.repeat(indentOf(text, seq, 0)))
  // Where the last line has no end, ours has none either: to remove it again gives the same text.
  if (text[at - 1] !== '\n') return `${text.slice(0, at)}\n${entry}${text.slice(at)}`
  return `${text.slice(0, at)}${entry}\n${text.slice(at)}`
}

/** Quoted: the name of a cluster may read as a number or as `null`. */
const block = ({ roleArn, username, groups }: MappedRole, indent: string): string =>
  [
    `- rolearn: ${roleArn}`,
    `  username: ${JSON.stringify(username)}`,
    '  groups:',
    ...groups.map((group) => `  - ${JSON.stringify(group)}`),
  ]
    .map((line) => indent + line)
    .join('\n')

const flow = ({ roleArn, username, groups }: MappedRole): string =>
  JSON.stringify({ rolearn: roleArn, username, groups })
