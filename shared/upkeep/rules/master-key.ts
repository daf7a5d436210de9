// What is said where the master key is not the one that an installation was sealed under.

/** The fingerprints differ: which one is asked for, and which was given. */
export interface OtherKey {
  wanted: string
  given: string
}

export const sayOtherKey = ({ wanted, given }: OtherKey): string =>
  `the master key is another (fingerprint ${given}) than the one this installation was sealed under (${wanted}). Start it with that one: ASSAY_MASTER_KEY, or master.key in the data folder. If it is lost for good, infra/docs/backup.md says what is lost with it.`
