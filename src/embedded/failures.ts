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
  EMBEDDED_FOLDER_UNUSABLE: [500, 'the folder {dir} cannot be used ({detail}); give another one'],
  EMBEDDED_PORT_TAKEN: [
    409,
    'somebody else listens on {host}:{port}; give another port, or none to have any that is free',
  ],
  EMBEDDED_DATA_DAMAGED: [
    500,
    '{path} is damaged ({detail}); bring a copy of it back, or move it away to start with nothing',
  ],
  EMBEDDED_DATA_TOO_NEW: [
    500,
    '{path} has format {found} and this version reads up to format {known}; run the newer version that wrote it',
  ],
  EMBEDDED_DATA_UNUSABLE: [500, '{path} cannot be opened: {detail}'],
})
