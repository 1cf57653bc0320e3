import { isDeepStrictEqual } from 'node:util'
import type { ClusterRole, PolicyRule, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import type { AdmissionStep, Admitted } from '../admission/admission.ts'
import type { User } from '../authentication/user.ts'
import { system } from '../authentication/user.ts'
import { goQuote } from '../go-quote.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure, notFound } from '../status.ts'
import type { Authorizer } from './attributes.ts'
import { resourceForbidden } from './forbidden.ts'
import { aggregate, rulesFor } from './rbac.ts'
import type { RbacIndex } from './rbac-index.ts'
import { describeRights, goList, missingRights } from './rule-coverage.ts'

const group = 'rbac.authorization.k8s.io'

export interface EscalationDeps {
  authorizer: Authorizer
  index: RbacIndex
}

/**
 * Refuses roles and bindings that would give somebody rights that their author does not hold, unless the author may
 * `escalate` the role or `bind` it. Kubernetes checks this after mutating admission and before the object is validated.
 */
export const escalationCheck =
  (deps: EscalationDeps) =>
  async (write: Admitted): Promise<void> => {
    if (write.served.kind.group !== group || write.subresource !== '') return
    if (write.operation === 'DELETE' || write.operation === 'CONNECT' || !write.object) return
    if (write.user.groups.includes(system.masters)) return
    if (write.old && differOnlyForCollector(write.old, write.object)) return
    const { plural } = write.served.kind
    if (plural === 'roles' || plural === 'clusterroles') await checkRole(write, write.object, deps)
    else await checkBinding(write, write.object, deps)
  }

/** The same as a step of admission. Then an object that is not even valid is refused for that first, unlike Kubernetes. */
export const escalationStep = (deps: EscalationDeps): AdmissionStep => ({
  name: 'RBACEscalation',
  concerns: ({ served, operation }) => served.kind.group === group && operation !== 'DELETE',
  validate: escalationCheck(deps),
})

const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

async function checkRole(write: Admitted, object: ApiObject, { authorizer, index }: EscalationDeps): Promise<void> {
  if (await mayEscalate(write, authorizer)) return
  const role = object as unknown as ClusterRole
  const namespace = write.served.kind.namespaced ? write.namespace : ''
  const why = whyNotGranted(index, write.user, namespace, role.rules ?? [])
  if (why) throw forbidden(write, why)
  const old = write.old as ClusterRole | undefined
  const aggregates = write.served.kind.plural === 'clusterroles' && (role.aggregationRule || old?.aggregationRule)
  if (aggregates && whyNotGranted(index, write.user, '', everything))
    throw forbidden(write, 'must have cluster-admin privileges to use the aggregationRule')
}

async function checkBinding(write: Admitted, object: ApiObject, { authorizer, index }: EscalationDeps): Promise<void> {
  const namespace = write.served.kind.namespaced ? write.namespace : ''
  const { kind, name } = (object as unknown as RoleBinding).roleRef ?? { kind: '', name: '' }
  if (kind !== 'Role' && kind !== 'ClusterRole')
    throw new ApiFailure(500, '', `unsupported role reference kind: ${goQuote(kind)}`)
  if (await mayBind(write.user, namespace, kind, name, authorizer)) return
  const rules = index.rules(kind === 'Role' ? namespace : '', name)
  if (!rules) throw notFound(write.served.kind, name)
  const why = whyNotGranted(index, write.user, namespace, rules)
  if (why) throw forbidden(write, why)
}

/** A name that is only being created is not part of the question, as it is not part of the request's path. */
async function mayEscalate(write: Admitted, authorizer: Authorizer): Promise<boolean> {
  const { kind } = write.served
  const { verdict } = await authorizer.authorize({
    user: write.user,
    verb: 'escalate',
    group,
    version: '*',
    resource: kind.plural,
    subresource: '',
    namespace: kind.namespaced ? write.namespace : '',
    name: write.operation === 'CREATE' ? '' : write.name,
  })
  return verdict === 'allow'
}

async function mayBind(
  user: User,
  namespace: string,
  kind: 'Role' | 'ClusterRole',
  name: string,
  authorizer: Authorizer,
): Promise<boolean> {
  const resource = kind === 'Role' ? 'roles' : 'clusterroles'
  const question = { user, verb: 'bind', group, version: '*', resource, subresource: '', namespace, name }
  return (await authorizer.authorize(question)).verdict === 'allow'
}

function whyNotGranted(
  index: RbacIndex,
  user: User,
  namespace: string,
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, errors } = rulesFor(index, user, namespace)
  const { missing, isCutOff } = missingRights(rules, wanted)
  if (missing.length === 0 && !isCutOff) return undefined
  const who = `user ${goQuote(user.name)} (groups=${goList(user.groups)})`
  const told = [
    `${who} is attempting to grant RBAC permissions not currently held:`,
    ...describeRights(missing),
    ...(isCutOff ? ['and more than are compared: give them in several roles'] : []),
  ].join('\n')
  return errors.length === 0 ? told : `${told}; resolution errors: ${aggregate(errors)}`
}

const forbidden = (write: Admitted, why: string): ApiFailure =>
  resourceForbidden(write.served.kind.group, write.served.kind.plural, givenName(write), why)

/** Kubernetes makes up names later than it asks this, so a generated one is not told. */
function givenName({ operation, name, object }: Admitted): string {
  const prefix = object?.metadata.generateName
  const isGenerated = operation === 'CREATE' && prefix && name.length === prefix.length + 5 && name.startsWith(prefix)
  return isGenerated ? '' : name
}

/** Owners and finalizers may be changed by whoever may update the object, lest it could never be deleted. */
function differOnlyForCollector(old: ApiObject, object: ApiObject): boolean {
  const rest = ({ metadata, ...fields }: ApiObject) => {
    const { ownerReferences, finalizers, managedFields, resourceVersion, ...kept } = metadata
    return { ...fields, metadata: kept }
  }
  return isDeepStrictEqual(rest(old), rest(object))
}
