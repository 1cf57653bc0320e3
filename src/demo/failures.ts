import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  CHECK_PASS_LATE: [
    500,
    'the check pass was not {what} within {seconds} s; run with LANYARD_LOG_LEVEL=debug to see the steps',
  ],
  CHECK_PASS_UNSOUND: [500, 'the pass that was issued cannot be used: {flaw}'],
  CHECK_HUB_SILENT: [500, '{what} did not show up on the hub within {seconds} s'],
  CHECK_JOIN_LATE: [
    500,
    'the cluster of the check did not join within {seconds} s; run with LANYARD_LOG_LEVEL=info to see why',
  ],
  CHECK_ADDON_LATE: [
    500,
    'the add-on of the check did nothing on the hub within {seconds} s; run with LANYARD_LOG_LEVEL=info to see why',
  ],
  CHECK_ACCESS_LATE: [
    504,
    'nobody could break glass within {seconds} s; run it again, with --log-level debug to see why',
  ],
  CHECK_REACH_LATE: [
    500,
    'the hub of the check did not get into a cluster by {auth} within {seconds} s; run with LANYARD_LOG_LEVEL=info to see why',
  ],
  CHECK_PULL_LATE: [
    500,
    'the pull secret of the check was not {what} within {seconds} s; run with LANYARD_LOG_LEVEL=info to see why',
  ],
  CHECK_PULL_UNSOUND: [500, 'the pull secret of the check does not do what it should: {flaw}'],
  CHECK_NO_NAMESPACE: [
    404,
    'there is no namespace {namespace} on {server}; create it or give another one with --namespace',
  ],
  CHECK_HUB_BUSY: [
    409,
    'the lease {lease} in namespace {namespace} was not free within {seconds} s; another check may be running there',
  ],
  CHECK_NAME_TAKEN: [
    409,
    'the {kind} {name} in namespace {namespace} was not made by a check and is left alone; give another namespace with --namespace',
  ],
  OUTPUT_ONLY_WITH_CHECK: [400, 'only up --check has results to print as JSON; leave -o json out, or add --check'],
  DATA_UNUSABLE: [500, 'the data folder {path} cannot be used ({detail}); give another one with --data'],
  DATA_DAMAGED: [500, '{path} cannot be read ({detail}); remove it to start anew'],
})
