import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  ADDON_UNKNOWN: [
    404,
    'the cluster {cluster} has no add-on {addon}; `lanyard get addons --cluster {cluster}` lists those it has, `lanyard addon enable {addon} --clusters {cluster}` adds it',
  ],
  ADDON_NOWHERE: [
    404,
    'no add-on {addon} was found; `lanyard get addons` lists those there are, `lanyard addon enable {addon} --clusters CLUSTER` adds it',
  ],
  ADDON_NAME_INVALID: [
    400,
    '{name} cannot be the name of an add-on; use at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit',
  ],
  ADDON_PLACE_INVALID: [
    400,
    '{name} cannot be the name of a {what}; use at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit',
  ],
  ADDON_NAME_INCOMPLETE: [400, 'an add-on is named CLUSTER/ADDON, such as west/hello, and {name} is not'],
  ADDON_CLUSTERS_NOT_NAMED: [400, 'name the clusters with --clusters a,b; `lanyard get clusters` lists them'],
  ADDON_CLUSTER_UNKNOWN: [404, 'the hub knows no cluster {cluster}; `lanyard get clusters` lists those it knows'],
  ADDON_CLUSTER_LEAVES: [409, '{cluster} is being deleted, and its add-ons with it; let it join again first'],
  ADDON_CLUSTER_NOT_ACCEPTED: [
    409,
    'the hub has not accepted {cluster}, so there is no place for its add-ons yet; run `lanyard accept {cluster}` first',
  ],
  ADDON_LEAVES: [
    409,
    '{addon} is just being removed from {cluster}; repeat this once `lanyard get addons --cluster {cluster}` does not show it any more',
  ],
})
