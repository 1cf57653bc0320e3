import { Secret } from '../../../core/secret.ts'
import { field, textField } from '../http/index.ts'
import type { Account } from '../registry.ts'

export interface Scope {
  level: 'system' | 'project'
  /** Of a project robot one; `*` for all of them. */
  projects: readonly string[]
}

/** The right to pull and nothing else. */
export const pullRights = ({ projects }: Scope) =>
  projects.map((namespace) => ({
    kind: 'project',
    namespace,
    access: [{ resource: 'repository', action: 'pull' }],
  }))

/** As Harbor shows it, without its secret. */
export interface Robot {
  /** The number that its paths need. */
  id: string
  /** With the prefix of the installation and, on project level, the project: what clients log in with. */
  name: string
  description: string
  /** In days; -1 for ever. Sent back as it is: another one moves the expiry. */
  duration: number
  isDisabled: boolean
  expiresAt?: Date
}

export function robotOf(json: unknown): Robot | undefined {
  const [id, name] = [field(json, 'id'), textField(json, 'name')]
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0 || name === undefined) return undefined
  const duration = field(json, 'duration')
  const expiresAt = expiryOf(json)
  return {
    id: String(id),
    name,
    description: textField(json, 'description') ?? '',
    duration: typeof duration === 'number' ? duration : -1,
    isDisabled: field(json, 'disable') === true,
    ...(expiresAt && { expiresAt }),
  }
}

/** In seconds since 1970; -1 and 0 for never. */
function expiryOf(json: unknown): Date | undefined {
  const seconds = field(json, 'expires_at')
  return typeof seconds === 'number' && seconds > 0 ? new Date(seconds * 1_000) : undefined
}

/** Of a robot that was just made, or got a new secret; undefined when something is missing. */
export function accountOf(robot: Robot | undefined, json: unknown): Account | undefined {
  const secret = textField(json, 'secret')
  if (!robot || secret === undefined || robot.name.includes(':')) return undefined
  return {
    username: robot.name,
    token: Secret.of(secret),
    ref: robot.id,
    ...(robot.expiresAt && { expiresAt: robot.expiresAt }),
  }
}

/** Where a name of ours begins. The prefix of an installation, which comes before it, can be anything else. */
const ourStart = /hyp-(?:cls|pool)-/

/** Whether that is the robot of this whole short name. */
export function isNamed(robot: Robot, name: string, { level, projects }: Scope): boolean {
  const [short = '', project, ...more] = robot.name.split('+').reverse()
  if (more.length > 0) return false
  if (level === 'project') return project?.endsWith(projects[0] as string) === true && short === name
  return project === undefined && short.slice(short.search(ourStart)) === name
}
