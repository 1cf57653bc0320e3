import { backoffMs } from '../../core/backoff.ts'
import { after, sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, isAbort, runTogether } from '../../core/lifecycle.ts'
import type { Kept } from '../../core/pass.ts'
import type { Reason } from '../../core/reason.ts'
import { isExpired } from '../../core/renewal.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { HubStanza } from '../../fleet/hub-stanza.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { eventRecorder } from '../../kube/events.ts'
import { informer } from '../../kube/informer.ts'
import { secrets } from '../../kube/kinds.ts'
import { csrAgentDriver } from '../drivers/csr/agent.ts'
import type { AgentDriver, JoinMaterial } from '../drivers/driver.ts'
import { reasons } from '../reasons.ts'
import type { Bootstrap } from './bootstrap-sources.ts'
import { bootstrapSources } from './bootstrap-sources.ts'
import type { Obstacle } from './choose-hub.ts'
import { chooseHub, whyNotThisHub } from './choose-hub.ts'
import type { AgentDeps, MemberDeps } from './deps.ts'
import { hubFiles } from './hub-files.ts'
import { memberRun } from './member/index.ts'
import type { AgentNames } from './names.ts'
import { resolveNames } from './names.ts'
import type { Session } from './session.ts'
import { session } from './session.ts'
import type { AgentState } from './state.ts'
import { stateBoard } from './state.ts'

export type { AgentState } from './state.ts'

export interface RegistrationAgent {
  /** Rejects only for names that no hub takes; everything else is tried again. */
  readonly run: Run
  /** Whether the agent does its work. It helps itself in all that it tells of here: a restart would not. */
  health(): 'ok' | { failing: Reason; message: string }
  state(): AgentState
}

export interface AgentParts {
  /** How it joins. Default: by CSR. */
  driver?: AgentDriver
  /** What an agent does once it is accepted. */
  member?: (deps: MemberDeps) => Run
  /** Other jobs on the cluster, which run as long as the agent works on a hub. */
  alongside?: (joined: JoinedHub) => Run
}

/** Between two looks at the other hubs from one that does not accept the cluster. */
const lookForBetterMs = 60_000

/** The registration agent: finds its hub, joins it, works there, and finds it again whatever happens. */
export function registrationAgent(
  deps: AgentDeps,
  { member = memberRun, alongside = () => aborted, ...parts }: AgentParts = {},
): RegistrationAgent {
  const { management, clock, random, log, settings } = deps
  const driver: AgentDriver =
    parts.driver ?? csrAgentDriver({ expirationSeconds: settings.clientCertExpirationSeconds })
  const board = stateBoard(log)
  const sources = bootstrapSources({ ...deps, settings })
  const events = eventRecorder(management, { ...deps, component: 'lanyard-agent' })
  const writeFiles = hubFiles(settings.hubKubeconfigDir)
  /** The files are for others: the agent itself works without them. */
  const dump = (secret: Parameters<typeof writeFiles>[0]) =>
    writeFiles(secret).catch((err: unknown) => log.warn({ err }, 'files of the hub kubeconfig not written'))
  let current: Session | undefined

  /** Tries until it works; failures of our own about names end it, because no retry would help. */
  async function start(signal: AbortSignal): Promise<AgentNames> {
    for (let tries = 0; ; tries += 1) {
      try {
        const secret = await management.of(secrets, settings.namespace).find(settings.hubKubeconfigSecret, { signal })
        if (secret) await dump(secret)
        return await resolveNames(deps)
      } catch (err) {
        const isFinal = ['AGENT_CLUSTER_NAME_INVALID', 'AGENT_NAME_INVALID'].some((code) => isFailure(err, code))
        if (isFinal || isAbort(err, signal)) throw err
        const nextTryMs = backoffMs(tries, { baseMs: 500, maxMs: 10_000 }, random)
        log.warn({ err, nextTryMs }, 'agent cannot start yet')
        await sleep(clock, nextTryMs, signal)
      }
    }
  }

  const watchSecret = (name: string, onChange: (secret: Parameters<typeof writeFiles>[0] | undefined) => void) => {
    const watched = informer(management.of(secrets, settings.namespace), {
      ...deps,
      fieldSelector: `metadata.name=${name}`,
    })
    watched.on(({ type, object }) => onChange(type === 'deleted' ? undefined : object))
    return watched.run
  }
  const onHubSecret = (secret: Parameters<typeof writeFiles>[0] | undefined) => {
    if (secret) void dump(secret)
    const held = current?.held()
    // Also where nothing is held: an agent whose cluster was deleted joins anew once its Secret is removed.
    if (!secret || (held && !driver.holds(secret, held))) current?.secretLost()
  }

  async function stay(signal: AbortSignal, names: AgentNames): Promise<void> {
    const keep = driver.keep({
      kube: management,
      namespace: settings.namespace,
      name: settings.hubKubeconfigSecret,
      ...names,
    })
    const wake = wakeUp(clock)
    let lastHub: string | undefined
    using _ = sources.on(() => {
      wake.poke()
      void sources.read().then(({ usable }) => current?.bootstrapsChanged(usable))
    })
    for (let tries = 0; !signal.aborted; tries += 1) {
      wake.reset()
      const { usable, troubles } = await sources.read()
      const kept = await keep.load().then(
        (loaded) => loaded.kept,
        () => undefined,
      )
      if (usable.length > 1) board.set({ phase: 'choosing' })
      const choice = await choose(usable, kept?.material.stanza.server ?? lastHub, kept, names.cluster)
      if ('trouble' in choice) {
        const message = [...troubles, ...choice.trouble].join('; ')
        board.set({ phase: 'choosing', trouble: { reason: reasons.BootstrapUnusable, message } })
        await wake.wait(after(clock.now(), backoffMs(tries, { baseMs: 1_000, maxMs: 10_000 }, random)), signal)
        continue
      }
      const { hub, bootstrap } = choice
      if (lastHub !== undefined && lastHub !== hub.server) tellSwitch(events, lastHub, hub.server)
      lastHub = hub.server
      current = session({
        deps,
        names,
        driver,
        keep,
        hub,
        bootstrap,
        hasOtherHubs: usable.length > 1,
        member,
        alongside,
        events,
        board,
      })
      const here = current
      const over = new AbortController()
      const looking = choice.isSecondBest
        ? lookForBetter(here, hub, names, AbortSignal.any([signal, over.signal]))
        : null
      const end = await here.run(signal)
      over.abort()
      await looking
      log.info({ hub: hub.server, reason: end }, 'left the hub')
      tries = -1
    }
  }

  /** On a hub that does not accept the cluster: leaves it when another one would do. */
  async function lookForBetter(here: Session, hub: HubStanza, { cluster }: AgentNames, signal: AbortSignal) {
    try {
      for (;;) {
        await sleep(clock, lookForBetterMs, signal)
        const { usable } = await sources.read()
        const choice = await choose(usable, hub.server, undefined, cluster)
        if ('hub' in choice && !choice.isSecondBest && choice.hub.server !== hub.server) return here.leave('denied')
        if ('hub' in choice && !choice.isSecondBest) return
      }
    } catch (error) {
      if (!isAbort(error, signal)) log.warn({ err: error }, 'other hubs could not be looked at')
    }
  }

  type Choice = { hub: HubStanza; bootstrap: Bootstrap | undefined; isSecondBest: boolean } | { trouble: string[] }

  /** One hub is taken as it is: whatever is wrong with it may pass. Of several, one that works. */
  async function choose(
    usable: readonly Bootstrap[],
    currentServer: string | undefined,
    kept: Kept<JoinMaterial> | undefined,
    cluster: string,
  ): Promise<Choice> {
    const [only, ...others] = usable
    if (!only) {
      const isGood = kept && !isExpired(kept.pass, clock.now())
      return isGood ? { hub: kept.material.stanza, bootstrap: undefined, isSecondBest: false } : { trouble: [] }
    }
    if (others.length === 0) return { hub: only.stanza, bootstrap: only, isSecondBest: false }
    const candidates = await Promise.all(
      usable.map(async (bootstrap) => {
        const found = await obstacle(bootstrap, cluster)
        const isAwaited = found?.isAwaited ?? false
        return { bootstrap, server: bootstrap.stanza.server, isValid: !found, isAwaited, why: found?.why }
      }),
    )
    const chosen = chooseHub(candidates, currentServer)
    if (chosen) return { hub: chosen.bootstrap.stanza, bootstrap: chosen.bootstrap, isSecondBest: !chosen.isValid }
    return { trouble: candidates.map(({ server, why }) => `${server} cannot be used: ${why}`) }
  }

  async function obstacle({ connection }: Bootstrap, cluster: string): Promise<Obstacle | undefined> {
    try {
      await using kube = deps.connect(connection)
      return await whyNotThisHub(kube, cluster)
    } catch (error) {
      return { why: error instanceof Error ? error.message : 'it cannot be asked', isAwaited: false }
    }
  }

  function tellSwitch(recorder: EventRecorder, from: string, to: string): void {
    const secret = { metadata: { namespace: settings.namespace, name: settings.hubKubeconfigSecret } }
    recorder.record(secrets, secret, { reason: reasons.SwitchedHub, message: `the agent moved from ${from} to ${to}` })
  }

  return {
    state: board.get,
    health() {
      const { phase, trouble } = board.get()
      if (phase === 'joined') return 'ok'
      const message = 'the agent has not joined its hub yet; wait, or look at its log'
      return trouble
        ? { failing: trouble.reason, message: trouble.message }
        : { failing: reasons.BootstrapUnusable, message }
    },
    async run(signal) {
      try {
        const names = await start(signal)
        board.set(names)
        const watches = [watchSecret(settings.hubKubeconfigSecret, onHubSecret)]
        if (settings.bootstrapKubeconfigSecret !== '')
          watches.push(watchSecret(settings.bootstrapKubeconfigSecret, sources.look))
        await runTogether(signal, [sources.run, ...watches, (stop) => stay(stop, names)])
      } catch (error) {
        if (!isAbort(error, signal)) throw error
      } finally {
        await events.flush(1_000)
      }
    },
  }
}
