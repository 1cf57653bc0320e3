import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  CONTROLLER_UNKNOWN: [400, 'there is no controller {name}; known are {known}'],
  OWNER_KIND_UNKNOWN: [
    422,
    '{dependent} has an owner of a kind that is not served ({apiVersion}, {kind}), so nobody can tell whether it is gone',
  ],
  NAMESPACE_NOT_EMPTIED: [500, 'not everything in namespace {namespace} could be deleted: {detail}'],
})
