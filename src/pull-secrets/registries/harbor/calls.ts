import { route } from '../http/index.ts'

const number = /^[1-9]\d{0,18}$/
export const projectRule = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/

/** Everything this driver can ask of Harbor. */
export const calls = {
  makeRobot: route('POST', '/robots', {}),
  listRobots: route('GET', '/robots', {}),
  showRobot: route('GET', '/robots/{robot}', { robot: number }),
  changeRobot: route('PUT', '/robots/{robot}', { robot: number }),
  refreshSecret: route('PATCH', '/robots/{robot}', { robot: number }),
  removeRobot: route('DELETE', '/robots/{robot}', { robot: number }),
  showProject: route('GET', '/projects/{project}', { project: projectRule }),
}
