import type { RawRequest } from '../../fleet/rest.ts'
import type { Audit, AuditInput, AuditType } from '../audit/contract.ts'
import type { Asked, Decision, Scope } from './contract.ts'

type Caller = Pick<RawRequest, 'address' | 'traceId'>

/** Nobody asked about, or nobody's business. */
const silent: ReadonlySet<Decision['source']> = new Set(['system-user', 'hub-identity'])

/** Where policies alone are asked about, that they forbid nothing is no news: the other question follows. */
function typeOf({ verdict, source }: Decision, scope: Scope): AuditType | undefined {
  if (silent.has(source)) return undefined
  if (verdict === 'allowed') return 'access.granted'
  if (verdict === 'denied') return 'access.denied.policy'
  return scope === 'all' ? 'access.denied' : undefined
}

/** Tells the audit of a decision, if anybody wants to know. */
export function auditDecision(
  audit: Audit,
  cluster: string,
  asked: Asked,
  decision: Decision,
  scope: Scope,
  caller: Caller,
): void {
  const type = typeOf(decision, scope)
  if (type === undefined) return
  if (audit.wants(type)) audit.record(eventOf(type, cluster, asked, decision, caller))
  const isImpersonation = type === 'access.granted' && asked.verb.startsWith('impersonate')
  if (isImpersonation && audit.wants('resource.impersonate'))
    audit.record(eventOf('resource.impersonate', cluster, asked, decision, caller))
  if (decision.warnings && audit.wants('pod_security.warning'))
    audit.record(eventOf('pod_security.warning', cluster, asked, decision, caller))
}

function eventOf(type: AuditType, cluster: string, asked: Asked, decision: Decision, caller: Caller): AuditInput {
  const { user, groups, issuer, verb, resource, path } = asked
  const { source, reason, policy, session, warnings } = decision
  return {
    type,
    actor: { user, groups, ...(issuer !== undefined && { identityProvider: issuer }), sourceIP: caller.address },
    target: {
      kind: resource?.resource ?? 'path',
      name: resource?.name ?? path ?? '',
      ...(resource?.namespace && { namespace: resource.namespace }),
      cluster,
      ...(resource?.group && { apiGroup: resource.group }),
    },
    details: {
      verb,
      ...(resource?.subresource && { subresource: resource.subresource }),
      ...{ source, reason },
      ...(policy !== undefined && { policy }),
      ...(session && { group: session.group }),
      ...(warnings && { warnings }),
    },
    requestContext: { correlationId: caller.traceId, ...(session && { sessionName: session.name }) },
  }
}

/** Somebody without the token of the cluster asked. Whose token it was is not known, nor whether there is the cluster. */
export function auditUnauthorized(audit: Audit, cluster: string, { address, traceId }: Caller): void {
  if (!audit.wants('webhook.unauthorized')) return
  audit.record({
    type: 'webhook.unauthorized',
    severity: 'warning',
    actor: { user: '', sourceIP: address },
    target: { kind: 'ClusterConfig', name: cluster.slice(0, 253), cluster: cluster.slice(0, 253) },
    details: {},
    requestContext: { correlationId: traceId },
  })
}
