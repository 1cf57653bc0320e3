import { catalogue } from '../core/failure.ts'

/** What informers, controllers and elections fail with; the client's own are in `failures.ts`. */
export const runtimeFailures = catalogue({
  KUBE_WATCH_SILENT: [
    504,
    'a watch was still open {limitMs} ms after it began, long past its own end; it is opened again',
  ],
  KUBE_WENT_BACK: [
    410,
    'the server went back from version {from} to {to}, as after the restore of a backup; all is listed again',
  ],
  RECONCILE_DEADLINE: [
    504,
    'reconciling {key} took more than {deadlineMs} ms; look for what it waits on, or raise the deadline of {controller}',
  ],
  RECONCILE_BAD_OUTCOME: [500, 'controller {controller} ended {key} with an outcome it cannot have: {detail}'],
  LEASE_NO_ANSWER: [504, 'no answer about lease {lease} within {callMs} ms'],
  LEASE_LOST: [503, 'this replica lost the lease by which it led: {detail}'],
})
