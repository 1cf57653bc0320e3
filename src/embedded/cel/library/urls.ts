import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'
import type { RequestUrl } from './request-url.ts'
import { escapedPath, hostname, parseRequestUrl, portOf, queryOf } from './request-url.ts'

export const urlType = 'kubernetes.URL'

export class KubeUrl {
  readonly typeName = urlType
  readonly parts: RequestUrl
  readonly text: string

  constructor(text: string) {
    this.parts = parseRequestUrl(text)
    this.text = text
  }

  equals(other: KubeUrl): boolean {
    return this.text === other.text
  }
}

function url(text: string): KubeUrl {
  try {
    return new KubeUrl(text)
  } catch (error) {
    throw new Error(`URL parse error during conversion from string: ${(error as Error).message}`)
  }
}

function isUrl(text: string): boolean {
  try {
    parseRequestUrl(text)
    return true
  } catch {
    return false
  }
}

const part = (name: string, read: (parts: RequestUrl) => unknown, type = 'string'): Overload =>
  overload(`${urlType}.${name}(): ${type}`, ({ parts }: KubeUrl) => read(parts))

/** URLs. */
export const urls: readonly Overload[] = [
  overload(`url(string): ${urlType}`, url),
  overload('isURL(string): bool', isUrl),
  part('getScheme', ({ scheme }) => scheme),
  part('getHost', ({ host }) => host),
  part('getHostname', hostname),
  part('getPort', portOf),
  part('getEscapedPath', escapedPath),
  part('getQuery', queryOf, 'map<string, list<string>>'),
]
