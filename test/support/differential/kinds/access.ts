import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', '*', '']
const groups = ['', 'apps', '*', 'example.com']
const resources = ['configmaps', 'secrets', 'pods', 'deployments', '*', 'configmaps/status']

const rule = (dice: Dice): Record<string, unknown> => ({
  ...(dice.chance(0.97) && { verbs: dice.some(verbs.slice(0, 8)) }),
  ...(dice.chance(0.95) && { apiGroups: [dice.pick(groups)] }),
  ...(dice.chance(0.95) && { resources: dice.some(resources) }),
  ...(dice.chance(0.2) && { resourceNames: [dice.pick(['a', 'b'])] }),
  ...(dice.chance(0.06) && { nonResourceURLs: [dice.pick(['/healthz', '/x/*', '*'])] }),
})

const rules = (dice: Dice) =>
  dice.chance(0.9) ? { rules: Array.from({ length: 1 + dice.below(2) }, () => rule(dice)) } : {}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const

export const roles: KindUnderTest = {
  ...rbac,
  plural: 'roles',
  kind: 'Role',
  namespaced: true,
  names: ['a', 'b', 'c', 'With:Colon'],
  pointers: ['/rules', '/rules/0', '/rules/0/verbs', '/rules/-'],
  body: rules,
}

export const clusterRoles: KindUnderTest = {
  ...rbac,
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
  crowded: true,
  names: ['a', 'b', 'c', 'With:Colon'],
  pointers: ['/rules', '/rules/0', '/aggregationRule'],
  body: (dice) => ({
    ...rules(dice),
    ...(dice.chance(0.1) && {
      aggregationRule: {
        clusterRoleSelectors: dice.chance(0.8)
          ? [{ matchLabels: { app: 'a' } }]
          : dice.pick<unknown[]>([[], [{ matchExpressions: [{ key: 'a', operator: 'Odd' }] }]]),
      },
    }),
  }),
}

const subject = (dice: Dice): Record<string, unknown> =>
  dice.pick<Record<string, unknown>>([
    { kind: 'User', name: 'jane', apiGroup: rbac.group },
    { kind: 'User', name: 'joe' },
    { kind: 'Group', name: 'dev', apiGroup: rbac.group },
    { kind: 'ServiceAccount', name: 'a', namespace: 'red' },
    { kind: 'ServiceAccount', name: 'a' },
    { kind: 'ServiceAccount', name: 'Bad', namespace: 'red', apiGroup: 'x' },
    { kind: 'Robot', name: 'r2' },
    { kind: 'User', name: '' },
    { kind: 'User', name: 'jane', namespace: 'red' },
  ])

const binding = (kinds: readonly string[]) => (dice: Dice) => ({
  ...(dice.chance(0.9) && { subjects: Array.from({ length: dice.below(3) }, () => subject(dice)) }),
  ...(dice.chance(0.97) && {
    roleRef: {
      ...(dice.chance(0.95) && { apiGroup: dice.chance(0.97) ? rbac.group : 'other' }),
      kind: dice.pick(kinds),
      name: dice.chance(0.97) ? 'a' : dice.pick(['b', '', 'a/b']),
    },
  }),
})

const bindingPointers = ['/subjects', '/subjects/0', '/subjects/0/name', '/subjects/-', '/roleRef', '/roleRef/name']

export const roleBindings: KindUnderTest = {
  ...rbac,
  plural: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
  pointers: bindingPointers,
  body: binding(['Role', 'Role', 'Role', 'ClusterRole']),
}

export const clusterRoleBindings: KindUnderTest = {
  ...rbac,
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
  crowded: true,
  pointers: bindingPointers,
  body: binding(['ClusterRole', 'ClusterRole', 'ClusterRole', 'Role', 'Odd']),
}

export const serviceAccounts: KindUnderTest = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
  names: ['a', 'b', 'c'],
  subresources: ['token'],
  pointers: ['/secrets', '/imagePullSecrets', '/imagePullSecrets/0', '/automountServiceAccountToken'],
  body: (dice) => ({
    ...(dice.chance(0.3) && { secrets: [{ name: dice.pick(['a', 'b']) }, ...dice.some([{ name: 'a' }])] }),
    ...(dice.chance(0.3) && { imagePullSecrets: dice.some([{ name: 'a' }, { name: 'b' }]) }),
    ...(dice.chance(0.3) && { automountServiceAccountToken: dice.chance(0.5) }),
  }),
}
