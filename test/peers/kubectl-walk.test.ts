/** kubectl on the embedded control plane and on a real one, command by command: both have to say the same. */
import type { TestContext } from 'node:test'
import { before, describe, test } from 'node:test'
import { needsControlPlane } from '../support/control-plane.ts'
import { chapters } from '../support/kubectl-walk/chapters/index.ts'
import type { Chapter } from '../support/kubectl-walk/step.ts'
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
  const walkAll = async (t: TestContext, of: readonly Chapter[]) => {
    for (const chapter of of)
      await Promise.all(
        names.map((name) => t.test(`${name} ${chapter.title}`, patient, (each) => walk(each, planes, name, chapter))),
      )
  }
  const atOnce = { concurrency: true, ...patient }

  test(
    'E5: kubectl api-resources, explain, apply, diff, wait, get -w, describe, edit, label, annotate and patch',
    atOnce,
    (t) => walkAll(t, chapters.discovery),
  )

  test(
    'kubectl create, get, replace, scale, set, delete, auth, certificate, taint, kustomize, and what is refused',
    atOnce,
    (t) => walkAll(t, chapters.besides),
  )
})
