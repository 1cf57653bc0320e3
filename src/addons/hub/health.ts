import type { Run } from '../../core/lifecycle.ts'
import type { AddonHubDeps } from './deps.ts'
import { featureLabelController } from './health/feature-labels.ts'
import { unreachableController } from './health/unreachable.ts'

/** Copies what is known of a silent cluster onto its add-ons, and shows how add-ons are doing in labels of the cluster. */
export const addonHealth = (deps: AddonHubDeps): Run[] => [
  unreachableController(deps).run,
  featureLabelController(deps).run,
]
