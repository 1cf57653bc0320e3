import type { Document } from '../document.ts'

/** A document on its way to a sink. */
export interface Copy {
  clusterId: string
  document: Document
  /** Counts what was put there for this cluster: the same again after a crash, and never the same for another document. */
  revision: number
}

/**
 * A store that gets a copy of each cluster's document. The database stays the place of record: a copy is written after a
 * change and at no other time, and what a sink does wrong holds up nobody but its own copies.
 * It throws failures of the catalogue only:
 * - SINK_UNAVAILABLE: later it may work
 * - SINK_REFUSED: it never will like this; tried again all the same, since a person may put it right
 * - SINK_FOREIGN: somebody else has something of this name there; it is left alone
 */
export interface Sink {
  /** Of the configuration; in metrics, reports and records. */
  readonly name: string
  /** The same copy twice makes one version. What the sink calls it. */
  put(copy: Copy, signal: AbortSignal): Promise<string>
  /** What is not there, or not ours, counts as removed. */
  remove(clusterId: string, signal: AbortSignal): Promise<void>
  /** Whether the copy is as it was put, asked from time to time. Absent: nobody but us writes there. */
  holds?(clusterId: string, hash: string, signal: AbortSignal): Promise<boolean>
  /** Ends its connections. */
  close?(): void | Promise<void>
}

/** How many versions stay where a store keeps old ones: the one that is served, and the one before. */
export const keptVersions = 2

/** The media type of a Docker configuration, where a store has a place for it. */
export const dockerConfig = 'kubernetes.io/dockerconfigjson'
