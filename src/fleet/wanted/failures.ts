import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  RIGHTS_BEING_DELETED: [
    409,
    '{kind} {name} is being deleted and held by finalizers that are not ours; remove them, and the hub goes on',
  ],
})
