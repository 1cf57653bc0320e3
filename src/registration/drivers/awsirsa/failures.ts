import { catalogue } from '../../../core/failure.ts'

/** Of the hub's half. AWS's own words stay in the cause: nothing is told apart by them. */
export const failures = catalogue({
  // What AWS answers
  AWS_NOT_FOUND: [
    404,
    '{operation}: AWS knows no such object ({code}); try again, and if that lasts, look in CloudTrail for who removes it',
  ],
  AWS_ALREADY_THERE: [
    409,
    '{operation}: AWS has an object of this name already ({code}); try again, and if that lasts, look in CloudTrail for who makes it',
  ],
  AWS_CONFLICT: [409, '{operation}: AWS is changing this object at the moment ({code}); try again'],
  AWS_THROTTLED: [429, '{operation}: AWS asks to slow down ({code}); try again in a minute'],
  AWS_INVALID: [
    400,
    '{operation}: AWS takes part of the request for wrong ({code}); look for its words in the log, or in CloudTrail, and check the ARNs and the tags',
  ],
  AWS_REFUSED: [
    403,
    'the AWS identity that was used may not do {operation} ({code}); compare its policy with what `lanyard aws prerequisites hub` prints',
  ],
  AWS_LIMIT: [
    409,
    '{operation}: AWS allows no more of these ({code}); remove what is not needed, or ask AWS for a higher quota',
  ],
  AWS_CREDENTIALS_WRONG: [
    401,
    '{operation}: AWS does not take the credentials ({code}); renew them, and check the clock of the machine that used them',
  ],
  AWS_NO_CREDENTIALS: [
    401,
    '{operation}: no AWS credentials were found; set AWS_PROFILE, or give the hub its creator role (`lanyard aws prerequisites hub` prints it)',
  ],
  AWS_WRONG_ACCOUNT: [
    403,
    'the AWS credentials are of account {found}, but the hub cluster {hub} is in account {expected}, so nothing is granted or revoked; use credentials of account {expected}, with which a hub has to be started again (`lanyard aws prerequisites hub` prints its role)',
  ],
  AWS_UNAVAILABLE: [503, '{operation}: AWS gave no usable answer ({code}); check that its endpoint can be reached'],
  AWS_DEADLINE: [504, '{operation}: AWS gave no answer within {deadlineMs} ms; check that its endpoint can be reached'],

  // What a cluster says about itself
  AWS_ARNS_DISAGREE: [
    422,
    'the annotations {one} and {other} name different clusters; let the agent of the cluster write them anew',
  ],
  AWS_ARN_MALFORMED: [
    422,
    'the annotation {annotation} cannot be used: {detail}; correct --managed-cluster-arn of the agent of the cluster, or the annotation',
  ],
  AWS_ANNOTATION_MISSING: [
    422,
    'there is an annotation {present}, but no {missing}, and neither is worth anything alone; let the agent of the cluster write both',
  ],
  AWS_SUFFIX_WRONG: [
    422,
    'the annotation {annotation} is {found}, but for this hub and this cluster it has to be {expected}; the cluster was joined to a different hub: check the hub ARN it was given, and join it again',
  ],
  AWS_ARN_CHANGED: [
    409,
    'cluster {cluster} was accepted with the role {role}, but its annotations now say {now}; if that is right, deny it and accept it again',
  ],
  AWS_PARTITIONS_DIFFER: [422, '{detail}'],

  // What is there
  AWS_ROLE_FOREIGN: [
    409,
    'the role {role} is not one that this hub made for cluster {cluster} ({detail}), so it is left alone; remove or rename it, or accept the cluster on the hub it belongs to',
  ],
  AWS_ROLE_ELSEWHERE: [
    409,
    'the role {arn} is in account {account}, but the hub cluster {hub} is in {hubAccount}, so nothing is mapped to it; give the hub AWS credentials of account {hubAccount}, and remove the role',
  ],
  AWS_ROLE_LEFT: [
    409,
    'the role {role} was on record for cluster {cluster}, but is not known as one that this hub made for it ({detail}), so it was left alone; look at it in IAM, and remove it if nobody else uses it',
  ],
  AWS_MAPPING_FOREIGN: [
    409,
    'the {mapping} for {role} is not one that this hub made for cluster {cluster} ({detail}), so it is left alone; remove it, then the hub makes its own',
  ],
  AWS_MANAGED_ROLE_MISSING: [
    409,
    'IAM refuses to trust {principal}, which has to exist first; create it in the account of the cluster (`lanyard aws prerequisites cluster` prints it)',
  ],
  AWS_ROLE_UNKNOWN_TO_EKS: [
    504,
    'EKS still refuses an access entry on {hub} for a role that was made {seconds} s ago; check that the hub cluster is in the account of its ARN, and that its access entries are not at their limit',
  ],
  AWS_ROLE_IN_USE: [
    409,
    'the role {role} has lost its access, but cannot be removed while something of others is attached to it, such as an instance profile; take that off',
  ],
  AWS_HUB_UNKNOWN: [404, 'EKS knows no cluster {hub}; check --hub-cluster-arn'],
  AWS_AUTH_UNREADABLE: [
    422,
    'mapRoles in ConfigMap kube-system/aws-auth cannot be edited safely ({detail}), so nothing was written; correct it with kubectl',
  ],

  // What a hub without AWS credentials leaves to people
  AWS_ACCEPT_BY_HAND: [
    401,
    'the hub has no AWS credentials of its own, and nobody has finished the role of cluster {cluster}; run `lanyard accept {cluster}` with AWS credentials that may make it, or give the hub its creator role (`lanyard aws prerequisites hub` prints it)',
  ],
  AWS_ROLE_OF_EARLIER: [
    409,
    'the role {role} of an earlier cluster {cluster} is not removed yet ({detail}); a hub with AWS credentials does that by itself, otherwise remove the role and its mapping in AWS, then the annotation {annotation} of namespace {cluster}',
  ],
  AWS_REVOKE_BY_HAND: [
    401,
    'the hub has no AWS credentials of its own, so the role {role} of cluster {cluster} is still there; run `lanyard deny {cluster}` with AWS credentials that may remove it, or give the hub its creator role (`lanyard aws prerequisites hub` prints it)',
  ],
  AWS_STILL_ACCEPTED: [
    409,
    'cluster {cluster} is accepted, so its role in AWS stays; deny it first with `lanyard deny {cluster}`',
  ],
})
