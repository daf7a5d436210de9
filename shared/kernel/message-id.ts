// Makes the ids of messages. Guarantee: a message about the same end of the same run has the same id, also if the run ends
// again after a restore, so its receiver recognises it.

/** SQL: a UUID (version 8) made of a text. `announce_run` in the migration makes those of callbacks in the same way. */
export const messageId = (text: string): string =>
  `overlay(overlay(md5(${text}) placing '8' from 13) placing 'a' from 17)::uuid`
