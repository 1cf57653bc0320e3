import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Checkpoint } from '../core/checkpoint.ts'
import { passBy } from '../core/checkpoint.ts'
import type { Clock } from '../core/clock.ts'
import { runTogether } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import { createMetrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import { replaceFile } from '../core/replace-file.ts'
import { secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { writeAdminKubeconfig } from './admin-kubeconfig.ts'
import { builtInSteps, createAdmission } from './admission/chain.ts'
import { readWebhookCredentials } from './admission/webhook-credentials.ts'
import type { Audit } from './audit/audit.ts'
import { openAudit } from './audit/audit.ts'
import { audited } from './audit/own-requests.ts'
import { createAuthenticator } from './authentication/authenticator.ts'
import { createImpersonation } from './authentication/impersonation.ts'
import type { OidcOptions } from './authentication/oidc-options.ts'
import { authenticationReviews } from './authentication/reviews.ts'
import { tokenRequestAction } from './authentication/token-request.ts'
import { loopbackUser } from './authentication/user.ts'
import { accessReviewAnswers } from './authorization/access-reviews.ts'
import { createAuthorizer } from './authorization/authorizer.ts'
import { escalationStep } from './authorization/escalation.ts'
import { ensureBootstrapObjects } from './bootstrap.ts'
import { controllers, ensureClusterInfo } from './controllers/index.ts'
import { crdController } from './crds/crd-controller.ts'
import { crdRules } from './crds/crd-rules.ts'
import { failures } from './failures.ts'
import type { Identities } from './identities.ts'
import { ensureIdentities } from './identities.ts'
import { ownKube } from './in-process.ts'
import { builtInKinds } from './kinds/built-in.ts'
import { Registry } from './kinds/registry.ts'
import type { ExchangeDeps } from './serving/exchange.ts'
import { exchange } from './serving/exchange.ts'
import type { Listener, ListenOptions } from './serving/listener.ts'
import { listen } from './serving/listener.ts'
import { Load } from './serving/load.ts'
import { requestMetrics } from './serving/request-metrics.ts'
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
  admissionConfig?: string
  oidc?: OidcOptions
  /** A Policy of `audit.k8s.io/v1`. With a log and no policy, the metadata of everything is written down. */
  auditPolicy?: string
  /** Default: audit.log in the folder, where there is a policy. */
  auditLog?: string
  /** As kube-controller-manager takes them: `*`, a name, a name with a minus. Default: all. */
  controllers?: readonly string[]
  checkpoint?: Checkpoint
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

/** What tokens of service accounts name as their issuer. */
const tokenIssuer = 'https://kubernetes.default.svc'

/** Serves a Kubernetes API from a folder. Resolves when it is ready. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dir, host = '127.0.0.1', clock, random, log, checkpoint = passBy } = options
  await using stack = new AsyncDisposableStack()
  stack.use(lockFolder(dir, checkpoint))
  const store = openStore({ dir, clock, log, checkpoint })
  stack.defer(() => store.close())
  const isNew = store.revision === 0
  const [identities, metrics] = await Promise.all([
    ensureIdentities(dir, clock, host),
    createMetrics({ process: true }),
  ])
  const audit = await auditOf(options)
  if (audit) stack.use(audit)
  const registry = new Registry()
  const authorizer = await createAuthorizer({ store, clock, random, log, config: options.authorizationConfig })
  const authenticator = await createAuthenticator({
    ...{ store, clock, random, log },
    clientCaPem: identities.clientCa.certPem,
    serviceAccounts: { ...identities.serviceAccounts, issuer: tokenIssuer },
    async noteUse({ metadata: { name = '', namespace, uid } }, labels) {
      const patch = { type: 'merge', body: { metadata: { uid, labels } } } as const
      await kube
        .of(secrets, namespace)
        .patch(name, patch)
        .catch((err: unknown) => log.error({ err, name, namespace }, 'the use of a token was not written down'))
    },
    config: options.authenticationConfig,
    tokenWebhook: options.tokenWebhookConfig,
    oidc: options.oidc,
  })
  const credentials = options.admissionConfig && (await readWebhookCredentials(options.admissionConfig))
  const admission = createAdmission({
    ...(credentials && { credentials }),
    ...{ store, registry, authorizer, clock, random, log },
    steps: [
      ...builtInSteps({ store, authorizer, clock, random }),
      escalationStep({ authorizer, index: authorizer.index }),
    ],
  })
  stack.use(admission)
  for (const kind of builtInKinds({
    answers: { ...authenticationReviews(authenticator), ...accessReviewAnswers({ authorizer }) },
    token: tokenRequestAction({ store, tokens: authenticator.tokens }),
    crdRules,
  }))
    registry.set(kind)
  const fanOut = stack.use(new FanOut(store))
  const state = { isReady: false, url: '' }
  const routing: RouteDeps = {
    ...{ store, registry, admission, authorizer, fanOut, clock, random, log, metrics },
    lastLine: {},
    issuer: authenticator.issuerDocuments,
    health: [
      { name: 'ping', isWell: () => true },
      { name: 'log', isWell: () => true },
      { name: 'storage', isWell: () => true },
      { name: 'bootstrap', onlyReady: true, isWell: () => state.isReady },
    ],
    address: () => new URL(state.url).host,
  }
  const answer: ExchangeDeps['route'] = (request, info, user, warn) => route(routing, request, info, user, warn)
  const ownAnswer = audit ? audited(audit, answer) : answer
  const kubeAs = (userAgent: string) => ownKube({ random, user: loopbackUser, userAgent, route: ownAnswer })
  const kube = kubeAs('kube-apiserver')
  const crds = crdController({ store, registry, kube, clock, random, log })
  crds.loadAll()
  await ensureBootstrapObjects({ store, registry, kube })
  // Clients of the first hour begin here: what came before is nobody's history.
  if (isNew) await store.forgetHistory()

  const counted = requestMetrics(metrics, ({ group, version, plural }) =>
    Boolean(registry.find(group, version, plural)),
  )
  const watches = new Set<Disposable>()
  const exchanging: ExchangeDeps = {
    ...{ authenticator, authorizer, clock, log, audit, watches },
    load: new Load(),
    impersonate: createImpersonation(authorizer),
    route: answer,
    onDone: ({ info }, code) => counted(info, code),
  }
  const listener = await listenAsBefore(dir, options.port, {
    host,
    certPem: identities.server.certPem,
    keyPem: identities.server.keyPem.reveal(),
    clientCaPem: identities.clientCa.certPem,
    clock,
    log,
    onRequest: (request, response) =>
      void exchange(exchanging, request, response).catch((error: unknown) => {
        log.error({ err: error }, 'an answer could not be sent')
        response.destroy(error as Error)
      }),
    onClose() {
      for (const watch of watches) watch[Symbol.dispose]()
    },
  })
  stack.use(listener)
  state.url = `https://${host}:${listener.port}`
  const serverCaPem = identities.serverCa.certPem
  await ensureClusterInfo(kube, { url: state.url, serverCaPem })
  const stop = new AbortController()
  const work = controllers(
    {
      ...{ store, registry, clock, random, log, metrics },
      kube: kubeAs('kube-controller-manager'),
      clientCa: identities.clientCa,
      serverCaPem,
      accountToken: authenticator.secretToken,
    },
    options.controllers ?? ['*'],
  )
  const over = runTogether(stop.signal, [authenticator.run, authorizer.run, crds.run, work])
  over.catch(() => {})
  stack.defer(async () => {
    stop.abort()
    await over.catch(() => {})
  })
  const adminKubeconfigPath = await writeAdminKubeconfig(dir, state.url, identities)
  state.isReady = true
  const owned = stack.move()
  let closed: Promise<void> | undefined
  const close = () => (closed ??= owned.disposeAsync())
  return { url: state.url, identities, adminKubeconfigPath, kube, over, close, [Symbol.asyncDispose]: close }
}

function auditOf({ dir, auditPolicy: policyFile, auditLog, clock, log }: EmbeddedOptions): Promise<Audit> | undefined {
  if (policyFile === undefined && auditLog === undefined) return undefined
  return openAudit({ policyFile, logPath: auditLog ?? join(dir, 'audit.log'), clock, log })
}

/** On the port that was asked for, else on the one it had before, so that kubeconfigs stay good, else on any. */
async function listenAsBefore(
  dir: string,
  asked: number | undefined,
  options: Omit<ListenOptions, 'port'>,
): Promise<Listener> {
  if (asked !== undefined)
    return listen({ ...options, port: asked }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? failures.EMBEDDED_PORT_TAKEN({ host: options.host, port: asked }) : error
    })
  const path = join(dir, 'port')
  const before = Number(await readFile(path, 'utf8').catch(() => '0')) || 0
  const listener = await listen({ ...options, port: before }).catch((error: NodeJS.ErrnoException) => {
    if (before === 0 || error.code !== 'EADDRINUSE') throw error
    return listen({ ...options, port: 0 })
  })
  if (listener.port !== before) await replaceFile(path, String(listener.port))
  return listener
}
