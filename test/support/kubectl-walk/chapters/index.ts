import type { Chapter } from '../step.ts'
import { applyClientSide, applyServerSide, diff } from './apply.ts'
import { auth } from './auth.ts'
import { certificates } from './certificates.ts'
import { edit, labelAndAnnotate, patch, replaceAndScale } from './change.ts'
import { create } from './create.ts'
import { cascade, remove } from './delete.ts'
import { describe } from './describe.ts'
import { apiResources, explain } from './discovery.ts'
import { errors } from './errors.ts'
import { get, watch } from './get.ts'
import { kustomize } from './kustomize.ts'
import { nodes } from './nodes.ts'
import { wait } from './wait.ts'

/** Those of the fifth point of the contract, and the others. */
export const chapters: Readonly<Record<'discovery' | 'besides', readonly Chapter[]>> = {
  discovery: [
    apiResources,
    applyClientSide,
    applyServerSide,
    diff,
    wait,
    watch,
    describe,
    edit,
    labelAndAnnotate,
    patch,
    explain,
  ],
  besides: [create, get, replaceAndScale, remove, cascade, auth, certificates, nodes, kustomize, errors],
}
