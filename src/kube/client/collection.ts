import { failures, isExpired, KubeFailure } from '../failures.ts'
import type {
  CallOptions,
  Collection,
  DeleteOptions,
  ListOptions,
  Patch,
  Selectors,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../kube.ts'
import type { KubeObject, List, Resource, Stored } from '../objects.ts'
import { apiVersionOf } from '../objects.ts'
