import { namespaces } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { inParallel } from '../../shared/timing.ts'

/** So that no figure is about a connection that is opened, or code of the client that runs for the first time. */
export const warmUp = (kube: Kube): Promise<void> => inParallel(400, 20, () => kube.of(namespaces).get('default'))
