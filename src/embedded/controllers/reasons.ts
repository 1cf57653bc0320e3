import { reasonCatalogue } from '../../core/reason.ts'

export const reasons = reasonCatalogue({
  OwnerRefInvalidNamespace:
    'An object names an owner that lives in another namespace, which counts as no owner; correct its owner references.',
})
