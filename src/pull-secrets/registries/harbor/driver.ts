import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { failures } from '../../failures.ts'
import { derivedName, isDerivedName } from '../derived-name.ts'
import type { Answer, LogIn, RegistryHttp } from '../http/index.ts'
import { createOnce, field, isSuccess } from '../http/index.ts'
import type { Account, RegistryDriver } from '../registry.ts'
import { calls } from './calls.ts'
import type { Robot, Scope } from './robot.ts'
import { accountOf, isNamed, pullRights, robotOf } from './robot.ts'

export interface HarborOptions {
  id: string
  scope: Scope
  /** Absent: robots never expire. */
  durationDays?: number
  /** Of the short name. */
  longestName: number
  instanceId: string
}

export interface HarborDeps {
  http: RegistryHttp
  logIn: LogIn
  clock: Clock
}

type Target = { name: string; ref?: string }

/**
 * Robots that pull and do nothing else. Harbor tells a secret once, so that a robot whose answer was lost is removed and
 * made anew. A refresh kills the old secret at once: it is for robots that nobody uses, never for a rotation.
 */
export function harborDriver(options: HarborOptions, { http, logIn, clock }: HarborDeps): RegistryDriver {
  const { id: registry, scope, durationDays, longestName, instanceId } = options
  const mark = `pull account of Lanyard ${instanceId}, `
  const refused = (detail: string) => failures.REGISTRY_REFUSED({ registry, detail })
  const uncertain = (detail: string) => failures.REGISTRY_UNCERTAIN({ registry, detail })
  const expect = (answer: Answer, what: string): Answer => {
    if (isSuccess(answer)) return answer
    throw refused(`status ${answer.status} to ${what}`)
  }

  async function make(name: string, description: string, signal: AbortSignal): Promise<Account> {
    const answer = await http.call(calls.makeRobot(registry, {}), {
      signal,
      repeat: 'create',
      body: {
        name,
        description,
        level: scope.level,
        duration: durationDays ?? -1,
        disable: false,
        permissions: pullRights(scope),
      },
    })
    if (answer.status === 409) throw failures.REGISTRY_NAME_TAKEN({ registry, name })
    const account = accountOf(robotOf(expect(answer, 'a new robot').json), answer.json)
    if (!account) throw uncertain('its answer lacks the name or the secret of the robot')
    return account
  }

  const isOurs = ({ description }: Robot) => description.startsWith(mark)

  /** Robots of a project are listed by its number only. Harbor decodes what is searched for twice, so that a plus sign is encoded twice. */
  async function search(name: string, signal: AbortSignal): Promise<Robot | undefined> {
    const terms =
      scope.level === 'project'
        ? `Level=project,ProjectID=${await projectNumber(scope.projects[0] as string, signal)},name=${scope.projects[0]}%2B${name}`
        : `name=${name}`
    const answer = await http.call(calls.listRobots(registry, {}), { signal, repeat: 'safe', query: { q: terms } })
    const { json } = expect(answer, 'a search')
    if (!Array.isArray(json)) throw refused('its list of robots is none')
    const named = json.map(robotOf).filter((robot) => robot !== undefined && isNamed(robot, name, scope))
    if (named.length > 1) throw refused('it shows several robots of one name')
    return named[0]
  }

  async function projectNumber(project: string, signal: AbortSignal): Promise<number> {
    const answer = await http.call(calls.showProject(registry, { project }), { signal, repeat: 'safe' })
    const number = field(expect(answer, `project ${project}`).json, 'project_id')
    if (typeof number !== 'number' || field(answer.json, 'name') !== project)
      throw refused(`project ${project} is not what its answer shows`)
    return number
  }

  /**
   * By its number, if that still is the robot of this name: an installation that was set up anew counts from the start
   * again. By its name alone it has to bear our mark: somebody else's is not the one that is meant.
   */
  async function load({ name, ref }: Target, signal: AbortSignal): Promise<Robot | undefined> {
    const byName = async () => {
      const robot = await search(name, signal)
      return robot && isOurs(robot) ? robot : undefined
    }
    if (ref === undefined) return await byName()
    const answer = await http.call(calls.showRobot(registry, { robot: ref }), { signal, repeat: 'safe' })
    if (answer.status === 404) return undefined
    const robot = robotOf(expect(answer, 'a look at a robot').json)
    return robot && isNamed(robot, name, scope) ? robot : await byName()
  }

  async function removeRobot({ id }: Robot, signal: AbortSignal): Promise<void> {
    const answer = await http.call(calls.removeRobot(registry, { robot: id }), { signal, repeat: 'safe' })
    if (answer.status !== 404) expect(answer, 'a removal')
  }

  /** Harbor wants the whole robot back, under its full name. Whether it was there. */
  async function setDisabled(robot: Robot, disable: boolean, signal: AbortSignal): Promise<boolean> {
    const { id, name, description, duration } = robot
    const answer = await http.call(calls.changeRobot(registry, { robot: id }), {
      signal,
      repeat: 'safe',
      body: { name, description, level: scope.level, duration, disable, permissions: pullRights(scope) },
    })
    if (answer.status === 404) return false
    expect(answer, disable ? 'disabling a robot' : 'enabling a robot')
    return true
  }

  return {
    id: registry,
    capabilities: {
      rereadSecret: false,
      softDelete: false,
      disable: true,
      nativeExpiry: durationDays !== undefined,
      choosesSecret: false,
    },
    nameFor: (request) => derivedName(request, { registry, longest: longestName }),
    isSafeName: isDerivedName,
    create({ name }, signal) {
      // Tells the robot of this very call from everybody else's, when its answer is lost.
      const description = `${mark}${randomUUID()}`
      return createOnce(
        http,
        {
          create: () => make(name, description, signal),
          async look() {
            const robot = await search(name, signal)
            if (robot && robot.description !== description) return 'unknown'
            if (robot) await removeRobot(robot, signal)
            return undefined
          },
        },
        signal,
      )
    },
    async find(name, signal) {
      const robot = await search(name, signal)
      return robot && { name, ref: robot.id, isDisabled: robot.isDisabled, isOurs: isOurs(robot) }
    },
    async remove(target, signal) {
      const robot = await load(target, signal)
      if (robot) await removeRobot(robot, signal)
    },
    async disable(target, signal) {
      const robot = await load(target, signal)
      if (robot && !robot.isDisabled) await setDisabled(robot, true, signal)
    },
    /** The new secret comes first: otherwise the old one would let its holder in again for a moment. */
    async enable(target, signal) {
      const robot = await load(target, signal)
      if (!robot) return undefined
      if (robot.expiresAt && robot.expiresAt <= clock.now()) {
        await removeRobot(robot, signal)
        return undefined
      }
      const answer = await http.call(calls.refreshSecret(registry, { robot: robot.id }), {
        signal,
        repeat: 'safe',
        body: {},
      })
      if (answer.status === 404) return undefined
      const account = accountOf(robot, expect(answer, 'a new secret').json)
      if (!account) throw uncertain('its answer lacks the secret')
      return (await setDisabled(robot, false, signal)) ? account : undefined
    },
    validate: logIn,
    async check(signal) {
      const named = scope.projects.filter((project) => project !== '*')
      for (const project of named) await projectNumber(project, signal)
      if (scope.level === 'system')
        expect(await http.call(calls.listRobots(registry, {}), { signal, repeat: 'safe' }), 'a list of robots')
    },
  }
}
