/** What the hub needs on a cluster, and what for. The one list that the printed roles and the checks are made of. */
export interface Need {
  readonly group: string
  readonly resource: string
  readonly verbs: readonly string[]
  /** For people: why. */
  readonly purpose: string
}

export const needs: readonly Need[] = [
  {
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    verbs: ['create'],
    purpose: 'to ask the cluster whether a group may do something, in place of impersonating it',
  },
  {
    group: '',
    resource: 'namespaces',
    verbs: ['get', 'list', 'watch'],
    purpose: 'to know the labels that deny policies select namespaces by',
  },
  {
    group: '',
    resource: 'pods',
    verbs: ['get'],
    purpose: 'to know how much a pod may do on its node, before a deny policy lets somebody into it',
  },
]
