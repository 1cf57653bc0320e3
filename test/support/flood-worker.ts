import { parentPort, workerData } from 'node:worker_threads'
import type { Target } from './long-reviews.ts'
import { flood, longReview } from './long-reviews.ts'

/** Floods from a thread of its own, so that it takes nothing of the hub's. Any message ends it, and it tells what it saw. */
const { target, asked, selectorBytes, connections } = workerData as {
  target: Target
  asked: { user: string; verb: string; namespace: string }
  selectorBytes: number
  connections: number
}
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
parentPort?.postMessage(await flood(target, longReview(asked, selectorBytes), { connections, signal: stop.signal }))
