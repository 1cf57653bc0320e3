/** What must be so of a ManagedCluster whoever writes it. Each returns a sentence that begins with the field. */

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** The name becomes that of a namespace, and a part of user names. */
export const nameMistake = (name: string): string | undefined =>
  dnsLabel.test(name)
    ? undefined
    : 'metadata.name must be a DNS label: at most 63 lower case letters, digits and dashes, with a letter or digit at both ends; choose another name for the cluster'

/** What was stored before there was this check may stay, so that an old cluster can still be changed and deleted. */
export function urlMistake(urls: readonly string[], old: readonly string[]): string | undefined {
  const index = urls.findIndex((url) => !old.includes(url) && !isHttps(url))
  return index < 0
    ? undefined
    : `spec.managedClusterClientConfigs[${index}].url must be an https URL, such as https://api.example.com:6443`
}

const isHttps = (url: string): boolean => /^https:\/\/[^/]/i.test(url) && URL.canParse(url)

export const leaseMistake = (seconds: number | undefined, old: number | undefined): string | undefined =>
  seconds !== undefined && seconds < 0 && seconds !== old
    ? 'spec.leaseDurationSeconds must not be negative; 0 means 60'
    : undefined
