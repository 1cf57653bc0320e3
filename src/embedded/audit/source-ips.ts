import { isIP } from 'node:net'
import type { ApiRequest } from '../requests/body.ts'
import { headerOf } from '../requests/body.ts'

/** Where a request says it comes from, and last, where it does: only that one nobody can make up. */
export function sourceIps(request: Pick<ApiRequest, 'headers'>, remote: string | undefined): string[] {
  const forwarded = headerOf(request, 'x-forwarded-for') ?? ''
  const ips = forwarded.split(',').flatMap((part) => canonical(part) ?? [])
  const real = canonical(headerOf(request, 'x-real-ip') ?? '')
  if (real !== undefined && !ips.includes(real)) ips.push(real)
  const peer = canonical(remote ?? '')
  if (peer !== undefined && ips.at(-1) !== peer) ips.push(peer)
  return ips
}

/** Each address written in one way; undefined for what is none. */
function canonical(text: string): string | undefined {
  const address = text.trim().replace(/^::ffff:(?=\d+\.)/i, '')
  const family = isIP(address)
  if (family !== 6 || address.includes('%')) return family === 4 ? address : undefined
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}
