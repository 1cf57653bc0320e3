/** Unclear: a policy says something that cannot be judged from here, such as an address somebody has to come from. */
export type Verdict = 'allowed' | 'refused' | 'unclear'

/** What somebody wants to do, with everything that conditions are expected to ask about. */
export interface Request {
  readonly action: string
  /** Absent in trust policies. */
  readonly resource?: string
  /** The OpenID provider that vouches for the caller, in trust policies. */
  readonly federated?: string
  readonly context: Readonly<Record<string, string>>
}

type Match = 'yes' | 'no' | 'unclear'
type Part = Readonly<Record<string, unknown>>

/** What policy documents say to a request, together: one that denies wins, and without one that allows it is refused. */
export function verdictOf(documents: readonly unknown[], request: Request): Verdict {
  const found = documents.flatMap(statementsOf).map((statement) => ({
    isDeny: statement['Effect'] === 'Deny',
    match: matchOf(statement, request),
  }))
  const denials = found.filter(({ isDeny }) => isDeny).map(({ match }) => match)
  const grants = found.filter(({ isDeny }) => !isDeny).map(({ match }) => match)
  if (denials.includes('yes')) return 'refused'
  if (!grants.includes('yes')) return grants.includes('unclear') ? 'unclear' : 'refused'
  return denials.includes('unclear') ? 'unclear' : 'allowed'
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value)
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const statementsOf = (document: unknown): Part[] =>
  isPart(document) ? listIn(document['Statement']).filter(isPart) : []

function matchOf(statement: Part, { action, resource, federated, context }: Request): Match {
  if ('NotAction' in statement || 'NotResource' in statement || 'NotPrincipal' in statement) return 'unclear'
  return every([
    isLikeOneOf(statement['Action'], action.toLowerCase(), (pattern) => pattern.toLowerCase()),
    resource === undefined ? 'yes' : isLikeOneOf(statement['Resource'], resource),
    federated === undefined ? 'yes' : trusts(statement['Principal'], federated),
    ...conditionsOf(statement).map((condition) => holds(condition, context)),
  ])
}

const every = (matches: readonly Match[]): Match =>
  matches.includes('no') ? 'no' : matches.includes('unclear') ? 'unclear' : 'yes'
const some = (matches: readonly Match[]): Match =>
  matches.includes('yes') ? 'yes' : matches.includes('unclear') ? 'unclear' : 'no'

const trusts = (principal: unknown, federated: string): Match =>
  isPart(principal) && listIn(principal['Federated']).includes(federated) ? 'yes' : 'no'

interface Condition {
  readonly operator: string
  readonly key: string
  readonly values: readonly unknown[]
}

const conditionsOf = ({ Condition }: Part): Condition[] =>
  Object.entries(isPart(Condition) ? Condition : {}).flatMap(([operator, keys]) =>
    Object.entries(isPart(keys) ? keys : {}).map(([key, values]) => ({ operator, key, values: listIn(values) })),
  )

const exact = ['StringEquals']
const alike = ['StringLike', 'ArnLike', 'ArnEquals']

/** Each key has one value at most, so that all of them and any of them are the same. */
function holds({ operator, key, values }: Condition, context: Request['context']): Match {
  const plain = operator.replace(/^For(?:All|Any)Values?:/, '').replace(/IfExists$/, '')
  const known = Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase())
  if (!known) return 'unclear'
  if (exact.includes(plain)) return values.includes(known[1]) ? 'yes' : 'no'
  return alike.includes(plain) ? isLikeOneOf(values, known[1]) : 'unclear'
}

const isLikeOneOf = (patterns: unknown, text: string, written = (pattern: string) => pattern): Match =>
  some(listIn(patterns).map((pattern) => (typeof pattern === 'string' ? isLike(written(pattern), text) : 'no')))

/** A policy variable stands for what only AWS knows. */
function isLike(pattern: string, text: string): Match {
  if (pattern.includes('${')) return 'unclear'
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(text) ? 'yes' : 'no'
}
