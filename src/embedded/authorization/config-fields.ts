/** Fields of an authorizer, as the file may hold them. A list stands for a list of such objects, true for a plain value. */
interface Shape {
  readonly [field: string]: true | Shape | readonly [Shape]
}

const authorizer: Shape = {
  type: true,
  name: true,
  webhook: {
    authorizedTTL: true,
    cacheAuthorizedRequests: true,
    unauthorizedTTL: true,
    cacheUnauthorizedRequests: true,
    timeout: true,
    subjectAccessReviewVersion: true,
    matchConditionSubjectAccessReviewVersion: true,
    failurePolicy: true,
    connectionInfo: { type: true, kubeConfigFile: true },
    matchConditions: [{ expression: true }],
  },
}

/** What a typo would otherwise do silently: `unknown field "authorizers[0].webhok"`. */
export const unknownFields = (authorizers: readonly unknown[]): string[] =>
  authorizers.flatMap((item, index) => strangers(item, authorizer, `authorizers[${index}]`))

function strangers(value: unknown, shape: Shape, at: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, held]) => {
    const known = shape[field]
    if (known === undefined) return [`unknown field ${JSON.stringify(`${at}.${field}`)}`]
    if (known === true) return []
    if (!isList(known)) return strangers(held, known, `${at}.${field}`)
    const items: unknown[] = Array.isArray(held) ? held : []
    return items.flatMap((item, index) => strangers(item, known[0], `${at}.${field}[${index}]`))
  })
}

const isList = (shape: Shape | readonly [Shape]): shape is readonly [Shape] => Array.isArray(shape)
