import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  CHECK_PASS_LATE: [
    500,
    'the check pass was not {what} within {seconds} s; run with LANYARD_LOG_LEVEL=debug to see the steps',
  ],
  CHECK_PASS_UNSOUND: [500, 'the pass that was issued cannot be used: {flaw}'],
  CHECK_HUB_SILENT: [500, '{what} did not show up on the hub within {seconds} s'],
})
