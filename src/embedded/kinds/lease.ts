import type { LeaseSpec } from 'kubernetes-types/coordination/v1.d.ts'
import type { Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { invalidValue, mustNotBeNegative } from './field-errors.ts'

/** Fields of coordinated leader election, which is off. */
interface Coordinated {
  strategy?: string
  preferredHolder?: string
}

type Lease = { spec?: LeaseSpec & Coordinated }

export const leases: Definition = {
  rules: {
    createsOnUpdate: true,
    updatesUnconditionally: false,
    defaults: (object) => {
      as<Lease>(object).spec ??= {}
    },
    prepareCreate: (object) => dropCoordinated(as<Lease>(object)),
    prepareUpdate: (object) => dropCoordinated(as<Lease>(object)),
    check: (object) => {
      const { leaseDurationSeconds, leaseTransitions } = as<Lease>(object).spec ?? {}
      const errors: FieldError[] = []
      if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
        errors.push(invalidValue('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'))
      errors.push(...mustNotBeNegative('spec.leaseTransitions', leaseTransitions))
      return errors
    },
  },
  cells: { Holder: (object) => as<Lease>(object).spec?.holderIdentity ?? '' },
}

function dropCoordinated({ spec }: Lease): void {
  delete spec?.strategy
  delete spec?.preferredHolder
}
