import type { Node, Taint } from 'kubernetes-types/core/v1.d.ts'
import type { AdmissionStep } from './admission.ts'
import { isAbout } from './admission.ts'

const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

/** Nothing is scheduled on a new node until somebody has found it ready. */
export const taintNewNodes: AdmissionStep = {
  name: 'TaintNodesByCondition',
  concerns: (target) => target.operation === 'CREATE' && isAbout(target, '', 'nodes'),
  async mutate({ object }) {
    const { spec } = object as Node
    const taints = spec?.taints ?? []
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return object
    return { ...object, spec: { ...spec, taints: [...taints, notReady] } }
  },
}
