import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import { ApiFailure, notFound } from '../status.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { AdmissionStep, Admitted, WriteTarget } from './admission.ts'
import { isAbout, refused } from './admission.ts'

const immortal = new Set(['default', 'kube-system', 'kube-public'])

/** Things are made in namespaces that are there to stay, and some namespaces cannot be deleted. */
export function namespaceLifecycle(store: Pick<Store, 'get'>): AdmissionStep {
  return {
    name: 'NamespaceLifecycle',
    concerns: (target) => makesContent(target) || deletesNamespace(target),
    async refuse(write) {
      if (deletesNamespace(write)) {
        if (immortal.has(write.name)) throw refused(write, 'this namespace may not be deleted')
        return
      }
      const entry = store.get('namespaces', '', write.namespace)
      if (!entry) throw notFound({ group: '', plural: 'namespaces' }, write.namespace)
      if (parsed<Namespace>(entry).status?.phase === 'Terminating') throw terminating(write)
    },
  }
}

/** A question about a namespace may be asked whether it is there or not. */
const makesContent = ({ operation, served }: WriteTarget): boolean =>
  operation === 'CREATE' && served.kind.namespaced && served.kind.group !== 'authorization.k8s.io'

const deletesNamespace = (target: WriteTarget): boolean =>
  target.operation === 'DELETE' && isAbout(target, '', 'namespaces')

function terminating(write: Admitted): ApiFailure {
  const { namespace } = write
  const { code, reason, message, details } = refused(
    write,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  return new ApiFailure(code, reason, message, {
    ...details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}
