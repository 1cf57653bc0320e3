import { failures } from '../failures.ts'

/** Headers of every request, names in lower case as HTTP/2 has them. What no header can carry is refused by name. */
export function checkedHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw failures.KUBE_BAD_CONNECTION({ detail: `the header ${JSON.stringify(name)} cannot be sent` })
    headers[name.toLowerCase()] = value
  }
  return headers
}
