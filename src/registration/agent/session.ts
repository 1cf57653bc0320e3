import { backoffMs } from '../../core/backoff.ts'
import { after, pastOf, sleep } from '../../core/clock.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Report } from '../../core/keep-fresh.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted, runTogether } from '../../core/lifecycle.ts'
import type { Keep } from '../../core/pass.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { HubStanza } from '../../fleet/hub-stanza.ts'
import { isSameHub } from '../../fleet/hub-stanza.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { secrets } from '../../kube/kinds.ts'
import type { AgentDriver, JoinMaterial } from '../drivers/driver.ts'
import { reasons } from '../reasons.ts'
import { atWork } from './at-work.ts'
import { clusterCreation } from './bootstrap.ts'
import type { Bootstrap } from './bootstrap-sources.ts'
import type { AgentDeps, MemberDeps } from './deps.ts'
import { hubClients } from './hub-clients.ts'
import type { AgentNames } from './names.ts'
import type { Reception } from './reception.ts'
import { askReception, isLost, isOut, watchAcceptance } from './reception.ts'
import type { StateBoard } from './state.ts'

export interface SessionOptions {
  deps: AgentDeps
  names: AgentNames
  driver: AgentDriver
  keep: Keep<JoinMaterial>
  hub: HubStanza
  /** Absent where what is at hand is all there is. */
  bootstrap: Bootstrap | undefined
  /** There are others to go to when this one denies the agent or is silent. */
  hasOtherHubs: boolean
  member(deps: MemberDeps): Run
  alongside(joined: JoinedHub): Run
  events: EventRecorder
  board: StateBoard
}

/** Why an agent leaves a hub. */
export type SessionEnd = 'stopped' | 'bootstrap changed' | 'denied' | 'silent'

export interface Session {
  run(signal: AbortSignal): Promise<SessionEnd>
  /** What the bootstrap kubeconfigs are now. The session goes on where one still leads to this hub, or none is left. */
  bootstrapsChanged(usable: readonly Bootstrap[]): void
  /** Ends it from outside. */
  leave(why: SessionEnd): void
  /** The Secret does not hold any more what this session put there. */
  secretLost(): void
  /** What the Secret should hold, once the agent is let in. */
  held(): JoinMaterial | undefined
}

/** Begins fast: a hub that lets clusters in by itself does so within a moment. A person may take days. */
const receptionRetry = { baseMs: 100, maxMs: 60_000, factor: 1.5 }
/** Silence of the hub after which a joined agent asks whether it still knows it. */
const askAfterMs = 90_000

const troubles = {
  awaited: reasons.AwaitingAcceptance,
  rejected: reasons.HubRejectsAgent,
  unproven: reasons.AgentUnproven,
  unreachable: reasons.HubUnreachable,
}

/** An agent on one hub: gets what it comes with, waits to be accepted, works, until there is a reason to leave. */
export function session(options: SessionOptions): Session {
  const { names, driver, hub, board, events, hasOtherHubs } = options
  const { cluster } = names
  const deps = { ...options.deps, log: options.deps.log.child({ cluster, hub: hub.server }) }
  const { clock, random, log, settings } = deps
  const ending = new AbortController()
  // One sleeper each.
  const [creating, holding] = [wakeUp(clock), wakeUp(clock)]
  let end: SessionEnd = 'stopped'
  let state: Report['state'] | undefined
  let wanted: ConditionReport | undefined
  let pokeReport = () => {}
  let answeredAt = clock.now()
  let rejections = 0
  /** It does not get in with what it holds, and begins again with asking. */
  let isAtDoor = false

  const leave = (why: SessionEnd) => {
    if (ending.signal.aborted) return
    end = why
    ending.abort()
  }
  const answered = (at = clock.now()) => {
    if (at > answeredAt) answeredAt = at
  }
  const silentMs = () => {
    answeredAt = pastOf(clock, answeredAt)
    return clock.now().getTime() - answeredAt.getTime()
  }

  const connection = driver.connection(hub, () => join.held()?.material)
  const clients = hubClients({ ...options, connect: deps.connect, connection })
  const join = driver.join({
    ...deps,
    ...names,
    hub,
    keep: options.keep,
    keptIn: `secret/${settings.namespace}/${settings.hubKubeconfigSecret}`,
    bootstrap: clients.asBootstrap,
    own: clients.asMyself,
    // A hub that is not asked cannot answer, and would count as silent.
    lookAgainMs: hasOtherHubs ? Math.min(settings.resyncMs, settings.hubConnectionTimeoutMs / 3) : settings.resyncMs,
    onAnswer: () => answered(),
    report(report) {
      const held = join.held()
      wanted = driver.condition(report, cluster, held?.material) ?? wanted
      if (held) board.set({ expiresAt: held.pass.expiresAt })
      else {
        const trouble = { reason: report.state, message: driver.troubleOf(report, cluster) }
        board.set({ phase: 'asking', trouble, expiresAt: undefined })
      }
      if (report.state !== state) tellPeople(report)
      state = report.state
      creating.poke()
      holding.poke()
      pokeReport()
    },
  })
  const { clusterAnnotations: marks } = driver
  const creation = clusterCreation({ ...deps, cluster, marks, bootstrap: clients.asBootstrap })

  function tellPeople(report: Report): void {
    const warnings = [reasons.ClientCertificateCreationHalted, reasons.ClientCertificateDenied]
    if (!warnings.some((reason) => reason === report.state)) return
    const secret = { metadata: { namespace: settings.namespace, name: settings.hubKubeconfigSecret } }
    events.record(secrets, secret, {
      type: 'Warning',
      reason: report.state,
      message: driver.troubleOf(report, cluster),
    })
  }

  /** Only an agent that was never let in makes its cluster: that of another one was deleted on purpose. */
  const create: Run = async (signal) => {
    const until = async (isSo: () => boolean) => {
      while (!isSo()) {
        await creating.wait(undefined, signal)
        creating.reset()
      }
    }
    for (;;) {
      await until(() => state !== undefined && !join.wasLetIn())
      await creation.run(signal)
      signal.throwIfAborted()
      await until(join.wasLetIn)
    }
  }

  async function ask(signal: AbortSignal): Promise<Reception> {
    const reception = await askReception(clients.asMyself(), cluster, driver, signal)
    if (reception.is !== 'unreachable' && reception.is !== 'unproven') answered()
    return reception
  }

  async function accepted(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const waiting = AbortSignal.any([signal, over.signal])
    const wake = wakeUp(clock)
    let tries = 0
    let watch: Promise<void> | undefined
    /** Its rights follow the acceptance within a moment. */
    const onAccepted = () => {
      tries = 0
      wake.poke()
    }
    try {
      for (;;) {
        wake.reset()
        const reception = await ask(signal)
        if (reception.is === 'accepted') {
          rejections = 0
          return
        }
        board.set({ phase: 'awaiting', trouble: { reason: troubles[reception.is], message: reception.message } })
        if (isOut(reception)) await giveUp(signal)
        if (reception.is === 'awaited' && reception.mayLook)
          watch ??= watchAcceptance(clients.asMyself(), cluster, waiting, onAccepted).finally(() => {
            watch = undefined
          })
        await wake.wait(after(clock.now(), backoffMs(tries++, receptionRetry, random)), signal)
      }
    } finally {
      over.abort()
      await watch
    }
  }

  /** Asked twice, because one 401 may be a hiccup of the hub. */
  async function giveUp(signal: AbortSignal): Promise<void> {
    const held = join.held()
    await sleep(clock, backoffMs(rejections++, driver.rejectionRetry, random), signal)
    const reception = await ask(signal)
    if (!held || !isLost(reception)) return
    const { fingerprint } = held.pass
    log.warn({ fingerprint, detail: reception.message }, `agent does not get in with its ${driver.holding}`)
    if (isOut(reception)) join.reject(fingerprint)
    isAtDoor = true
    holding.poke()
  }

  /** Asks a hub that has been silent: watches and leases are refused without a word to this loop. */
  const stillKnown: Run = async (signal) => {
    for (;;) {
      await sleep(clock, Math.min(settings.resyncMs, askAfterMs), signal)
      if (silentMs() < askAfterMs) continue
      if (isLost(await ask(signal))) await giveUp(signal)
    }
  }

  const member: Run = async (signal) => {
    await accepted(signal)
    const onDenied = () => hasOtherHubs && leave('denied')
    const hubAsMyself = clients.asMyself()
    const work = atWork({
      ...options,
      deps,
      cluster,
      joined: { ...names, kube: hubAsMyself, stanza: hub },
      wanted: () => wanted,
      onDenied,
      onRenewed: answered,
    })
    pokeReport = work.pokeReport
    await runTogether(signal, [work.run, stillKnown])
  }

  /** Returns when what the agent holds is lost, expired, or not known to the hub. */
  const whileHeld: Run = async (signal) => {
    for (let held = join.held(); held && !isAtDoor; held = join.held()) {
      await holding.wait(held.pass.expiresAt, signal)
      holding.reset()
    }
  }

  const membership: Run = async (signal) => {
    for (;;) {
      while (!join.held()) {
        await holding.wait(undefined, signal)
        holding.reset()
      }
      isAtDoor = false
      await runTogether(signal, [whileHeld, member])
      signal.throwIfAborted()
      pokeReport = () => {}
      // What was lost shows in the keep only by the clock, so the loop that keeps it is told.
      join.poke()
    }
  }

  const silence: Run = async (signal) => {
    if (!hasOtherHubs) return aborted(signal)
    for (;;) {
      const leftMs = settings.hubConnectionTimeoutMs - silentMs()
      if (leftMs <= 0) return leave('silent')
      await sleep(clock, leftMs, signal)
    }
  }

  return {
    held: () => join.held()?.material,
    secretLost: join.poke,
    leave,
    bootstrapsChanged(usable) {
      const same = usable.find(({ stanza }) => isSameHub(stanza, hub))
      if (!same && usable.length > 0) return leave('bootstrap changed')
      clients.useBootstrap(same)
      creation.poke()
      join.poke()
    },
    async run(signal) {
      board.set({ hub: hub.server })
      const either = AbortSignal.any([signal, ending.signal])
      try {
        await runTogether(either, [join.run, create, membership, silence])
      } finally {
        await clients.close()
      }
      return end
    },
  }
}
