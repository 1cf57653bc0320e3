import { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { Clock } from '../../core/clock.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { rfc3339, setCondition } from '../../core/conditions.ts'
import { isFailure } from '../../core/failure.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { deadline } from '../../kube/deadline.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import { failures } from './failures.ts'
import { detailOf } from './mail-channel.ts'
import type { MailServer } from './mail-server.ts'
import { passwordOf } from './mail-server.ts'
import { reasons } from './reasons.ts'

export interface MailHealthDeps
  extends Pick<AccessHubDeps, 'kube' | 'clock' | 'random' | 'log' | 'metrics' | 'spokeView'> {
  providers: Informer<MailProvider, 'secret'>
  server: MailServer
}

const everyMs = 600_000
const checkMs = 15_000
/** Applied on its own, so that conditions of others stay. */
const fieldManager = 'lanyard-mail-health'

/** Whether mail servers take mail: when their MailProvider or its Secret changes, and every now and then. */
export function mailHealthController(deps: MailHealthDeps): Controller {
  const { providers, clock } = deps
  return controller(
    'mail-provider-health',
    async (key, { signal }) => {
      const provider = providers.get(key)
      if (!provider?.spec || provider.metadata.deletionTimestamp || provider.spec.disabled) return done
      await report(deps.kube, provider, await findings(provider, deps, signal), clock, signal)
      return requeueAfter(everyMs)
    },
    {
      ...deps,
      watches: [
        watching(providers, keyOf, {
          when: changesOf(({ metadata }) => [metadata.generation, metadata.deletionTimestamp]),
        }),
        watching(deps.spokeView.secrets, (secret) => providers.byIndex('secret', keyOf(secret)).map(keyOf)),
      ],
    },
  )
}

type Finding = Pick<ConditionReport, 'type' | 'status' | 'reason' | 'message'>

async function findings(provider: Stored<MailProvider>, deps: MailHealthDeps, stop: AbortSignal): Promise<Finding[]> {
  const tooLate = () => failures.NOTICE_TOO_LATE({ seconds: checkMs / 1_000 })
  using limit = deadline(deps.clock, checkMs, tooLate, stop)
  const found: Finding[] = []
  try {
    const hasPassword = provider.spec && (await passwordOf(deps.kube, provider.spec, limit.signal))
    if (hasPassword) found.push(finding('PasswordLoaded', 'True', reasons.SecretLoaded, 'the password was read'))
  } catch (error) {
    stop.throwIfAborted()
    const message = detailOf(error)
    return [
      finding('PasswordLoaded', 'False', reasons.SecretNotLoaded, message),
      finding('Healthy', 'False', reasons.HealthCheckFailed, message),
    ]
  }
  try {
    await deps.server.check(provider, limit.signal)
    found.push(finding('Healthy', 'True', reasons.HealthCheckPassed, 'the mail server takes mail'))
  } catch (error) {
    stop.throwIfAborted()
    const reason = isFailure(error, 'EGRESS_DENIED') ? reasons.EgressDenied : reasons.HealthCheckFailed
    found.push(finding('Healthy', 'False', reason, detailOf(error)))
  }
  return found
}

const finding = (type: string, status: Finding['status'], reason: Finding['reason'], message: string): Finding => ({
  ...{ type, status, reason, message },
})

async function report(
  kube: Kube,
  provider: Stored<MailProvider>,
  found: readonly Finding[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, generation: observedGeneration = 0 } = provider.metadata
  const known = provider.status?.conditions as Condition[] | undefined
  const own = known?.filter(({ type }) => found.some((one) => one.type === type))
  const now = clock.now()
  const conditions = found.reduce<Condition[]>(
    (list, one) => setCondition(list, { ...one, observedGeneration }, now),
    own ?? [],
  )
  const status = { conditions, lastHealthCheck: rfc3339(now) }
  const options = { fieldManager, force: true, subresource: 'status', signal }
  await kube
    .of(MailProvider.resource)
    .apply({ metadata: { name, uid }, status }, options)
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
}
