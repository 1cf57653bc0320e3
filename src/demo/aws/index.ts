export type {
  AuthenticationMode,
  AwsAccessEntry,
  AwsAccount,
  AwsCall,
  AwsCluster,
  AwsCredentials,
  AwsOptions,
  AwsRole,
  AwsService,
  AwsStandIn,
  ClusterOptions,
  Identity,
  Refused,
} from './contract.ts'
export type { AwsFault, AwsFaults } from './faults.ts'
export type { RefusalName } from './refusals.ts'
export { refusals } from './refusals.ts'
export { startAws } from './start.ts'
export type { JsonWebKeySet } from './state.ts'
