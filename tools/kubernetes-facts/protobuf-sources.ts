import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ProtoField {
  readonly number: number
  readonly name: string
  /** `string`, `[]string`, `map[string]string`; messages by the name that OpenAPI has for them. */
  readonly type: string
}

export interface GoField {
  /** Empty for a struct whose fields stand in the outer object. */
  readonly jsonName: string
  /** Whether JSON leaves it out when it is zero. */
  readonly isOmittedWhenZero: boolean
}

/** What one Go package says about its types. */
export interface Package {
  /** By the name of the message. */
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>
  /** By `Struct.number`. */
  readonly fields: ReadonlyMap<string, GoField>
  /** Types that are lists, which protobuf can only write as messages. */
  readonly lists: ReadonlySet<string>
}

/** The packages in those folders, by the beginning that names in OpenAPI have: `io.k8s.api.core.v1`. Read when asked for. */
export function packagesIn(folders: readonly string[]): (name: string) => Package {
  const found = new Map<string, { folder: string; text: string }>()
  for (const root of folders)
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!/(^|\/)generated\.proto$/.test(path)) continue
      const text = readFileSync(join(root, path), 'utf8')
      found.set(packageOf(text), { folder: join(root, path, '..'), text })
    }
  const read = new Map<string, Package>()
  return (name) => {
    const known = read.get(name)
    if (known) return known
    const source = found.get(name)
    if (!source) throw new Error(`no generated.proto of ${name} is in these folders`)
    const files = readdirSync(source.folder).filter((file) => isHandWritten(file))
    const parsed = readPackage(
      source.text,
      files.map((file) => readFileSync(join(source.folder, file), 'utf8')),
    )
    read.set(name, parsed)
    return parsed
  }
}

const isHandWritten = (file: string): boolean => /\.go$/.test(file) && !/_test\.go$|generated/.test(file)

export function readPackage(proto: string, goFiles: readonly string[]): Package {
  const fields = new Map<string, GoField>()
  const lists = new Set<string>()
  for (const text of goFiles) {
    for (const [, name = ''] of text.matchAll(/^type (\w+) \[\]/gm)) lists.add(name)
    for (const [, struct, body = ''] of text.matchAll(/^type (\w+) struct \{$(.*?)^\}$/gms))
      for (const line of body.split('\n')) {
        const field = goField(line)
        if (field) fields.set(`${struct}.${field.number}`, field)
      }
  }
  return { messages: messagesOf(proto), fields, lists }
}

function goField(line: string): (GoField & { number: number }) | undefined {
  const [, type = '', tags = ''] = /^\s*(?:\w+\s+)?(\S+)\s+`(.*)`/.exec(line) ?? []
  const [, json = ''] = /\bjson:"([^"]*)"/.exec(tags) ?? []
  const [, protobuf] = /\bprotobuf:"\w+,(\d+),/.exec(tags) ?? []
  if (protobuf === undefined) return undefined
  const [jsonName = '', ...options] = json.split(',')
  const isOmitted = options.some((option) => option === 'omitempty' || option === 'omitzero')
  return { number: Number(protobuf), jsonName, isOmittedWhenZero: isOmitted && !type.startsWith('*') }
}

const messageBlock = /^message (\w+) \{$(.*?)^\}$/gms
const field = /^(?:(optional|required|repeated) ([\w.]+)|map<(\w+), ([\w.]+)>) (\w+) = (\d+);$/

function messagesOf(proto: string): Map<string, ProtoField[]> {
  const own = packageOf(proto)
  const messages = new Map<string, ProtoField[]>()
  for (const [, message = '', body = ''] of proto.matchAll(messageBlock)) {
    const fields: ProtoField[] = []
    for (const line of body.split('\n').map((line) => line.trim())) {
      if (line === '' || line.startsWith('//')) continue
      const [, label, single, key, value, name = '', number] = field.exec(line) ?? []
      if (number === undefined || (key !== undefined && key !== 'string'))
        throw new Error(`cannot tell what to do with ${message}: ${line}`)
      const type = typeName(single ?? value ?? '', own)
      const prefix = key ? 'map[string]' : label === 'repeated' ? '[]' : ''
      fields.push({ number: Number(number), name, type: `${prefix}${type}` })
    }
    messages.set(message, fields)
  }
  return messages
}

const packageOf = (proto: string): string => openApiName(/^package ([\w.]+);$/m.exec(proto)?.[1] ?? '')

const scalars = ['bool', 'bytes', 'double', 'int32', 'int64', 'string']

function typeName(written: string, own: string): string {
  if (scalars.includes(written)) return written
  return written.startsWith('.') ? openApiName(written.slice(1)) : `${own}.${written}`
}

const openApiName = (name: string): string => name.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-')
