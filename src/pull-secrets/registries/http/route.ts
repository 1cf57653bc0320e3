import { failures } from '../../failures.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** A call whose path is safe to send: only a route makes one. */
export interface RoutedCall {
  readonly method: Method
  readonly path: string
}

type SegmentNames<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | SegmentNames<Rest>
  : never
type Segments<T extends string> = { readonly [Name in SegmentNames<T>]: string }

const routed = new WeakSet<RoutedCall>()

/** Whether a route made it. The client sends nothing else, so that the routes of a driver are the list of what it can do. */
export const isRouted = (call: RoutedCall): boolean => routed.has(call)

/**
 * A row in the table of calls that a driver makes. Each segment has to match its rule in full before it is encoded:
 * `encodeURIComponent` leaves dots as they are, and a robot called `..` would turn its removal into the removal of the
 * whole organization.
 *
 * @example route('GET', '/organization/{org}/robots/{robot}', { org: orgRule, robot: robotRule })
 */
export const route =
  <const T extends string>(method: Method, template: T, rules: { readonly [Name in SegmentNames<T>]: RegExp }) =>
  (registry: string, segments: Segments<T>): RoutedCall => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: SegmentNames<T>) => {
      const segment = segments[name]
      if (!isSafeSegment(segment, rules[name]))
        throw failures.REGISTRY_REFUSED({ registry, detail: `its ${name} is not fit for a path; nothing was sent` })
      return encodeURIComponent(segment)
    })
    const call = { method, path }
    routed.add(call)
    return call
  }

/** Whatever the rule says, a segment that a server might take for a step up or for nothing is never sent. */
export const isSafeSegment = (segment: string, rule: RegExp): boolean =>
  segment !== '' && !/^\.+$/.test(segment) && rule.exec(segment)?.[0] === segment
