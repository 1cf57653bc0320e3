import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  EMBEDDED_FOLDER_IN_USE: [
    409,
    'process {pid} serves a control plane from {dir} since {since}; end it first, or give this one another folder',
  ],
  EMBEDDED_FOLDER_NOT_PRIVATE: [
    400,
    'others may look into {dir}, which is not empty; give the control plane a folder of its own, or close this one with chmod 700',
  ],
  EMBEDDED_FOLDER_OF_OTHERS: [
    403,
    '{dir} belongs to another user, who could read its keys or put others in their place; give the control plane a folder of your own, or make this one yours with chown',
  ],
  EMBEDDED_FOLDER_UNUSABLE: [500, 'the folder {dir} cannot be used ({detail}); give another one'],
  EMBEDDED_PORT_TAKEN: [
    409,
    'somebody else listens on {host}:{port}; give another port, or none to have any that is free',
  ],
  EMBEDDED_LOCK_DAMAGED: [500, '{path} is damaged ({detail}); it holds nothing, so delete it and try again'],
  EMBEDDED_DATA_DAMAGED: [
    500,
    '{path} is damaged ({detail}) and was left as it is; see all of it with `lanyard kube fsck --data {dir}`, and save what is readable with `lanyard kube fsck --data {dir} --repair NEW-FOLDER`, or bring a backup back with `lanyard kube restore`',
  ],
  EMBEDDED_DATA_TOO_NEW: [
    500,
    '{path} has format {found} and this version reads up to format {known}; run the newer version that wrote it',
  ],
  EMBEDDED_NOT_MIGRATED: [
    500,
    '{path} could not be brought from format {found} to format {known} ({detail}) and is as it was; put that right, then start again',
  ],
  EMBEDDED_DATA_UNUSABLE: [500, '{path} cannot be opened: {detail}'],
  EMBEDDED_NO_DATA: [
    404,
    'there is no control plane in {dir}; give its folder with --data, `lanyard kube --data {dir}` makes one',
  ],
  EMBEDDED_COMPACT_RUNNING: [
    409,
    'process {pid} serves a control plane from {dir}, and only a stopped one can be compacted; end it, then repeat `lanyard kube compact --data {dir}`',
  ],
  EMBEDDED_NOT_COMPACTED: [
    500,
    '{dir} could not be compacted ({detail}); nothing is lost: free as much room as state.db takes, then repeat `lanyard kube compact --data {dir}`',
  ],
  EMBEDDED_FSCK_RUNNING: [
    409,
    'process {pid} serves a control plane from {dir}; end it first, or check a backup of it: `lanyard kube backup --data {dir} --to FILE`, then `lanyard kube fsck --from FILE`',
  ],
  EMBEDDED_NOT_ANSWERING: [
    503,
    'process {pid} serves a control plane from {dir} and did not hand out its data ({detail}); try again, or end it and repeat this command',
  ],
  EMBEDDED_BACKUP_DAMAGED: [
    422,
    '{file} is no whole backup ({detail}), so nothing was restored; give another one, or save what is readable with `lanyard kube fsck --from {file} --repair NEW-FOLDER`',
  ],
  EMBEDDED_BACKUP_TOO_NEW: [
    422,
    '{file} is a backup of format {found} and this version reads up to format {known}; restore it with the newer version that wrote it',
  ],
  EMBEDDED_BACKUP_UNUSABLE: [500, 'the file {file} cannot be used ({detail}); give another one'],
  EMBEDDED_BACKUP_EXISTS: [409, '{file} is there already; give another name, or overwrite it with --overwrite'],
  EMBEDDED_FOLDER_NOT_EMPTY: [
    409,
    '{dir} is not empty ({inside}); give a new folder, or move what is there aside with --replace',
  ],
  EMBEDDED_REPAIR_NOT_EMPTY: [409, '{dir} is not empty ({inside}); give --repair a new folder'],
  EMBEDDED_NOTHING_READABLE: [
    422,
    'nothing in {from} is readable ({detail}); bring a backup back with `lanyard kube restore`',
  ],
  EMBEDDED_FSCK_WHAT: [400, 'say what to check: a folder with --data, or a backup with --from'],
})
