import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  CONVERSION_NO_REVIEW: [400, 'this is no ConversionReview of apiextensions.k8s.io/v1; only an API server asks here'],
  CONVERSION_UNKNOWN_KIND: [
    400,
    '{apiVersion} {kind} has nothing to convert; remove the conversion webhook from its CustomResourceDefinition',
  ],
  CONVERSION_UNKNOWN_VERSION: [
    400,
    '{kind} cannot be converted from {from} to {to}; this Lanyard knows {known}, so upgrade it or ask for one of these',
  ],
})
