/** What the process of the stand-ins says of itself on its first line. */
export interface StandIns {
  caPem: string
  clusters: string[]
  issuers: string[]
  /** Where its mood is changed. */
  control: string
}

export interface Mood {
  hangingCluster?: number
  hangingIssuer?: number
  /** By issuer. Default an hour. */
  tokenSeconds: number[]
}

export interface Counts {
  /** Of all API servers. */
  calls: number
  tokens: number
  discoveries: number
}

/** Changes the mood, where one is given; what was counted since the last time. */
export async function tell({ control }: Pick<StandIns, 'control'>, mood?: Mood): Promise<Counts> {
  const answer = await fetch(control, { method: 'POST', ...(mood && { body: JSON.stringify(mood) }) })
  return (await answer.json()) as Counts
}
