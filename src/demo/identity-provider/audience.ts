/**
 * Whom a token is for. The library knows `resource` (RFC 8707), which has to be a URI; clients of clusters ask by
 * `audience`, which may be any word. An audience travels through the library as a URI of our own.
 */
const prefix = 'urn:lanyard-demo:audience:'

export const resourceOf = (audience: string): string => `${prefix}${encodeURIComponent(audience)}`

export const audienceOf = (resource: string): string =>
  resource.startsWith(prefix) ? decodeURIComponent(resource.slice(prefix.length)) : resource
