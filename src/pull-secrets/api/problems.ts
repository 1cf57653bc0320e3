import type { Failure } from '../../core/failure.ts'
import type { FieldError, ProblemFacts, ProblemOf } from '../../fleet/rest.ts'

type Facts = ProblemFacts | ((failure: Failure) => ProblemFacts)

const suspended: ProblemFacts = { code: 'CNF-003', slug: 'resource-conflict' }
const conflict: ProblemFacts = { code: 'CNF-001', slug: 'resource-conflict' }
const missing: ProblemFacts = { code: 'NTF-001', slug: 'resource-not-found' }
const internal: ProblemFacts = { code: 'INT-001', slug: 'internal-error' }
const upstream: ProblemFacts = { code: 'SVC-004', slug: 'upstream-error' }
const away = ({ params }: Failure): ProblemFacts => ({
  code: 'SVC-001',
  slug: 'service-unavailable',
  retryAfterSeconds: Number(params['retryAfterSeconds'] ?? 5),
})

/** By code of the catalogue. What is not here, on purpose, never answers a request: it is told as an internal error. */
const facts: Readonly<Record<string, Facts>> = {
  REGISTRY_NAME_TAKEN: conflict,
  REGISTRY_UNCERTAIN: { code: 'SVC-003', slug: 'upstream-error', retryAfterSeconds: 5 },
  REGISTRY_UNAVAILABLE: (failure) => ({ ...away(failure), code: 'SVC-002' }),
  REGISTRY_UNAUTHORIZED: upstream,
  REGISTRY_REFUSED: upstream,
  PULL_NAME_IMPOSSIBLE: ({ params, message }) => ({
    code: 'VAL-002',
    slug: 'validation-error',
    errors: [{ field: String(params['field']), constraint: 'pattern', message }],
  }),
  PULL_UNSAFE_NAME: internal,
  PULL_TOKEN_UNREADABLE: internal,
  PULL_KEY_MISSING: away,
  PULL_KEY_IN_USE: conflict,
  PULL_KEY_RECENT: conflict,
  PULL_KEY_UNKNOWN: missing,
  PULL_BUSY: away,
  PULL_DATABASE_AWAY: away,
  PULL_LISTS_BUSY: away,
  PULL_SUSPENDED: suspended,
  PULL_DELETING: suspended,
  PULL_NO_SECRET: missing,
  PULL_NO_CLUSTER: { ...missing, code: 'NTF-002' },
  PULL_NO_ROTATION: missing,
  PULL_ROTATION_OPEN: ({ params }) => ({ ...suspended, more: { rotation_id: String(params['rotation']) } }),
  PULL_ROTATION_WRONG_PHASE: suspended,
  PULL_NO_REGISTRY: missing,
  PULL_NOT_OWNER: { code: 'AUZ-001', slug: 'permission-denied' },
  PULL_ACCESS_AWAY: away,
  STATUS_UNSENT: away,
  PULL_BAD_CLUSTER_ID: { code: 'VAL-005', slug: 'validation-error' },
  PULL_INPUT: inputFacts,
}

/** One mistake has a code of its own, several are VAL-000. */
function inputFacts({ params }: Failure): ProblemFacts {
  const errors = params['errors'] as readonly FieldError[] | undefined
  const count = errors?.length ?? Number(params['count'])
  const single = errors?.[0]?.constraint === 'required' ? 'VAL-001' : 'VAL-002'
  return { code: count > 1 ? 'VAL-000' : single, slug: 'validation-error', ...(errors && { errors }) }
}

export const problemOf: ProblemOf = (failure) => {
  const known = facts[failure.code]
  return typeof known === 'function' ? known(failure) : known
}

export const mappedCodes: readonly string[] = Object.keys(facts)
