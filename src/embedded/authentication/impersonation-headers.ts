import { goQuote } from '../go-quote.ts'
import { badRequest } from '../status.ts'

/** Whom a request wants to act as: what its headers say, and nothing added. */
export interface WantedUser {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

const prefix = 'impersonate-'
const extraPrefix = 'impersonate-extra-'

/**
 * Undefined when the request comes as itself. Takes headers as they came, names and values by turns: Node joins
 * headers of one name, and a group may hold a comma.
 */
export function wantedUser(rawHeaders: readonly string[]): WantedUser | undefined {
  let [name, uid] = ['', '']
  let groups: string[] | undefined
  let extra: Map<string, string[]> | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length < prefix.length || (sent[0] !== 'i' && sent[0] !== 'I')) continue
    const header = sent.toLowerCase()
    if (!header.startsWith(prefix)) continue
    const value = Buffer.from(rawHeaders[index + 1] ?? '', 'latin1').toString()
    if (header === 'impersonate-user') name ||= value
    else if (header === 'impersonate-uid') uid ||= value
    else if (header === 'impersonate-group') groups = [...(groups ?? []), value]
    else if (header.startsWith(extraPrefix)) {
      const key = unescaped(header.slice(extraPrefix.length))
      extra ??= new Map()
      extra.set(key, [...(extra.get(key) ?? []), value])
    }
  }
  if (name !== '') return { name, uid, groups: groups ?? [], extra: Object.fromEntries(extra ?? []) }
  if (uid === '' && !groups && !extra) return undefined
  throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`)
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** As Go prints the value that Kubernetes has for it. */
function goUser(uid: string, groups?: readonly string[], extra?: ReadonlyMap<string, readonly string[]>): string {
  const list = (texts?: readonly string[]) => (texts ? `[]string{${texts.map(goQuote).join(', ')}}` : '[]string(nil)')
  const entries = [...(extra ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
  const map = extra
    ? `map[string][]string{${entries.map(([key, values]) => `${goQuote(key)}:${list(values)}`).join(', ')}}`
    : 'map[string][]string(nil)'
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${list(groups)}, Extra:${map}}`
}
