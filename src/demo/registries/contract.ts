/** Stand-ins that speak the protocols of registries, for `lanyard up`, tests and benches. They share no code with the clients. */
export interface StandInAccount {
  /** As in the registry's paths. */
  name: string
  username: string
  /** Lets a client in with its present secret. */
  isLive: boolean
}

export interface StandInCall {
  method: string
  path: string
  status: number
  at: Date
}

/** What goes wrong with the calls that match, in the order they come; each rule is used up after `times` (default 1, Infinity for good). */
export interface Fault {
  /** Default: any. */
  method?: string
  /** Part of the path. Default: any. */
  path?: string | RegExp
  times?: number
  /** In place of an answer, or of the effect. */
  do:
    | { answer: number; body?: unknown; headers?: Record<string, string> }
    /** The effect happens, then this is answered. */
    | { applyThenAnswer: number }
    /** The effect happens, then the connection is cut. */
    | 'apply-then-drop'
    /** The connection is cut, nothing happens. */
    | 'drop'
    /** 429 with HTML, as a proxy in front answers. */
    | { tooMany: { retryAfter?: string } }
    | { delayMs: number }
    /** Called when the whole call is there; until it resolves nothing happens. */
    | { hold: () => Promise<void> }
    /** Answers nothing until the client gives up; the effect happens at once. */
    | 'apply-then-hang'
}

export interface StandIn extends AsyncDisposable {
  /** Of the API: what `api_base_url` is set to. */
  url: string
  /** host:port of it: what clients of the registry log in at, `GET /v2/auth` with basic credentials. */
  host: string
  calls: readonly StandInCall[]
  /** What it holds that is not deleted. */
  accounts(): readonly StandInAccount[]
  /** Whether a client with these is let in now; the same the token endpoint says. */
  logsIn(username: string, token: string): boolean
  fail(...faults: Fault[]): void
  heal(): void
  /** Each call takes this long. Default 0. */
  latencyMs: number
  /** A share of calls fails by chance, half of them after their effect. Default 0. */
  chaos: number
  /** Refuses our own credentials until set back. */
  refuseOurs: boolean
}

export interface StandInOptions {
  /** Marks every secret it mints, so that tests can search for it. */
  canary?: string
  /** What the service has to present. Absent: anything. */
  bearer?: string
}
