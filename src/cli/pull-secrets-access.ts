import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import type { Access, LimitSettings } from '../fleet/identity/index.ts'
import { access, openLocalToken } from '../fleet/identity/index.ts'
import { accessRules, ownerRule } from '../pull-secrets/api/permissions.ts'
import type { RestAppOptions } from '../server/rest/index.ts'
import { limitsOf } from '../server/rest/index.ts'
import type { CommandDeps } from './open-hub.ts'
import type { PullServiceOptions } from './pull-secrets-service.ts'

/** Who may call. Where nobody else is named, it is whoever can read a file that this user alone can read. */
export async function openAccess(
  { folder, kubeconfig, config: { auth: settings } }: PullServiceOptions,
  deps: CommandDeps,
): Promise<Access> {
  const { clock, log } = deps
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const isOpenToOthers = settings.issuers.length > 0 || settings.serviceAccounts.enabled
  const needsKube = settings.serviceAccounts.enabled || settings.ownership.source === 'subjectAccessReview'
  return access({
    settings,
    rules: accessRules,
    ownerRule,
    clock,
    log,
    ...(!isOpenToOthers && { localToken: await openLocalToken(join(folder, 'operator-token')) }),
    ...(needsKube && { kube: kubeOf(kubeconfig, deps) }),
  })
}

/** Opened once, on first use: without service accounts nothing of Kubernetes is loaded. */
function kubeOf(kubeconfig: string | undefined, deps: CommandDeps) {
  const open = async () => {
    const { openCluster } = await import('./open-cluster.ts')
    return (await openCluster({ ...(kubeconfig !== undefined && { kubeconfig }) }, deps)).client
  }
  let opened: ReturnType<typeof open> | undefined
  return () => {
    opened ??= open()
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }
}

type Limits = Pick<RestAppOptions, 'limits'>
type Limiter = NonNullable<Limits['limits']>['every']

/** Whoever holds the token of this installation is its operator, who rotates a whole fleet at a time. */
export function limitsFor(settings: LimitSettings, clock: Clock): Limits {
  const { limits } = limitsOf(settings, clock)
  if (!limits) return {}
  const named = Object.entries(limits.named).map(([name, limiter]) => [name, exceptLocal(limiter)] as const)
  return { limits: { every: exceptLocal(limits.every), named: Object.fromEntries(named) } }
}

const exceptLocal =
  (limiter: Limiter): Limiter =>
  (caller) =>
    caller.startsWith('local ')
      ? { isAllowed: true, limit: 0, remaining: 0, resetSeconds: 0, retryAfterSeconds: 0 }
      : limiter(caller)
