import type { Pod, Toleration } from 'kubernetes-types/core/v1.d.ts'
import type { AdmissionStep } from './admission.ts'
import { isAbout } from './admission.ts'

const tolerationSeconds = 300

const defaults: readonly Toleration[] = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
}))

/** A pod stays for five minutes on a node that is not ready or cannot be reached, unless it says otherwise. */
export const defaultTolerations: AdmissionStep = {
  name: 'DefaultTolerationSeconds',
  concerns: (target) => target.operation !== 'DELETE' && isAbout(target, '', 'pods'),
  async mutate({ object }) {
    const { spec } = object as Pod
    const present = spec?.tolerations ?? []
    const missing = defaults.filter((toleration) => !present.some((other) => speaksOf(other, toleration)))
    return missing.length === 0 ? object : { ...object, spec: { ...spec, tolerations: [...present, ...missing] } }
  },
}

/** Without a key it speaks of all taints, without an effect of all effects. */
const speaksOf = ({ key, effect }: Toleration, toleration: Toleration): boolean =>
  (!key || key === toleration.key) && (!effect || effect === toleration.effect)
