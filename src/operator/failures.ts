import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  HUB_CA_DAMAGED: [
    409,
    'the Secret {secret} in namespace {namespace} holds no CA; delete it, and a new one is made and made known',
  ],
})
