import { failures } from '../../../core/failures.ts'
import type { RegistryConfig } from '../config.ts'
import { projectRule } from './calls.ts'
import type { HarborOptions } from './driver.ts'

const longestDefault = 128
/** A number alone would be taken for the number of a project. */
const isProject = (name: string): boolean => projectRule.test(name) && !/^\d+$/.test(name)

/**
 * With `project`: robots of that project. Otherwise robots of the system, that pull from the projects that
 * `repositories` lists; `*` has to be written out, for it is all there are and will be.
 */
export function harborOptions(config: RegistryConfig, instanceId: string): HarborOptions {
  const { id, project, repositories = [], durationDays, maxNameLength = longestDefault } = config
  const wrong = (name: string, problem: string) =>
    failures.CONFIG_WRONG_VALUE({ field: `pullSecrets.registries.${id}.${name}`, origin: 'configuration', problem })
  if (project !== undefined && !isProject(project)) throw wrong('project', 'is not the name of a project')
  if (project === undefined && repositories.length === 0)
    throw wrong('project', 'must be set, or repositories must list projects')
  if (project === undefined && !repositories.every((name) => name === '*' || isProject(name)))
    throw wrong('repositories', 'must hold names of projects, or *')
  if (durationDays !== undefined && (!Number.isInteger(durationDays) || durationDays < 1))
    throw wrong('durationDays', 'must be whole days, at least one')
  return {
    id,
    scope:
      project === undefined ? { level: 'system', projects: repositories } : { level: 'project', projects: [project] },
    longestName: maxNameLength,
    instanceId,
    ...(durationDays !== undefined && { durationDays }),
  }
}
