import { backoffMs } from '../../core/backoff.ts'
import { after } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort, runTogether } from '../../core/lifecycle.ts'
import type { Kept } from '../../core/pass.ts'
import type { Reason } from '../../core/reason.ts'
import { isExpired } from '../../core/renewal.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { eventRecorder } from '../../kube/events.ts'
import { informer } from '../../kube/informer.ts'
import { secrets } from '../../kube/kinds.ts'
import { reasons } from '../reasons.ts'
import type { Bootstrap } from './bootstrap-sources.ts'
import { bootstrapSources } from './bootstrap-sources.ts'
import { chooseHub, whyNotThisHub } from './choose-hub.ts'
import type { AgentDeps, MemberDeps } from './deps.ts'
import { hubFiles } from './hub-files.ts'
import type { HubMaterial } from './hub-secret.ts'
import { holds, hubSecretKeep } from './hub-secret.ts'
import type { HubStanza } from './hub-stanza.ts'
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
  /** What an agent does once it is accepted. */
  member?: (deps: MemberDeps) => Run
}

/** The registration agent: finds its hub, joins it, works there, and finds it again whatever happens. */
export function registrationAgent(deps: AgentDeps, { member = memberRun }: AgentParts = {}): RegistrationAgent {
  const { management, clock, random, log, settings } = deps
  const board = stateBoard(log)
  const sources = bootstrapSources({ ...deps, settings })
  const events = eventRecorder(management, { ...deps, component: 'lanyard-agent' })
  const writeFiles = hubFiles(settings.hubKubeconfigDir)
  let current: Session | undefined

  /** Tries until it works; failures of our own about names end it, because no retry would help. */
  async function start(signal: AbortSignal): Promise<AgentNames> {
    for (let tries = 0; ; tries += 1) {
      try {
        const secret = await management.of(secrets, settings.namespace).find(settings.hubKubeconfigSecret, { signal })
        if (secret) await writeFiles(secret)
        return await resolveNames(deps)
      } catch (err) {
        const isFinal = ['AGENT_CLUSTER_NAME_INVALID', 'AGENT_NAME_INVALID'].some((code) => isFailure(err, code))
        if (isFinal || isAbort(err, signal)) throw err
        const nextTryMs = backoffMs(tries, { baseMs: 500, maxMs: 10_000 }, random)
        log.warn({ err, nextTryMs }, 'agent cannot start yet')
        await clock.sleepUntil(after(clock.now(), nextTryMs), signal)
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
    if (secret) writeFiles(secret).catch((err: unknown) => log.warn({ err }, 'files of the hub kubeconfig not written'))
    const held = current?.held()
    if (held && !(secret && holds(secret, held))) current?.secretLost()
  }

  async function stay(signal: AbortSignal, names: AgentNames): Promise<void> {
    const keep = hubSecretKeep({
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
      const choice = await choose(usable, kept, names.cluster)
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
        keep,
        hub,
        bootstrap,
        hasOtherHubs: usable.length > 1,
        member,
        events,
        board,
      })
      const end = await current.run(signal)
      log.info({ hub: hub.server, reason: end }, 'left the hub')
      tries = -1
    }
  }

  type Choice = { hub: HubStanza; bootstrap: Bootstrap | undefined } | { trouble: string[] }

  /** One hub is taken as it is: whatever is wrong with it may pass. Of several, one that works. */
  async function choose(
    usable: readonly Bootstrap[],
    kept: Kept<HubMaterial> | undefined,
    cluster: string,
  ): Promise<Choice> {
    const [only, ...others] = usable
    if (!only) {
      const isGood = kept && !isExpired(kept.pass, clock.now())
      return isGood ? { hub: kept.material.stanza, bootstrap: undefined } : { trouble: [] }
    }
    if (others.length === 0) return { hub: only.stanza, bootstrap: only }
    board.set({ phase: 'choosing' })
    const candidates = await Promise.all(
      usable.map(async (bootstrap) => {
        const why = await whyNot(bootstrap, cluster)
        return { bootstrap, server: bootstrap.stanza.server, isValid: why === undefined, why }
      }),
    )
    const chosen = chooseHub(candidates, kept?.material.stanza.server)
    if (chosen) return { hub: chosen.bootstrap.stanza, bootstrap: chosen.bootstrap }
    return { trouble: candidates.map(({ server, why }) => `${server} cannot be used: ${why}`) }
  }

  async function whyNot({ connection }: Bootstrap, cluster: string): Promise<string | undefined> {
    try {
      await using kube = deps.connect(connection)
      return await whyNotThisHub(kube, cluster)
    } catch (error) {
      return error instanceof Error ? error.message : 'it cannot be asked'
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
