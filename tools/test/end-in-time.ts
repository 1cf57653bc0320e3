import { after } from 'node:test'

/** Loaded before each test file. A process that has told all its results and forgot to end something is ended. */
const graceMs = 15_000
after(() => void setTimeout(() => process.exit(), graceMs).unref())
