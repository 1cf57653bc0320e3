import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { checkpointNames } from '../../src/core/checkpoint.ts'

/** Where the two processes of a round are killed, phase by phase. */
export interface KillPlan {
  agent: Record<'join' | 'renewal', CheckpointName[]>
  hub: Record<Phase, CheckpointName[]>
  /** When the agent is killed wherever it is just then: it has nothing of its own to do in these. */
  agentDiesIn?: Phase
}

export type Phase = 'join' | 'renewal' | 'denial' | 'again' | 'deletion'

const flow = (name: string): CheckpointName[] => checkpointNames.filter((known) => known.startsWith(`${name}.`))

const [join, renewal, approval, acceptance, denial, deletion] = [
  flow('join'),
  flow('renewal'),
  flow('approval'),
  flow('acceptance'),
  flow('denial'),
  flow('deletion'),
]
/** Every place that the rounds kill at. */
export const allPlaces: readonly CheckpointName[] = [join, renewal, approval, acceptance, denial, deletion].flat()

/** A cluster that was accepted before has its finalizers and its namespace. */
const acceptedAgain: CheckpointName[] = ['acceptance.rbac-applied', 'acceptance.reported']

/** So many rounds pass by every checkpoint. Their flows are of different lengths, so that later ones combine them anew. */
export const roundsForAll = Math.max(
  ...[join, renewal, [...approval, ...acceptance], denial, deletion].map(({ length }) => length),
)

export function planOf(round: number): KillPlan {
  const inTurn = (names: readonly CheckpointName[]) => names.slice(round % names.length).slice(0, 1)
  return {
    agent: { join: inTurn(join), renewal: inTurn(renewal) },
    hub: {
      join: inTurn([...approval, ...acceptance]),
      renewal: inTurn(approval),
      denial: inTurn(denial),
      again: inTurn(acceptedAgain),
      deletion: inTurn(deletion),
    },
    agentDiesIn: round % 2 === 0 ? 'denial' : 'deletion',
  }
}

export const noKills: KillPlan = {
  agent: { join: [], renewal: [] },
  hub: { join: [], renewal: [], denial: [], again: [], deletion: [] },
}

/** Of one round, in the order they are passed. */
export const hubKills = ({ hub }: KillPlan): CheckpointName[] => [
  ...hub.join,
  ...hub.renewal,
  ...hub.denial,
  ...hub.again,
  ...hub.deletion,
]
