// What tests look for in texts of the project, and on its pages, where words are put together.

/** Phrases that people did not understand. Where the case matters, it is given. */
export const UNCLEAR = [
  /why not more/i,
  /silence is told/i,
  /were it only one/i,
  /has left triage, undecided/i,
  /this takes the role/i,
  /call wrong all/i,
  /\bAt once:/,
  /ran above, worked below/i,
  /empty is no bound/i,
  /failed alike/i,
  /dearest first/i,
]
