import type { Static } from 'typebox'
import * as Type from 'typebox'
import { NamespaceFilter, Words } from './common.ts'

export const DenyRule = Type.Object(
  {
    verbs: Type.Array(Type.String(), { maxItems: 20, description: '`*`: all.' }),
    apiGroups: Words('`*`: all; empty text: the core group. Needed unless nonResourceURLs are given.', {
      maxItems: 50,
    }),
    resources: Words('`*`: all. Needed unless nonResourceURLs are given.', { maxItems: 100 }),
    subresources: Words('Absent: the resources and whatever is below them.', { maxItems: 20 }),
    resourceNames: Words('Of single objects; may hold *. Absent: all. Lists and watches of many go unnamed.', {
      maxItems: 100,
    }),
    namespaces: Type.Optional(
      NamespaceFilter(
        'Absent: every namespace, and what is in none. Lists and watches of all namespaces are in these too.',
      ),
    ),
    nonResourceURLs: Words('Paths in place of resources; may end in *.', { maxItems: 100 }),
  },
  { description: 'Requests to refuse: of resources, or of other paths.' },
)
export type DenyRule = Static<typeof DenyRule>

export const ImpersonationRule = Type.Object(
  {
    modes: Type.Optional(
      Type.Array(Type.Enum(['user-info', 'serviceaccount', 'arbitrary-node', 'associated-node', 'legacy']), {
        maxItems: 5,
        description: 'Ways to do it. Absent: all.',
      }),
    ),
    identityResources: Type.Optional(
      Type.Array(Type.Enum(['users', 'groups', 'uids', 'userextras', 'serviceaccounts', 'nodes']), {
        maxItems: 6,
        description: 'What about the other identity is taken on. Absent: anything.',
      }),
    ),
    identities: Words('Names that are taken on. Absent: any. Not together with actionVerbs.', { maxItems: 100 }),
    extraKeys: Words('Keys of extras that are taken on. Absent: any.', { maxItems: 32 }),
    actionVerbs: Words('What is done as somebody else. Absent: anything.', { maxItems: 32 }),
    targetAPIGroups: Words('The groups of what it is done to. Absent: any.', { maxItems: 50 }),
    targetResources: Words('What it is done to. Absent: anything.', { maxItems: 100 }),
    namespaces: Type.Optional(NamespaceFilter('Absent: every namespace, and what is in none.')),
    reason: Type.Optional(Type.String({ maxLength: 512, description: 'What whoever is refused is told.' })),
  },
  { description: 'Acting as somebody else, to refuse.' },
)
export type ImpersonationRule = Static<typeof ImpersonationRule>
