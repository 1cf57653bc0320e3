import type { Pod, PodSpec, ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Random } from '../../core/random.ts'
import { goQuote } from '../go-quote.ts'
import type { ApiObject } from '../objects.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { AdmissionStep, Admitted } from './admission.ts'
import { isAbout, refused } from './admission.ts'
import { hasSecrets, whySecretsNotAllowed } from './pod-secrets.ts'
import { hasTokenProjection, mountToken } from './token-volume.ts'

export interface ServiceAccountDeps {
  store: Pick<Store, 'get'>
  clock: Pick<Clock, 'countdown'>
  random: Random
}

const mirrorAnnotation = 'kubernetes.io/config.mirror'
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets'
const defaultAccount = 'default'

/** Its controller makes the account of a new namespace in a moment; nobody is to see that moment. */
const [defaultAccountTries, pauseMs] = [10, 100]

/** A pod has an account that exists, and the token of it where nobody minds. */
export function serviceAccountStep({ store, clock, random }: ServiceAccountDeps): AdmissionStep {
  async function accountOf(write: Admitted, name: string): Promise<ServiceAccount> {
    const { namespace } = write
    const tries = name === defaultAccount ? defaultAccountTries : 1
    for (let attempt = 1; ; attempt++) {
      const entry = store.get('serviceaccounts', namespace, name)
      if (entry) return parsed<ServiceAccount>(entry)
      if (attempt === tries)
        throw refused(
          write,
          `error looking up service account ${namespace}/${name}: serviceaccount ${goQuote(name)} not found`,
        )
      await sleep(clock, pauseMs)
    }
  }

  async function validate(write: Admitted): Promise<void> {
    if (!write.object) return
    const spec = specOf(write.object)
    if (isMirror(write.object)) {
      const why = whyNoMirror(spec)
      if (why) throw refused(write, why)
      return
    }
    const account = await accountOf(write, spec.serviceAccountName ?? '')
    const isStrict = account.metadata?.annotations?.[enforceAnnotation] === 'true'
    const why = isStrict ? whySecretsNotAllowed(spec, account) : undefined
    if (why) throw refused(write, why)
  }

  return {
    name: 'ServiceAccount',
    concerns: (target) => target.operation === 'CREATE' && isAbout(target, '', 'pods'),
    async mutate(write) {
      const { object } = write
      if (isMirror(object)) {
        await validate(write)
        return object
      }
      const before = specOf(object)
      const name = before.serviceAccountName || defaultAccount
      const account = await accountOf(write, name)
      let spec: PodSpec = before.serviceAccountName
        ? before
        : { ...before, serviceAccountName: name, serviceAccount: name }
      if (before.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
        spec = mountToken(spec, random)
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec = { ...spec, imagePullSecrets: structuredClone(account.imagePullSecrets) }
      const next = spec === before ? object : { ...object, spec }
      await validate({ ...write, object: next })
      return next
    },
    validate,
  }
}

const specOf = (object: ApiObject): PodSpec => (object as Pod).spec ?? { containers: [] }

/** A pod that kubelet made by itself, as the API shows it. */
const isMirror = ({ metadata }: ApiObject): boolean => metadata.annotations?.[mirrorAnnotation] !== undefined

function whyNoMirror(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return 'a mirror pod may not reference service accounts'
  if (hasSecrets(spec)) return 'a mirror pod may not reference secrets'
  return hasTokenProjection(spec) ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined
}
