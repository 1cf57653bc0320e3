import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  ADMISSION_CONFIG_INVALID: [400, 'the admission configuration {file} cannot be used: {detail}'],
})
