import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { secrets } from '../../kube/kinds.ts'
import { watching } from '../../kube/watching.ts'
import { expiryOf, tokenNamespace } from './bootstrap-token.ts'
import { deleteSeen } from './delete-seen.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'

/** Bootstrap tokens go at the moment they end. */
export function tokenCleaner(deps: ControllerDeps, { bootstrapTokens }: Informers): Controller {
  const { kube, clock } = deps
  return controller(
    'tokencleaner',
    async (key, { signal }) => {
      const token = bootstrapTokens.get(key)
      const endsAt = token && expiryOf(token)
      if (!token || endsAt === undefined) return done
      const leftMs = endsAt - clock.now().getTime()
      if (leftMs > 0) return requeueAfter(leftMs)
      await deleteSeen(kube.of(secrets, tokenNamespace), token, { signal })
      return done
    },
    { ...deps, watches: [watching(bootstrapTokens)] },
  )
}
