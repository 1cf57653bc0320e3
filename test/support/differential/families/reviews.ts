import type { Dice } from '../dice.ts'
import type { Draft, Family } from './family.ts'

const users = ['jane', 'joe', 'system:serviceaccount:red:a', 'system:admin', '']
const groups = [['dev'], ['system:masters'], ['dev', 'system:authenticated'], []]

const resourceAttributes = (dice: Dice) => ({
  verb: dice.pick(['get', 'list', 'create', '*', '']),
  resource: dice.pick(['configmaps', 'secrets', 'pods']),
  ...(dice.chance(0.6) && { namespace: dice.pick(['red', 'blue']) }),
  ...(dice.chance(0.3) && { name: dice.pick(['a', 'b']) }),
})

const asked = (dice: Dice): Record<string, unknown> =>
  dice.chance(0.8)
    ? { resourceAttributes: resourceAttributes(dice) }
    : dice.pick<Record<string, unknown>>([{ nonResourceAttributes: { path: '/healthz', verb: 'get' } }, {}])

const user = (dice: Dice) => ({ user: dice.pick(users), groups: dice.pick(groups) })

const questions: readonly ((dice: Dice) => readonly [path: string, kind: string, spec: Record<string, unknown>])[] = [
  (dice) => ['authorization.k8s.io/v1/subjectaccessreviews', 'SubjectAccessReview', { ...asked(dice), ...user(dice) }],
  (dice) => ['authorization.k8s.io/v1/selfsubjectaccessreviews', 'SelfSubjectAccessReview', asked(dice)],
  (dice) => [
    'authorization.k8s.io/v1/namespaces/red/localsubjectaccessreviews',
    'LocalSubjectAccessReview',
    { ...asked(dice), ...user(dice) },
  ],
  () => ['authentication.k8s.io/v1/selfsubjectreviews', 'SelfSubjectReview', {}],
  (dice) => ['authentication.k8s.io/v1/tokenreviews', 'TokenReview', { token: dice.pick(['nonsense', '']) }],
]

/** What somebody may do, or who somebody is. */
export const review: Family = (dice): Draft => {
  const [path, kind, spec] = dice.pick(questions)(dice)
  const apiVersion = path.split('/').slice(0, 2).join('/')
  return {
    method: 'POST',
    path: `/apis/${path}`,
    headers: dice.chance(0.2) ? asSomebody(dice) : {},
    body: { apiVersion, kind, ...(kind !== 'SelfSubjectReview' && { spec }) },
  }
}

/** The same request in somebody else's name. */
export const asSomebody = (dice: Dice): Record<string, string> => ({
  'impersonate-user': dice.pick(['jane', 'joe', 'system:serviceaccount:red:a']),
  ...(dice.chance(0.4) && { 'impersonate-group': dice.pick(['dev', 'system:masters']) }),
  ...(dice.chance(0.1) && { 'impersonate-extra-scopes': 'view' }),
})
