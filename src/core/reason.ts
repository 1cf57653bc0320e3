declare const reason: unique symbol

/** The CamelCase reason of a condition, from a closed list: only `reasonCatalogue` makes one. A plain string on the wire. */
export type Reason = string & { readonly [reason]: true }

export type Reasons<Names extends string> = { readonly [Name in Names]: Reason } & {
  readonly [meanings]: Record<Names, string>
}

/** What each reason means, for the generated reference page. */
export const meanings = Symbol('meanings')

/** Declares reasons with what each tells a person. Each area has its own in `reasons.ts`. */
export function reasonCatalogue<const Names extends string>(declared: Record<Names, string>): Reasons<Names> {
  const names = Object.keys(declared).map((name) => [name, name])
  return Object.assign(Object.fromEntries(names), { [meanings]: declared })
}
