import { after } from 'node:test'

/** Loaded before each test file. A process that has told all its results and forgot to end something is ended. */
const graceMs = 15_000
after(() => void setTimeout(() => process.exit(), graceMs).unref())

/**
 * Node's own clean-up waits for the writes of a TLS connection that died under them: without end, on a whole core. So
 * the last to hear of the end makes it one.
 */
process.once('beforeExit', () => process.once('exit', () => process.exit()))
