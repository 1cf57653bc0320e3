import { isDeepStrictEqual } from 'node:util'

type Json = Record<string, unknown>

interface Refusal {
  readonly reason: 'Invalid'
  readonly message: string
  readonly details: {
    readonly group?: string
    readonly name?: string
    readonly causes: readonly { readonly field: string }[]
  }
}

/**
 * Go walks a map in an order that it draws anew each time, and so are the errors that the real server finds in one:
 * two refusals that name the same flaws of a map's keys in another order are the same refusal.
 */
export function areShuffled(a: Json, b: Json): boolean {
  if (isConflict(a) && isConflict(b)) return areSameConflicts(a, b)
  if (!isRefusal(a) || !isRefusal(b) || !isOfMaps(a) || isDeepStrictEqual(a, b)) return false
  return isDeepStrictEqual(sorted(a), sorted(b))
}

interface Conflict {
  readonly reason: 'Conflict'
  readonly message: string
  readonly details: { readonly causes: readonly { readonly message: string }[] }
}

const isConflict = (value: unknown): value is Conflict => {
  const { reason, details } = value as Partial<Conflict>
  return reason === 'Conflict' && Array.isArray(details?.causes)
}

/** Managers are in a map as well; what is contested with one of them has an order. */
function areSameConflicts(a: Conflict, b: Conflict): boolean {
  const ofManagers = ({ details, message, ...rest }: Conflict) => ({
    rest,
    message: message
      .split(/(?=\bconflicts? with )/)
      .map((part) => part.trim())
      .sort(),
    causes: Object.groupBy(details.causes, ({ message }) => message),
  })
  return isDeepStrictEqual({ ...ofManagers(a) }, { ...ofManagers(b) })
}

const isRefusal = (value: unknown): value is Refusal => {
  const { reason, details } = value as Partial<Refusal>
  return reason === 'Invalid' && Array.isArray(details?.causes)
}

/** Schemas of custom kinds hold their fields in a map. */
const isOfMaps = ({ details }: Refusal): boolean =>
  details.group === 'differential.example.com' || details.causes.some(({ field }) => /\[[^\]\d][^\]]*\]/.test(field))

const uid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

/** A name that the server made up is compared where nothing is shuffled. */
const generated = /(?<=-|Bad Name|x{58})[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g

const causeText = (cause: object): string => JSON.stringify(Object.entries(cause).sort()).replace(uid, '')

/** Uids in the texts are left out: they are compared wherever the object itself is shown. */
const sorted = ({ message, details, ...rest }: Refusal): unknown => ({
  ...rest,
  message: [...message.replace(uid, '').replace(generated, '')].sort().join(''),
  details: { ...details, name: details.name?.replace(generated, ''), causes: details.causes.map(causeText).sort() },
})

const roleErrors = /RBAC: \[(.*)\]/s

/** Bindings are in a map, and each that names a role which is not there is told of. */
export const areSameRoleErrors = (a: string, b: string): boolean => {
  const sortedErrors = (text: string) => text.replace(roleErrors, (_, list: string) => list.split(', ').sort().join())
  return roleErrors.test(a) && roleErrors.test(b) && sortedErrors(a) === sortedErrors(b)
}
