import type { Group } from './groups.ts'
import type { Spread } from './load.ts'
import type { Counts, StandIns } from './stand-ins-contract.ts'

interface Common {
  /** Of the hub's API server. */
  kubeconfig: string
  standIns: StandIns
}

/** A hub that finds a fleet it has never looked at. */
export interface CheckTask extends Common {
  do: 'check'
  clusters: number
  /** Counted for so long afterwards, when there is nothing to do. */
  restMs: number
}

export interface CheckAnswer {
  /** From the start of the hub until all are ready. */
  ms: number
  cpuMs: number
  /** Afterwards, with a connection to every cluster. */
  rss: number
  counts: Counts
  /** For a minute. */
  atRest?: Counts & { hubCalls: number; cpuMs: number }
}

/** A hub whose fleet is ready, under a steady load. */
export interface LoadTask extends Common {
  do: 'load'
  clusters: number
  /** Calls a second. */
  rate: number
  phaseMs: number
  rounds: number
  /** Of the issuer that hangs, so that its tokens run out meanwhile. */
  tokenSeconds: number
}

export const phases = ['all answer', 'a cluster hangs', 'an issuer hangs'] as const
export type Phase = (typeof phases)[number]

export type LoadAnswer = Record<Phase, Record<Group, Spread>[]>

/** The same requests by a client that does nothing else. */
export interface FloorTask extends Common {
  do: 'floor-check' | 'floor-load'
  clusters: number
  rate: number
  phaseMs: number
  rounds: number
}
