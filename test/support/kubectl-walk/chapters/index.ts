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

export const chapters: { title: string; of: Chapter[] }[] = [
  {
    title: 'E5: kubectl api-resources, explain, apply, diff, wait, get -w, describe, edit, label, annotate and patch',
    of: [
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
  },
  {
    title: 'kubectl create, get, replace, scale, set, delete, auth, certificate, taint, kustomize, and what is refused',
    of: [create, get, replaceAndScale, remove, cascade, auth, certificates, nodes, kustomize, errors],
  },
]
