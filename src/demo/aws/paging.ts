import { checkedNumber } from './limits.ts'
import type { Params, Xml } from './query-protocol.ts'
import { refuse } from './refusals.ts'
import type { World } from './state.ts'

/** The part of a list that one answer holds; undefined for a place that was not given out. */
export function page<T>(
  all: readonly T[],
  from: string | undefined,
  most: number,
): { items: T[]; next?: string } | undefined {
  const start = from === undefined ? 0 : placeOf(from)
  if (start === undefined) return undefined
  const end = start + most
  return { items: all.slice(start, end), ...(end < all.length && { next: markerOf(end) }) }
}

const markerOf = (place: number): string => Buffer.from(`from ${place}`).toString('base64url')

function placeOf(marker: string): number | undefined {
  const [, place] = /^from (\d+)$/.exec(Buffer.from(marker, 'base64url').toString()) ?? []
  return place === undefined ? undefined : Number(place)
}

/** A list of IAM: `Marker` and `MaxItems` asked, `IsTruncated` and `Marker` answered. */
export function listed<T>(
  { pageSize }: World,
  params: Params,
  name: string,
  all: readonly T[],
  show: (one: T) => Xml,
): Xml {
  const asked = checkedNumber('maxItems', params.get('MaxItems'), { least: 1, most: 1000, fallback: 100 })
  const marker = params.get('Marker')
  const { items, next } =
    page(all, marker, Math.min(asked, pageSize)) ?? refuse('MARKER_UNKNOWN', { marker: marker ?? '' })
  return { [name]: items.map(show), IsTruncated: next !== undefined, Marker: next }
}
