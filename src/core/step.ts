/** What something longer than a second tells while it runs: what it is about to do, then what it did. */
export type Step = { doing: string } | { did: string; detail?: string }
