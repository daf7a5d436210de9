// The version of this package. Guarantee: equal to package.json's, checked by a test. Importing the manifest would put
// all of it into every function's bundle.

export const VERSION = '0.1.0'
