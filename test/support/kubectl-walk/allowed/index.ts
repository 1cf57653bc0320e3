import type { Allowed } from '../compare.ts'
import { discovery } from './discovery.ts'
import { others } from './others.ts'
import { services } from './services.ts'

/** All that may differ. A new difference fails the walk, and so does a row whose difference is gone. */
export const allowed: readonly Allowed[] = [...discovery, ...services, ...others]
