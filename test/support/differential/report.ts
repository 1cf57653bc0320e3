import { inspect } from 'node:util'
import type { Difference } from './compare.ts'
import type { Request } from './request.ts'
import type { Finding } from './run.ts'

const short = (value: unknown): string => {
  const text = value === undefined ? '(absent)' : (JSON.stringify(value) ?? String(value))
  return text.length > 600 ? `${text.slice(0, 200)} … ${text.slice(-400)}` : text
}

const requestLines = ({ id, method, path, query = {}, headers = {}, body }: Request): string[] => [
  `#${id} ${method} ${path}`,
  ...Object.entries(query).map(([name, value]) => `   ?${name}=${typeof value === 'string' ? value : inspect(value)}`),
  ...Object.entries(headers).map(([name, value]) => `   ${name}: ${value}`),
  ...(body === undefined ? [] : [`   ${short(body)}`]),
]

const differenceLines = ({ where, embedded, real }: Difference): string[] => [
  `   ${where}`,
  `     embedded ${short(embedded)}`,
  `     real     ${short(real)}`,
]

const mostShown = Number(process.env['LANYARD_SHOWN'] ?? 4)

/** The request, and where both answers part. */
export const findingText = ({ request, differences }: Finding): string =>
  [...requestLines(request), ...differences.slice(0, mostShown).flatMap(differenceLines)].join('\n')
