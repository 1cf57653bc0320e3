import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { goQuote } from '../go-quote.ts'
import type { AdmissionStep } from './admission.ts'
import { isAbout, refused } from './admission.ts'

/** Pods are never run here, so there are no runtime classes that one could name. */
export const runtimeClass: AdmissionStep = {
  name: 'RuntimeClass',
  concerns: (target) => target.operation === 'CREATE' && isAbout(target, '', 'pods'),
  async mutate(write) {
    const name = (write.object as Pod).spec?.runtimeClassName
    if (name) throw refused(write, `pod rejected: RuntimeClass ${goQuote(name)} not found`)
    return write.object
  },
}
