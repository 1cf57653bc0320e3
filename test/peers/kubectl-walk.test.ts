/** kubectl on the embedded control plane and on a real one, command by command: both have to say the same. */
import { before, describe, test } from 'node:test'
import { needsControlPlane } from '../support/control-plane.ts'
import { chapters } from '../support/kubectl-walk/chapters/index.ts'
import type { KubectlName, Planes } from '../support/kubectl-walk/walk.ts'
import { launchBoth, versions, walk } from '../support/kubectl-walk/walk.ts'
import { suiteScope } from '../support/suite-scope.ts'

/** A walk is 3,000 processes: minutes, where other tests of the run take the processors. */
const patient = { timeout: 900_000 }

const names = Object.keys(versions) as KubectlName[]

describe('kubectl says the same on both control planes', { skip: needsControlPlane.skip, ...patient }, () => {
  const scope = suiteScope()
  let planes: Planes
  before(async () => {
    planes = await launchBoth(scope)
  })

  // A chapter at a time: what one says of the whole cluster is the same on both planes only between two of them.
  for (const { title, of } of chapters)
    test(title, { concurrency: true, ...patient }, async (t) => {
      for (const chapter of of)
        await Promise.all(
          names.map((name) => t.test(`${name} ${chapter.title}`, patient, (each) => walk(each, planes, name, chapter))),
        )
    })
})
