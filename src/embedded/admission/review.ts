import { randomUUID } from 'node:crypto'
import type { Served } from '../kinds/registry.ts'
import { splitApiVersion } from '../objects.ts'
import type { Admitted } from './admission.ts'
import { namespaceOf } from './matching.ts'
import type { Shown } from './versions.ts'

/** The request of an AdmissionReview, without its objects. */
export type ReviewRequest = Readonly<Record<string, unknown>> & { readonly uid: string }

const kindOf = (shown: Shown, { apiVersion, kind }: Served) => {
  const state = shown.object ?? shown.old
  return { ...splitApiVersion(state?.apiVersion ?? apiVersion), kind: state?.kind ?? kind.kind }
}

const resourceOf = ({ kind, version }: Served) => ({
  group: kind.group,
  version: version.name,
  resource: kind.plural,
})

/** `served` is how the webhook is shown it, which need not be how it was written. */
export function reviewRequest(write: Admitted, own: Shown, served: Served, shown: Shown): ReviewRequest {
  const { subresource, user, name } = write
  const namespace = namespaceOf(write)
  return {
    uid: randomUUID(),
    kind: kindOf(shown, served),
    resource: resourceOf(served),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindOf(own, write.served),
    requestResource: resourceOf(write.served),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation: write.operation,
    userInfo: {
      username: user.name,
      ...(user.uid && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
    },
    dryRun: write.dryRun,
    options: optionsOf(write),
  }
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' }

/** A patch is told as what it comes to: a create or an update. */
function optionsOf({ operation, options }: Admitted): Record<string, unknown> {
  const { force, ...rest } = options
  return { ...rest, kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' }
}

export const reviewGroup = 'admission.k8s.io'

export const reviewOf = (version: string, request: ReviewRequest, { object, old }: Shown): object => ({
  kind: 'AdmissionReview',
  apiVersion: `${reviewGroup}/${version}`,
  request: { ...request, object: object ?? null, oldObject: old ?? null },
})
