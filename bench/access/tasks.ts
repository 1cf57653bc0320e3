import type { Flooded } from '../../test/support/long-reviews.ts'
import type { Spread } from '../reach/load.ts'
import type { Workload } from './questions.ts'

/** What the process of the stand-ins says of itself on its first line. */
export interface StandIns {
  caPem: string
  clusters: string[]
  /** Where it is told which cluster hangs: `POST`, a number or nothing. */
  control: string
}

/** What the measured process says of itself on its first line. */
export interface HubFacts {
  url: string
  caPem: string
}

export interface HubTask {
  /** Of the API server that the hub keeps everything in. */
  kubeconfig: string
  clusters: number
  sessions: number
  policies: number
  /** Of each cluster. */
  reviewsPerSecond: number
}

/** Of the measured process, by its own account. */
export interface Usage {
  rss: number
  heapUsed: number
  cpuMs: number
  /** How much later than it should be a timer of its event loop was since the last look: 99 of 100 were earlier. */
  loopP99: number
  /** How often it has won its lease, and whether it holds it. */
  lease: { won: number; isHeld: boolean }
}

interface Common {
  hub: HubFacts
  clusters: number
  sessions: number
}

/** As much as goes through, one request after the other on each connection. */
export interface ThroughputTask extends Common {
  do: 'throughput'
  workload: Workload
  connections: number
  warmMs: number
  forMs: number
}

export interface ThroughputAnswer {
  perSecond: number
  /** The share that was not answered as it should be: where a cluster was late, say. */
  wrong: number
  p50: number
  p99: number
  /** CPU of the measured process for 1,000 answers. */
  cpuMsPerThousand: number
  usage: Usage
}

/** Clusters that ask at their own pace, while one of them is in trouble or makes some. */
export interface NeighboursTask extends Common {
  do: 'neighbours'
  phase: Phase
  /** Questions a second of all others together. */
  rate: number
  /** Of the first cluster, while it is dead. */
  deadRate: number
  /** Of the first cluster, while it floods. */
  floodConnections: number
  forMs: number
}

export const phases = ['all is well', 'a cluster is dead', 'a cluster floods'] as const
export type Phase = (typeof phases)[number]

/** What is sent to the hub beside the questions of others. */
export const floods = ['nothing', 'longest reviews', 'no token'] as const
export type Flood = (typeof floods)[number]

/** Somebody who sends all that they can: with the token of the first cluster, or without any. */
export interface FloodTask extends Common {
  do: 'flood'
  isKnown: boolean
  connections: number
  forMs: number
}

/** All others meanwhile: half of what they ask is forbidden by a policy. */
export interface BystandersTask extends Common {
  do: 'bystanders'
  rate: number
  forMs: number
}

export interface BystandersAnswer {
  others: Spread
  /** What should have been denied and was not. */
  undenied: number
  /** Terms of the hub while it was asked: 1 unless it lost its lease. */
  lease: Usage['lease']
  /** CPU of the hub for a second, and its event loop, meanwhile. */
  cpuMsPerSecond: number
  loopP99: number
}

export interface FloodAnswer extends BystandersAnswer {
  /** What came of the flood itself. */
  flooded?: Flooded
}

export interface NeighboursAnswer {
  others: Spread
  trouble?: Spread
}
