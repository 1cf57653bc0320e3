import type { ConditionReport } from '../core/conditions.ts'
import { conditions } from './names.ts'
import { reasons } from './reasons.ts'

/** @param mistakes what is wrong with the feature gates, each as a sentence */
export const gatesReport = (mistakes: readonly string[]): ConditionReport =>
  mistakes.length === 0
    ? {
        type: conditions.validFeatureGates,
        status: 'True',
        reason: reasons.FeatureGatesAllValid,
        message: 'Every feature gate is known.',
      }
    : {
        type: conditions.validFeatureGates,
        status: 'False',
        reason: reasons.InvalidFeatureGatesExisting,
        message: `Nothing was changed: ${mistakes.join(', ')}.`,
      }

/** @param ignored fields that are set and have no effect */
export const specHonored = (ignored: readonly string[]): ConditionReport =>
  ignored.length === 0
    ? {
        type: conditions.specHonored,
        status: 'True',
        reason: reasons.AllHonored,
        message: 'Every field has an effect.',
      }
    : {
        type: conditions.specHonored,
        status: 'False',
        reason: reasons.SettingsIgnored,
        message: `These fields have no effect in this version: ${ignored.join(', ')}.`,
      }
