import { failures } from '../failures.ts'

export type Headers = Record<string, string | string[]>

/** Headers of every request, names in lower case as HTTP/2 has them. What no header can carry is refused by name. */
export function checkedHeaders(given: Readonly<Headers>): Headers {
  const headers: Headers = {}
  for (const [name, value] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || ![value].flat().every(isSendable))
      throw failures.KUBE_BAD_CONNECTION({ detail: `the header ${JSON.stringify(name)} cannot be sent` })
    headers[name.toLowerCase()] = value
  }
  return headers
}

const isSendable = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
