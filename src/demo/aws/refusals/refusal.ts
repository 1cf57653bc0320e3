/** A row of the table of refusals: code and status of the query protocol, which IAM and STS speak. */
export interface Refusal {
  code: string
  status: number
  /** Code in EKS's protocol, when it differs. */
  json?: string
  jsonStatus?: number
  /** `{name}` is filled in. */
  says: string
  when: string
}
