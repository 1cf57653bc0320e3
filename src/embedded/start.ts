import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { createMetrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import { replaceFile } from '../core/replace-file.ts'
import type { Kube } from '../kube/kube.ts'
import { writeAdminKubeconfig } from './admin-kubeconfig.ts'
import { createAdmission } from './admission/chain.ts'
import type { OidcOptions } from './authentication/authentication-config.ts'
import { createAuthenticator } from './authentication/authenticator.ts'
import { selfSubjectReviewAnswer, tokenReviewAnswer } from './authentication/reviews.ts'
import { tokenRequestAction } from './authentication/token-request.ts'
import { loopbackUser } from './authentication/user.ts'
import { accessReviewAnswers } from './authorization/access-reviews.ts'
import { createAuthorizer } from './authorization/authorizer.ts'
import { ensureBootstrapObjects } from './bootstrap.ts'
import { startControllers } from './controllers/index.ts'
import { crdController } from './crds/crd-controller.ts'
import { crdRules } from './crds/crd-rules.ts'
import type { Identities } from './identities.ts'
import { ensureIdentities } from './identities.ts'
import { ownKube } from './in-process.ts'
import { builtInKinds } from './kinds/built-in.ts'
import { Registry } from './kinds/registry.ts'
import { exchange } from './serving/exchange.ts'
import type { Listener } from './serving/listener.ts'
import { listen } from './serving/listener.ts'
import type { RouteDeps } from './serving/routes.ts'
import { route } from './serving/routes.ts'
import { lockFolder } from './storage/lock.ts'
import { openStore } from './storage/open-store.ts'
import { FanOut } from './watch/fan-out.ts'

export interface EmbeddedOptions {
  /** Where everything is kept. One process a folder. */
  dir: string
  /** Default 127.0.0.1. */
  host?: string
  /** Absent: the one it had before, where it is free, else any. */
  port?: number
  clock: Clock
  random: Random
  log: Log
  /** Files, as kube-apiserver takes them. */
  authorizationConfig?: string
  authenticationConfig?: string
  tokenWebhookConfig?: string
  oidc?: OidcOptions
  /** As kube-controller-manager takes them: `*`, a name, a name with a minus. Default: all. */
  controllers?: readonly string[]
}

export interface Embedded extends AsyncDisposable {
  readonly url: string
  readonly identities: Identities
  readonly adminKubeconfigPath: string
  /** With full rights, without the network. */
  readonly kube: Kube
  /** Rejects when a part of it cannot go on; resolves when it was closed. */
  readonly over: Promise<void>
  close(): Promise<void>
}

/** Serves a Kubernetes API from a folder. Resolves when it is ready. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dir, host = '127.0.0.1', clock, random, log } = options
  await using started = new AsyncDisposableStack()
  started.use(lockFolder(dir))
  const store = openStore({ dir, clock, log })
  started.defer(() => store.close())
  const identities = await ensureIdentities(dir, clock, host)
  const metrics = await createMetrics({ process: true })
  const registry = new Registry()
  const authorizer = await createAuthorizer({
    store,
    clock,
    log,
    ...(options.authorizationConfig !== undefined && { config: options.authorizationConfig }),
  })
  const authenticator = await createAuthenticator({
    store,
    clock,
    log,
    clientCaPem: identities.clientCa.certPem,
    serviceAccounts: serviceAccountIssuer(identities),
    ...(options.authenticationConfig !== undefined && { config: options.authenticationConfig }),
    ...(options.tokenWebhookConfig !== undefined && { tokenWebhook: options.tokenWebhookConfig }),
    ...(options.oidc && { oidc: options.oidc }),
  })
  const admission = createAdmission({ store, registry, authorizer, clock, log })
  for (const kind of builtInKinds({
    answers: { ...reviewAnswers(authenticator), ...accessReviewAnswers({ authorizer }) },
    token: tokenRequestAction({ store, ...serviceAccountIssuer(identities) }),
    crdRules,
  }))
    registry.set(kind)
  const fanOut = started.use(new FanOut(store))
  const state = { isReady: false, port: 0 }
  const deps: RouteDeps = {
    store,
    registry,
    admission,
    fanOut,
    lastLine: {},
    clock,
    random,
    metrics,
    health: [
      { name: 'ping', isWell: () => true },
      { name: 'log', isWell: () => true },
      { name: 'storage', isWell: () => true },
      { name: 'bootstrap', onlyReady: true, isWell: () => state.isReady },
    ],
    address: () => `${host}:${state.port}`,
  }
  const answer: Parameters<typeof exchange>[0]['route'] = (request, info, user, warn) =>
    route(deps, request, info, user, warn)
  const kube = ownKube({ random, user: loopbackUser, userAgent: 'kube-apiserver', route: answer })
  const crds = crdController({ store, registry, kube, clock, random, log })
  crds.loadAll()
  await ensureBootstrapObjects({ store, registry, kube })
}
